"""Nothing that a quote charges or offers is out of sight: alternatives, shipping, extras."""

from __future__ import annotations

import pytest

from buildcheck.bill import bill
from buildcheck.render.bill import render

CARD = "Gigabyte GeForce RTX 3090 TURBO 24G"
#: Two quotes for a card and a supply, the first with an alternative to the card.
ALTERNATIVE = f"""
gpus: {CARD}
psus: Corsair AX1600i
quotes:
  - vendor: A
    includes: [VAT 19 %, shipping]
    lines: [{{part: {CARD}, price: 1000 EUR}}, {{part: AX1600i, price: 400 EUR}}, {{part: RTX 4090, price: 900 EUR, for: gpus}}]
  - vendor: B
    includes: [VAT 19 %, shipping]
    lines: [{{part: {CARD}, price: 1100 EUR}}, {{part: AX1600i, price: 450 EUR}}]
"""


# -- alternatives ------------------------------------------------------------


def test_an_alternative_beside_the_part_bars_the_comparison(judged):
    """A sum of 2300 EUR that holds two cards for one is no sum of the same."""
    made = bill(judged(ALTERNATIVE))
    assert [str(m) for m in made.comparison.columns[0].whole] == ["2300.00 EUR"]
    assert made.comparison.lowest == ()
    (reason,) = made.comparison.reasons
    assert reason.startswith("A adds RTX 4090, instead of Gigabyte")


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_an_alternative_beside_the_part_is_shown(judged, form):
    """With its price, in every format that holds quotes."""
    report = judged(ALTERNATIVE)
    text = render(bill(report), report, form)
    assert "RTX 4090" in text
    assert "900.00" in text


def test_an_alternative_alone_stays_in_its_line(judged):
    """It is no addition where the part itself is not offered."""
    alone = ALTERNATIVE.replace(f"{{part: {CARD}, price: 1000 EUR}}, ", "")
    made = bill(judged(alone)).comparison
    assert made.columns[0].extras == ()
    assert made.rows[0].cells[0].fit == "instead"

"""Do cases hold what they are said to hold, and are coolers of one kind?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.plausible.look import Checks, Doubt, Look

#: EIA-310: a rack unit is 44.45 mm, and nothing in a chassis is taller than the chassis.
RACK_UNIT = 44.45
#: Openings that boards of a form factor need, by the ATX and microATX specifications.
OPENINGS = {"ATX": 7, "microATX": 4, "Mini-ITX": 1}


def case(look: Look) -> Iterator[Doubt]:
    """It has openings for the boards it takes, and nothing taller than itself."""
    openings = look.of("expansion_slots")
    kind = look.of("kind") or ""
    if openings is not None and kind != "open frame":
        for form in sorted(look.of("board_form_factors") or ()):
            # Full-size boards go into cases of fewer openings where cards lie on risers.
            if openings.high < OPENINGS.get(form, 0) and not kind.endswith("U"):
                message = f"{look.text('expansion_slots')} openings are too few for {form}"
                advice = f"{form} boards have {OPENINGS[form]}: check openings and form factors"
                yield look.doubt("expansion_slots", message, advice)
    if kind.endswith("U"):
        tallest = int(kind[:-1]) * RACK_UNIT
        for field in ("cooler_height_max", "card_height_max"):
            value = look.of(field)
            if value is not None and value.high > tallest:
                message = f"{look.text(field)} is taller than the chassis, {tallest:g} mm"
                yield look.doubt(field, message, f"A rack unit is {RACK_UNIT} mm high")


def cooler(look: Look) -> Iterator[Doubt]:
    """An air cooler has no radiator."""
    kind = look.of("kind")
    if kind == "air" and look.of("radiator") is not None:
        yield look.doubt("radiator", "an air cooler has no radiator", "Check its kind")


CHECKS: Checks = {"case": (case,), "cooler": (cooler,)}

"""The verdicts against what happened to real machines: no figure may get worse."""

import pytest
from field.agreement import FIGURES, FOLDER, figures, read


@pytest.fixture(scope="module")
def found(catalog, rulebook) -> dict[str, int]:
    """Figures over all builds."""
    return figures(list(read(FOLDER, catalog, rulebook)))


def test_every_build_has_its_source() -> None:
    for path in FOLDER.glob("*/build.yaml"):
        assert path.read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("name", FIGURES["at_least"])
def test_no_less(name, found) -> None:
    assert found[name] >= FIGURES["at_least"][name]


@pytest.mark.parametrize("name", FIGURES["at_most"])
def test_no_more(name, found) -> None:
    assert found[name] <= FIGURES["at_most"][name]

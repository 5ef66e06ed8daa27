"""The verdicts against what happened to real machines: no figure may get worse."""

from field.agreement import FIGURES, FOLDER, figures, read


def test_every_build_has_its_source() -> None:
    for path in FOLDER.glob("*/build.yaml"):
        assert path.read_text(encoding="utf-8").startswith("# ")


def test_no_figure_gets_worse(catalog, rulebook) -> None:
    """Over all builds, which are judged once."""
    found = figures(list(read(FOLDER, catalog, rulebook)))
    assert not {name: found[name] for name, n in FIGURES["at_least"].items() if found[name] < n}
    assert not {name: found[name] for name, n in FIGURES["at_most"].items() if found[name] > n}

"""Build files as people write them: what is understood, what is refused, and how that is shown."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml
from cases import holds, plain
from conftest import each_row, flat, table
from pydantic import Field, create_model

from buildcheck.catalog import Catalog
from buildcheck.edit import Change, edit
from buildcheck.load import load, load_quote
from buildcheck.load.sentences import model_at
from buildcheck.logic.quantity import Interval
from buildcheck.model.build import SECTION_KIND, Build
from buildcheck.model.price import QuoteLine, read_day
from buildcheck.model.strict import Strict, schema_of
from buildcheck.model.vocabulary import listed, vocabulary
from buildcheck.resolve import resolve
from buildcheck.resolve.described import WORDED
from buildcheck.words.entry import entry_of
from buildcheck.words.facts import facts_in

CATALOG = Catalog()
ROWS = yaml.safe_load(Path(__file__).with_name("input.yaml").read_text("utf-8"))
#: As four people wrote them who had read nothing.
FIRST_TRIES = table("input", "first_tries")


def known(subject, name: str):
    """What is known of a subject; what is typical of its kind is not."""
    fact = subject.facts.get(name)
    return fact.value if fact and fact.confidence != "typical" else None


def understood(text: str, catalog):
    """The subjects of a build file; none of its words may be refused."""
    return resolve(load(text.encode(), "build.yaml"), catalog).subjects


@each_row
def test_parts_are_listed_where_they_belong(case):
    """Without a word for their kind, or as what an entry states of others; nothing is lost."""
    holds(load(case["text"].encode(), "build.yaml"), case)


@each_row
def test_what_is_in_brackets_counts_no_parts(text, count):
    """Unless they hold nothing but a count, a state and a price."""
    gpus = load(f"gpus: ['{text}']".encode(), "build.yaml").build.gpus
    assert [gpu.count for gpu in gpus] == [count]


@pytest.mark.parametrize("who", FIRST_TRIES)
def test_a_first_try_is_accepted(who, run):
    """And judged: the exit code is not the one for input that cannot be used."""
    done = run("validate", "build.yaml", text=FIRST_TRIES[who])
    assert done.exit_code in (0, 1), done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize(("line", "subject", "facts"), ROWS["known"])
def test_what_words_hold_is_known(line, subject, facts, catalog):
    """It is a fact of the part, and not asked for again."""
    text = line if "gpu" in line else f"gpus: RTX 3090\n{line}"
    found = understood(text, catalog)
    for name, value in facts.items():
        counted = sum(key.startswith(f"{name}[") for key in found)
        fact = counted if subject == "parts" else known(found[subject], name)
        fact = found[subject].part if name == "part" else fact
        assert (fact if isinstance(fact, (str, int, type(None))) else fact.low) == value, name


@pytest.mark.parametrize(("text", "what", "values"), ROWS["pinned"])
def test_what_other_sections_state_of_a_gpu_is_its_own(text, what, values, catalog):
    loaded = load(text.encode(), "build.yaml")
    pinned = getattr(resolve(loaded, catalog).pins, what)
    keys = values if isinstance(values, dict) else [f"gpus[{n}]" for n in range(len(values))]
    of_each = {key: pinned[key] for key in keys}
    assert (of_each if keys is values else [*of_each.values()]) == values
    assert not loaded.document.unread


@each_row
def test_a_count_is_read_in_whatever_form(text, catalog):
    assert len([s for s in understood(f"gpu: {text}", catalog) if s.startswith("gpus")]) == 4


def test_how_many_psus_are_spares_is_no_part_of_their_name(catalog):
    found = understood("gpus: RTX 3090\npsus: 4x Own PSU 2000W (redundant 2+2)", catalog)
    assert [found[f"psus[{n}]"].name for n in (0, 3)] == ["Own PSU 2000W"] * 2


def test_every_name_of_the_catalogue_stays_as_it_is(catalog):
    """What looks like a count or a limit in a name is one of its words."""
    for section, kind in SECTION_KIND.items():
        for layer in catalog.index.layers[:1]:
            for row in layer.all(kind).values():
                assert {entry_of(n, section).name for n in row[0]} == {
                    " ".join(n.split()) for n in row[0]
                }
    for name in (
        "MSI RTX 3090 VENTUS 3X",
        "Inno3D RTX 3090 X3",
        "FirePro S7150 x2",
        "NZXT Kraken X63",
    ):
        assert entry_of(name, "gpus").count is None


def test_an_exact_name_is_never_ambiguous(catalog):
    index = catalog.index
    for name in ("GeForce RTX 4070 SUPER 12G GAMING X SLIM", "Quadro 6000"):
        found = catalog.find("gpu", name)
        assert name in [n for _, row in index.each(found) for n in row.names]
    found = understood("gpu: RTX 3090\npsu: 1600W CRPS", catalog)["psus[0]"].part
    assert found == "psu/generic/crps-1600w"


@pytest.mark.parametrize(("line", "price"), ROWS["prices"])
def test_prices_beside_a_part_are_of_one_piece(line, price):
    loaded = load(line.encode(), "build.yaml")
    part, *_ = (*loaded.build.memory, *loaded.build.gpus)
    assert str(part.price.each) == price
    assert (*loaded.problems, *loaded.document.unread, part.part[-1] in " (") == (False,)


@pytest.mark.parametrize("case", ROWS["refused"])
def test_what_could_be_misread_is_refused_with_what_to_write(case, run):
    """Nothing is guessed, and nothing is written."""
    text, words = ROWS["refused"][case]
    done = run("validate", "build.yaml", text=text)
    assert (done.exit_code, done.stdout) == (2, "")
    assert any(part in flat(done.stderr) for part in words.split("|")), done.stderr


@pytest.mark.parametrize("case", ROWS["not_used"])
def test_what_no_check_needs_stops_nothing(case, run):
    """Prices, work and outlets that cannot be used are listed, with what to write."""
    text, words = ROWS["not_used"][case]
    done = run("validate", "build.yaml", "--verbose", text=text)
    assert done.exit_code in (0, 1), done.stderr
    assert words in " ".join(done.stdout.split()), done.stdout


def test_a_slip_is_shown_in_its_line(run):
    """What was probably meant under the source line with a caret."""
    done = run("validate", "build.yaml", text="gpu: RTX 3090\nsite: {outlett: x}  # to be wired\n")
    head, line, caret, name = done.stderr.splitlines()
    assert head == "build.yaml:2:8: error: there is no key 'outlett' here"
    assert line == "  2 | site: {outlett: x}  # to be wired"
    assert caret == "    |        ^^^^^^^"
    assert name == "  did you mean: outlet"


def test_all_problems_come_at_once_and_as_json(run):
    text = "gpus: on\nram: {module: 16 mm}\ncpu: {coress: 8}\n"
    done = run("validate", "build.yaml", "--format", "json", text=text)
    errors = json.loads(done.stdout)["errors"]
    assert [(e["line"], e["column"]) for e in errors] == [(1, 7), (2, 15), (3, 7)]
    assert all(set(e) == {"path", "line", "column", "message", "suggestion"} for e in errors)
    assert "Did you mean 'cores'" in errors[2]["suggestion"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gpus: 39\n" + "".join(f"k{n}: x\n" for n in range(9000)), "more than 500 keys are in"),
        ("gpus:\n" + "- {part: 39, xa: 1, xb: 1, xc: 1, xd: 1, xe: 1}\n" * 64, "320 keys mean no"),
    ],
)
def test_a_file_of_unknown_keys_is_no_build(text, said, run):
    """What thousands may mean is not looked for: that would take a minute."""
    done = run("validate", "build.yaml", text=text)
    assert (done.exit_code, done.stdout, said in done.stderr) == (2, "", True), done.stderr


def test_a_wide_or_long_line_keeps_its_caret_below_the_word(run):
    done = run("validate", "build.yaml", text=f"gpus: [RTX 3090, {'カ' * 30}, 39]\n")
    lines = done.stderr.splitlines()
    last = max(n for n, line in enumerate(lines) if "^" in line)
    assert lines[last].count("^") == len("39")


@each_row
def test_edits_go_where_people_wrote_it(text, change, made):
    place, value = change
    assert edit(text.encode(), "build.yaml", [Change(tuple(place), value)]).decode() == made


def test_what_words_leave_over_is_a_name():
    """A word that no phrase covers is never dropped."""
    assert facts_in("psus", "Corsair AX1600i 1600W Titanium").rest == "Corsair AX1600i"
    assert facts_in("memory", "8 x 32 GB DDR4/DDR5").rest


UNCATALOGUED = table("input", "uncatalogued")


@pytest.mark.parametrize("case", UNCATALOGUED)
def test_a_name_in_no_catalogue_stops_nothing(case):
    """The facts of its words are taken, no others, and the names nearest to it are shown."""
    text, facts, near = UNCATALOGUED[case]
    found = understood(text if "gpu" in text else f"gpu: RTX 3090\n{text}\n", CATALOG)
    (lost,) = (s for s in found.values() if s.near is not None)
    assert near in " ".join(lost.near)
    assert {name: plain(known(lost, name)) for name in facts} == facts


@pytest.mark.parametrize("section", sorted(WORDED))
def test_words_in_names_can_be_relied_on(section):
    """In at least 19 of 20 they say what is known of the part; a third of the parts is asked.

    So do the part numbers of memory, which are made up of it.
    """
    kind = SECTION_KIND[section]
    entry = model_at((section, ""), Build)
    agree, seen = Counter(), Counter()
    texts = [(part, part.name) for part in map(CATALOG.part, list(CATALOG.ids(kind))[::3])]
    if section == "memory":
        rows = ((part, row) for part, _ in texts for _, row in CATALOG.index.each(part.id))
        texts += [(part, number) for part, row in rows for number in row.numbers]
    for part, text in texts:
        fields = facts_in(section, text).fields.keys() & part.facts.keys()
        given = entry.model_validate(facts_in(section, text).fields) if fields else None
        for name in fields:
            seen[name] += 1
            agree[name] += alike(getattr(given, name), part.facts[name].value)
    assert seen
    assert all(agree[name] >= 0.95 * n for name, n in seen.items()), (agree, seen)


def alike(one: object, other: object) -> bool:
    """Are two values the same, a number within 3 % (a drive of 1 TB may hold 1024 GB)?

    A code may be more exact than the other: DDR5 and DDR5 UDIMM.
    """
    if isinstance(one, Interval) and isinstance(other, Interval):
        return one.low <= other.high * 1.03 and other.low <= one.high * 1.03
    return str(one).split()[0] == str(other).split()[0]


QUOTE = table("input", "quote")


@each_row
def test_a_quote_is_read_as_a_vendor_writes_it(written, total, lines):
    """Its own words for keys, one price for all of it, lines as text, days and amounts."""
    quote, _, problems = load_quote(QUOTE.format(written).encode(), "quote.yaml")
    assert not problems
    assert (quote.vendor, quote.number, str(quote.valid_until)) == (
        "Turnkey Ltd",
        "T-9",
        "2026-12-05",
    )
    assert str(quote.shipping) == "49.00 EUR"
    assert (str(quote.total) if quote.total else None) == total
    found = [[x.part, x.count, x.instead, x.price and str(x.price)] for x in quote.lines]
    assert found == lines


@each_row
def test_days_are_read_where_nobody_reads_another(day):
    assert str(read_day(day)) == "2026-11-05"


@pytest.mark.parametrize("day", ["11/05/2026", "5 Foo 2026", "31.02.2026", "soon", "5.11.26"])
def test_other_days_are_refused(day):
    with pytest.raises(ValueError, match=r"day|date"):
        read_day(day)


def test_what_is_wrong_in_a_quote_is_shown_where_it_stands():
    text = "supplier: A\nitems:\n- {artikel: X, preis: 8.9901 EUR}\n- 2x Y, 90 EUR\n"
    _, _, problems = load_quote(text.encode(), "quote.yaml")
    assert sorted((p.line, p.column) for p in problems) == [(3, 23), (4, 3)]


def test_the_vocabulary_names_fields_that_there_are():
    """A phrase or key of a field nobody has would be refused where it is used."""
    data = vocabulary()
    models = {
        s: model_at((s, ""), Build).model_fields
        for s in (*SECTION_KIND, "site", "workload", "cost", "quotes", "cooling", "firmware")
    }
    models["lines"] = {*QuoteLine.model_fields, "for"}
    for section, phrases in data["phrases"].items():
        for pattern, *given in phrases:
            re.compile(pattern.replace("{W}", "()()"))
            own = {n for n in (given[0] if given else {}) if not n.startswith("_")}
            assert own <= {*models[section]}, pattern
    for section, keys in data["keys"].items():
        # A maker goes with the name of its part; a duct and a water block belong to the cooling.
        own = {"brand"} if section == "entries" else {"duct", "water_block"}
        assert {*keys} <= {*models["gpus" if section == "entries" else section], *own}, section


def test_a_word_means_one_section():
    data = vocabulary()
    words = [w for texts in (*data["sections"].values(), data["unchecked"]) for w in listed(texts)]
    assert sorted(set(words)) == sorted(words)


def compared(schema):
    """A schema without remarks, models by class."""
    if isinstance(schema, list):
        return [compared(one) for one in schema]
    if not isinstance(schema, dict):
        return getattr(schema, "__self__", schema)
    return {k: compared(v) for k, v in schema.items() if k != "metadata" and v not in (False, [])}


def below(model):
    yield model
    for one in model.__subclasses__():
        # A wish is made of its section, and read from no file.
        if "document" not in one.model_fields:
            yield from below(one)


@pytest.mark.parametrize("model", dict.fromkeys(list(below(Strict))[1:]), ids=lambda m: m.__name__)
def test_models_are_read_as_pydantic_would(model) -> None:
    fields = {
        name: (field.annotation, Field(field.default, validation_alias=field.alias))
        for name, field in model.model_fields.items()
    }
    theirs = create_model(model.__name__, **fields).__pydantic_core_schema__["schema"]
    assert compared(schema_of(model)["schema"]) == compared(theirs)


@pytest.mark.parametrize(("line", "hint"), ROWS["listed"])
def test_what_no_check_reads_is_listed_with_where_it_belongs(line, hint, catalog):
    loaded = load(f"gpu: RTX 3090\n{line}".encode(), "build.yaml")
    resolve(loaded, catalog)
    assert [hint in f"{u.key}: {u.hint}" for u in loaded.document.unread] == [True]


def test_errors_fit_a_terminal_and_are_counted(run):
    """In 100 columns, with the place of the mistake shown."""
    many = ", ".join(["RTX 3090"] * 12)
    done = run("validate", "build.yaml", text=f"gpus: [{many}, 99999999, {many}]\nworklod: x\n")
    lines = done.stderr.splitlines()
    assert max(map(len, lines)) <= 100
    marked = next(n for n, line in enumerate(lines) if "^" in line)
    at = lines[marked].index("^")
    assert lines[marked - 1][at : at + 8] == "99999999"
    assert lines[-1] == "2 problems in build.yaml; nothing was done"


def test_long_lists_of_problems_are_capped(run):
    """So are the words of each; how many are left is said."""
    text = "\n".join(f"GPU: Foo {n}7 {'A' * n}" for n in range(120))
    done = run("import", "build.yaml", text=text)
    assert "build.yaml: error: 70 more problems are not shown" in done.stderr
    assert "A" * 60 not in done.stderr
    done = run("validate", "build.yaml", "--format", "json", text=f"gpu: a\nuse: {'B' * 9999}\n")
    assert "B" * 99 in done.stdout
    assert "B" * 999 not in done.stdout

"""Part lists → build files: what is read of them, and that nothing of them is lost."""

import re
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
import yaml
from conftest import THOROUGH, each_of, each_row, table
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from buildcheck.errors import InputError, NameUnknownError
from buildcheck.importers.part_list import quote_text, read_list, to_build
from buildcheck.importers.part_list.cells import columns
from buildcheck.importers.part_list.markup import plain
from buildcheck.load import load
from buildcheck.model.build import SECTION_KIND, Build
from buildcheck.model.money import price_in

LISTS = sorted((Path(__file__).parent / "part_lists").iterdir())
AMOUNT = re.compile(r"line \d+.*?: (?:purchased for )?(-?\d+\.\d\d)\b")


def listed(folder: Path) -> str:
    return next(folder.glob("list.*")).read_text(encoding="utf-8")


def find(kind: str, name: str) -> str:
    """A catalogue that knows every other name, and two parts of some."""
    if len(name) % 2:
        near = [f"{name[:20]} A", "B: # c"]
        raise NameUnknownError(name, near, near if len(name) % 3 == 0 else ())
    return f"{kind}/maker/{len(name)}"


def sorting(kind: str, name: str) -> str:
    """A catalogue of which most names are parts of one kind, and a few of two."""
    number = sum(map(ord, name)) % 20
    kinds = (*SECTION_KIND.values(), *SECTION_KIND.values())[number : number + 1 + number // 18]
    if kind not in (*kinds, "memory-kind"):
        raise NameUnknownError(name, [])
    return f"{kind}/maker/{len(name)}"


def nobody(_kind: str, name: str) -> str:
    """A catalogue without a part."""
    raise NameUnknownError(name, [])


#: Catalogues that know many, most, and no names.
FINDS = (find, sorting, nobody)


def holding(*parts: str):
    """A catalogue of parts given as `kind/name`."""

    def held(kind: str, name: str) -> str:
        if f"{kind}/{name}" in parts or kind == "memory-kind":
            return f"{kind}/maker/{name.lower()}"
        raise NameUnknownError(name, [])

    return held


def only(text: str):
    (row,) = read_list(text).rows
    return row


def build(text: str) -> str:
    return to_build(read_list(text), find).text


def problems(text: str) -> list[str]:
    """What the loader objects to, but for graphics cards that are not there."""
    try:
        found = load(text.encode(), "build.yaml").problems
    except InputError as error:
        found = error.problems
    harmless = ("there are no GPUs", "the file is empty", "a build file needs 'key: value' lines")
    return [str(p) for p in found if not p.message.startswith(harmless)]


@pytest.mark.parametrize("folder", LISTS, ids=lambda p: p.name)
def test_lists_become_build_files(folder, catalog):
    """Their text is held by tests/frozen."""
    made = to_build(read_list(listed(folder)), catalog.find, "a list")
    assert not made.kept
    assert not problems(made.text)
    found = load(made.text.encode(), "build.yaml").build
    assert all(catalog.find("gpu", g.part) for g in found.gpus if "Quokka" not in g.part)
    assert catalog.find("cpu", found.cpu.part)


@pytest.mark.parametrize("folder", LISTS, ids=lambda p: p.name)
def test_prices_add_up_to_the_total_of_the_list(folder):
    parts = read_list(listed(folder))
    paid = sum(r.price.amount * (r.count if r.each else 1) for r in parts.rows if r.price)
    # Taxes and rebates are in the prices.
    extra = sum(t.price.amount for t in parts.totals if t.label == "Shipping")
    assert parts.total is not None
    assert paid + extra == parts.total.price.amount


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("folder", LISTS, ids=lambda p: p.name)
def test_ends_of_lines_and_marks_of_order_change_nothing(folder, end):
    text = listed(folder)
    other = read_list("\ufeff" + text.replace("\n", end))
    assert other.rows == read_list(text).rows
    assert other.totals == read_list(text).totals


def test_identical_cards_are_one_entry_with_all_their_prices():
    text = build("GPU: Card ($1.00 @ A)\nGPU: Card ($2.50 @ B)\nGPU: 3x Card - 4 EUR\n")
    text += build("GPU: Card ($1.00 @ A)\nGPU: Card ($1.00 @ A)\n").replace("gpus:", "more:")
    data = yaml.safe_load(text)
    assert [e["count"] for e in data["more"]] == [2]
    # At other prices they are entries of their own; the price of three may be of one or of all.
    assert [(e.get("count", 1), "price" in e) for e in data["gpus"]] == [
        (1, True),
        (1, True),
        (3, False),
    ]
    assert AMOUNT.findall(text) == ["1.00", "2.50", "4.00", "1.00", "1.00"]


def test_a_machine_has_one_board_and_the_other_is_kept():
    text = build("Motherboard: Oakwood!\nMotherboard: Wood\nCase: Nest\nCase: Nest\n")
    data = yaml.safe_load(text)
    assert data == {"motherboard": {"part": "Oakwood!"}, "case": {"part": "Nest"}}
    assert "# part: Wood" in text.replace('"', "")
    assert "choose by hand: line 2 of the list." in text
    assert "the list has 2 of these" in text


def test_what_is_not_known_names_what_comes_near():
    made = to_build(read_list("GPU: Cards\nCPU: Chip\nFan: Wind\n"), find)
    (left,) = made.unresolved
    assert (left.row.name, left.kind, left.near[1]) == ("Cards", "gpu", "B: # c")
    assert "# one of: Cards A | B: # c" in made.text.replace("#   ", "# ")
    # It stays in force, so that nobody judges a machine without it.
    assert yaml.safe_load(made.text) == {"gpus": [{"part": "Cards"}], "cpu": {"part": "Chip"}}
    assert "Choose by hand before the check: line 1 of the list." in made.text


def test_more_cards_than_are_checked_stay_comments():
    text = build("GPU: 60x Card\nGPU: 60 x Case of cards here\n")
    assert [e["count"] for e in yaml.safe_load(text)["gpus"]] == [60]
    assert not problems(text)


def test_numbers_of_makers_find_what_names_do_not():
    def numbered(kind: str, number: str, name: str) -> str:
        is_it = number == "rb-7xyz" and name.startswith("Acme Works")
        return f"{kind}/acme-works/runner" if is_it else ""

    def by(name: str, text: str) -> str:
        listed = read_list(f"**Video Card** | {text.format(name)}")
        return to_build(listed, nobody, numbered=numbered).text

    for text in (
        "[{}](https://pcpartpicker.com/product/a/a-runner-video-card-rb-7xyz)",
        "[{}](https://shop.example/acme-works-runner-rb-7xyz-a2345.html)",
        "[{}](https://shop.example/item?mpn=rb-7xyz)",
        "{}, MPN: rb-7xyz",
    ):
        assert "\n  - part: gpu/acme-works/runner" in by("Acme Works Runner", text)
        assert "in the list: Video Card | Acme Works Runner" in by("Acme Works Runner", text)
        # The number of another maker's part is none.
        assert "- part: gpu" not in by("Bolt Runner", text)


@pytest.mark.parametrize("known", [True, False])
def test_numbers_of_the_catalogue_are_found_with_the_names_that_agree(known, catalog):
    """The address of any shop says which of the cards with one name it is."""
    link = "https://shop.example/gigabyte-rtx-3090-gv-n3090turbo-24gd-a2371234.html"
    name = "Gigabyte RTX 3090 blower card" if known else "MSI RTX 3090 blower card"
    made = to_build(read_list(f"GPU: [{name}]({link})"), catalog.find, "", catalog.index.numbered)
    assert ("gpu/gigabyte/geforce-rtx-3090-turbo-24g" in made.text) == known


@each_row
def test_prices(text, amount, currency):
    row = only(f"CPU: Some chip ({text} @ A shop)")
    assert row.name == "Some chip"
    assert row.price[:2] == (Decimal(amount), currency)
    assert row.shop == "A shop"


def test_the_address_of_a_list_says_which_dollars():
    text = "https://{}pcpartpicker.com/list/x\nCPU: Chip ($5 @ A)"
    for country, currency in (("", "USD"), ("ca.", "CAD"), ("au.", "AUD"), ("nz.", "NZD")):
        assert only(text.format(country)).price.currency == currency


@each_row
def test_lines(line, section, name, count, price):
    row = only(line)
    assert (row.section, row.name, row.count) == (section, name, count)
    assert (row.price.amount if row.price else None) == (price and Decimal(price))


@each_row
def test_words_around_a_price(text, each, written, shop, note):
    row = only(f"GPU: 2x Card {text}")
    assert (row.each, str(row.price), row.shop, row.note) == (each, written, shop, note)


GERMAN = table("part_list", "german")


def test_sums_say_of_how_many_a_price_is():
    """Amounts without a currency are in the only one of the list."""
    sums = "Zwischensumme: 11.998,70 €\nVersand: 9,99 €\nGesamtsumme: 12.008,69 €\n"
    assert [r.each for r in read_list(GERMAN).rows if r.count > 1] == [None, None]
    rows = read_list(GERMAN + sums).rows
    assert [str(r.price) for r in rows[1::3]] == ["350.00 EUR", "1299.00 EUR"]
    assert [r.each for r in rows if r.count > 1] == [False, False]
    made = yaml.safe_load(to_build(read_list(GERMAN + sums), holding("gpu/Card")).text)
    assert made["gpus"] == [{"part": "Card", "count": 4}]
    (quote,) = made["quotes"]
    assert quote["shipping"] == "9.99 EUR"
    assert {"part": "Card", "count": 4, "price": "2247.50 EUR"} in quote["lines"]


@pytest.mark.parametrize("cell", ["1e9", "-1", "0", "2.5", "many"])
def test_a_quantity_that_is_no_number_of_parts_is_asked_for(cell):
    made, data = made_of(f"Qty,Item,Price\n{cell},Acme 7,5 EUR\n1,Acme P9,5 EUR\n")
    assert data == {"psus": [{"part": "Acme P9", "price": "5.00 EUR"}]}
    assert f"quantity '{cell}'" in made.unresolved[0].row.fault
    assert "# gpus:" in made.text


def test_prices_below_names_belong_to_them():
    rows = read_list("1x Acme 7\nArt.-Nr. 15\nje 5,00 €\nAcme P9\nEUR 399,90\n").rows
    assert [(r.name, str(r.price)) for r in rows] == [
        ("Acme 7", "5.00 EUR"),
        ("Acme P9", "399.90 EUR"),
    ]


@each_of("lists_that_are_quotes")
def test_a_shops_list_is_a_quote(text, terms, lines):
    """Charges, taxes and part numbers stay, and the lines come to the stated sum."""
    parts = read_list(text)
    quote = yaml.safe_load(quote_text(parts, "shop"))
    assert quote.pop("lines") == lines
    assert quote == terms


@each_of("what_headings_are_read_as")
def test_headings_say_what_columns_hold(line, roles):
    assert " ".join(c.role for c in columns(line.split(" | "))) == roles


@each_of("what_a_second_name_is")
def test_a_second_name_is_a_kind_a_number_or_the_name(model, text, section, name, number):
    row = only(f"Item;Description;Price\n{model};{text};5 EUR\n")
    assert (row.section, row.name, row.number) == (section, name, number)


@each_row
def test_outlets_are_of_the_site(text, outlet):
    assert made_of(text)[1].get("site") == outlet


def test_a_sum_that_the_lines_do_not_come_to_is_said():
    listed = "GPU: Acme 7 x2 @ $10.50 = $21.00\nPSU: Acme P9 - $5\nShipping: $2\nTotal: $%s\n"
    for total, is_said in (("26", False), ("28", False), ("27", True)):
        made = to_build(read_list(listed % total), nobody)
        assert bool(made.mismatch) is is_said


@each_row
def test_what_is_no_list_has_no_rows(text):
    assert not read_list(text).rows


def test_rebates_taxes_and_shipping_are_no_parts():
    parts = read_list("Shipping: $5\n| | Mail-in rebates | -$20.00\nTax | $1\n**Total** | **$9**\n")
    assert not parts.rows
    found = {t.label: (t.price.amount, t.kind) for t in parts.totals}
    kinds = {"Shipping": (5, "shipping"), "Mail-in rebates": (-20, "discount"), "Tax": (1, "tax")}
    assert found == kinds | {"Total": (9, "sum")}


ACME = holding("psu/Acme P9", "motherboard/Acme B1", "cpu/Twin 2", "case/Twin 2", "gpu/Acme 7")


def made_of(text: str, known=ACME):
    made = to_build(read_list(text), known)
    assert not problems(made.text)
    return made, yaml.safe_load(made.text) or {}


@each_row
def test_what_one_kind_knows_is_an_entry(line, section, value):
    made, data = made_of(line)
    assert data == {section: value}
    assert "section found by the name" in made.text
    assert not made.kept
    assert not made.unresolved
    assert words_of(line) <= words_of(made.text)


@each_of("servers")
def test_a_name_of_board_and_case_is_a_server(name):
    """Its price is in a quote, as a build file has but the name of a server."""
    text = f"{name} - $5\n5 Jahre Garantie, NBD - $2\n"
    made, data = made_of(text, holding("motherboard/Acme S4", "case/Acme S4"))
    assert (data["server"], made.unresolved) == (name, [])
    assert data["quotes"][0]["lines"][0] == {"part": name, "price": "5.00 USD"}


def test_what_several_kinds_know_is_to_be_chosen():
    made, data = made_of("Custom: Twin 2\n")
    (left,) = made.unresolved
    assert not {*data} - {"notes"}
    assert left.kinds == ("cpu", "case")
    assert left.near == ("cpu: cpu/maker/twin 2", "case: case/maker/twin 2")
    assert "cpu: cpu/maker/twin 2" in made.text
    assert "Not in this build yet, choose by hand: line 1 of the list." in made.text
    made, _ = made_of("Twin 2\n")
    assert not made.kept
    assert made.unresolved[0].kinds == ("cpu", "case")


@each_row
def test_sentences_are_no_parts(line):
    made, data = made_of(line)
    assert not {*data} - {"notes"}
    assert len(made.kept) == 1


def test_parts_that_decide_are_told_of():
    text = "Custom: Foo 1800W Titanium\nCustom: Foo sTRX4 E-ATX\nCustom: Sticker\n"
    made, data = made_of(text + "Monitor: Foo 80+ 27 W\nMy power supply will give 1125 W\n")
    assert ({*data} - {"notes"}, [line.line for line in made.unread]) == (set(), [5])
    assert [(u.row.line, u.kind) for u in made.unresolved] == [(1, "psu"), (2, "motherboard")]
    assert "choose by hand: lines 1, 2 of the list." in made.text


@each_of("what_memory_is_by_its_name")
def test_memory_is_what_its_name_says(name, facts):
    made, data = made_of(f"Memory: {name}\n")
    (entry,) = data.get("memory", [None])
    if facts is None:
        assert entry is None
        assert made.unresolved
        return
    if isinstance(facts, list):
        module, modules, kind = facts
        facts = {"module": f"{module} GB", "type": kind}
        assert entry.get("count", 1) * entry.get("kit_modules", 1) == modules
    assert facts.items() <= entry.items()
    assert [row.line for row in made.by_text] == [1]
    assert words_of(name) <= words_of(made.text)


@each_row
def test_what_whole_lists_say(text, data, catalog):
    """What a list says of risers, limits, drives and servers is under their keys."""
    index = catalog.index
    own = (index.find, "list.txt", index.numbered, index.kind_of_series, index.has_word)
    found = yaml.safe_load(made := to_build(read_list(text), *own).text)
    assert {name: found.get(name) for name in data} == data
    assert not problems(made)


@each_row
def test_titles_are_names(text, title):
    made, data = made_of(text, find)
    assert data.get("name") == title
    assert words_of(text) <= words_of(made.text)


ODD = (
    *("# }} {{ x", '\'; - "a": {b}', "a: b # c", "null", "~ a", "!!python/object:os.system x"),
    *("Card\u202egnp.exe", "Card\u2028gpus: 9x Evil", "Card\x85gpus: 9x Evil", "Kard\ud800 x"),
    *("Card\x00\x1b[31m red", "Card\ufeff\u200b x", "C\u00a0a\u3000r\u2003d", "🂡 card"),
    *("a" * 500, "b " * 150),
)


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("section", ["GPU", "CPU", "Monitor", "Custom"])
def test_names_stay_in_their_place(section, name):
    for text in (f"{section}: {name}", f"{section}: {name}x", f"{section} | {name} | $5 @ {name}"):
        made = to_build(read_list(text), find, origin=name)
        made.text.encode()
        data = yaml.safe_load(made.text) or {}
        assert set(data) <= {"gpus", "cpu", "quotes"}
        assert len(data.get("gpus", ())) <= 1
        assert not problems(made.text)
        assert all(line.isprintable() for line in made.text.split("\n"))
        assert "\u202e" not in made.text


HUGE = table("part_list", "huge")


@pytest.mark.parametrize("piece", HUGE)
def test_large_texts_take_no_longer_than_they_are(piece):
    spent = []
    for size in (4_000, 32_000):
        start = time.process_time()
        made = to_build(read_list(piece * (size // len(piece))), find)
        spent.append(time.process_time() - start)
    # Eight times as much text takes eight times as long, and not sixty-four times.
    assert spent[1] < 18 * spent[0] + 0.05
    assert yaml.safe_load(made.text[:10_000].rpartition("\n")[0]) is None or "gpus" in made.text


@each_row
def test_no_more_is_asked_than_any_machine_has(line, left):
    asked = set()

    def counting(_kind: str, name: str) -> str:
        asked.add(name)
        raise NameUnknownError(name, [])

    made = to_build(read_list("".join(line.format(i) for i in range(900))), counting)
    assert len(asked) <= 100
    assert len(getattr(made, left)) == 900
    assert all(f"X{i}" in made.text for i in range(900))


thorough = settings(
    max_examples=40 * THOROUGH,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
#: Each line is of a shape, with one each of words, names and costs.
lines = st.builds(str.format, *map(st.sampled_from, table("part_list", "drawn").values()))
lists = st.lists(lines, max_size=12).map("\n".join)
texts = st.text(st.sampled_from("<>[]()|:;,.$€ \n\tabCPU12-*#\"'&/\\{}\x00\x85\u2028\u202e!%@`~x×"))


def words_of(text: str) -> set[str]:
    """What a text says, without markup, numbers of prices, and words around them."""
    shown = " ; ".join(plain(line)[0] for line in text.splitlines())
    price = price_in(shown)
    while price:
        shown = shown[: price.start] + " " + shown[price.end :]
        price = price_in(shown)
    words = {w.casefold() for w in re.findall(r"[^\W_]+", shown)}
    return {w for w in words if not re.fullmatch(r"\d+|x\d*|\d+x", w)}


@pytest.mark.parametrize("known", FINDS)
@thorough
@given(text=lists)
@example(text="CPU\nfoo\nfoo\n$5\nShop\nBuy")
@example(text="Type|Item|Price\nCPU|A|$5|more|cells")
@example(text="2x Acme 3090 (used) from eBay - $5 @ Shop")
@example(text="# My rig\n8x 32 GB DDR4 RDIMM, used\n8x 32 GB DDR4 RDIMM\nGPU\n# Type:")
def test_nothing_of_a_list_is_lost(text, known):
    parts = read_list(text)
    whole = to_build(parts, known)
    made = whole.text
    assert words_of(text) <= words_of(made)
    assert all(link in made for link in re.findall(r"https://[^)\s]+", text))
    rows = [*parts.rows, *(g for g in parts.guesses if (g.line, g.raw) not in whole.kept)]
    prices = [r.price for r in rows if r.price] + [t.price for t in parts.totals]
    listed = Counter(f"{p.amount:.2f}" for p in prices)
    # The total stands at the top as well.
    assert not listed - Counter(AMOUNT.findall(made))
    paid = sum(r.price.amount for r in rows if r.price)
    sums = made.partition("# Sums of the list:")[0]
    assert sum(map(Decimal, AMOUNT.findall(sums))) == paid


@pytest.mark.parametrize("known", FINDS)
@thorough
@given(text=st.one_of(lists, texts, st.text()))
@example(text="[url=x][/url]<tr><td>GPU</td><!-- x -->")
@example(text="Case,(x3) Acme Z9, refurbished,")
@example(text="GPU\nRTX 3090\n\n- 8 x 32 GB DDR4 ECC RDIMM 7")
def test_what_is_made_is_a_build_file(text, known):
    made = to_build(parts := read_list(text), known)
    for item in (*parts.rows, *parts.totals, *parts.notes, *parts.kept):
        assert 1 <= item.line <= len(re.split(r"\r\n|\r|\n", text))
    known_keys = {*Build.model_fields, "server", "machines", "notes"}
    assert set(yaml.safe_load(made.text) or ()) <= known_keys
    assert not problems(made.text)
    assert made.text.count("\n") < 40 + 12 * len(text.splitlines()) * 3


@each_row
def test_a_count_in_whatever_form_is_kept(words):
    """One card in the place of four is a machine that passes and fails."""
    assert yaml.safe_load(build(f"GPU: {words}\n"))["gpus"] == [{"part": "Card", "count": 4}]

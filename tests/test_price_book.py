"""Prices of parts: those that come with the program, how they got in, and a user's own."""

import datetime
import gzip
import json
import re
import statistics
from decimal import Decimal

import pytest
from cases import holds
from conftest import each_of, each_row, problems_in, table

from buildcheck.errors import CatalogError
from buildcheck.importers.open_data.prices import import_prices
from buildcheck.load.price_list import price_book
from buildcheck.model.source import read
from buildcheck.store import data_folder

FOLDER = data_folder("parts_db") / "prices"
SHIPPED = FOLDER / "us-2025-07-23.jsonl"
COLLECTED = FOLDER / "us-collected.jsonl"
CARD = "gpu/gigabyte/geforce-rtx-3090-turbo-24g"
CHIP = "gpu/nvidia/rtx-3090"
SUPPLY = "psu/corsair/ax1600i"
#: Records as the source writes them, of parts that are in the catalogue.
SOUND = table("price_book", "sound")


@pytest.fixture
def imported(tmp_path, catalog):
    """Imports records: gives the rows without the head, and the counts."""

    def make(*records):
        copy = tmp_path / "copy.jsonl"
        copy.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        counted = import_prices(copy, tmp_path / "prices", catalog)
        (path,) = (tmp_path / "prices").iterdir()
        head, *rows = path.read_text(encoding="utf-8").splitlines()
        assert json.loads(head)["currency"] == "USD"
        return [json.loads(row) for row in rows], counted

    return make


@pytest.fixture
def listed(tmp_path, catalog):
    """A book of a price list, over few shipped prices."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    head = {"as_of": "2025-07-23", "currency": "USD", "source": {"title": "a portal"}}
    rows = [[CARD, "899.00", "Gigabyte TURBO", 1], [SUPPLY, "609.99", "AX1600i", 2, "far off"]]
    text = "\n".join(map(json.dumps, [head, *rows]))
    (folder / "us.jsonl").write_text(text + "\n", encoding="utf-8")

    def make(*texts, **more):
        paths = [tmp_path / f"{number}.yaml" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8")
        return price_book(catalog, paths, folder=folder, **more)

    return make


@each_of("imported")
def test_what_is_imported(case, imported):
    """A part that is found and confirmed; a wrong price is worse than none."""
    rows, counted = imported(*(SOUND.get(one.pop("as", ""), {}) | one for one in case["from"]))
    assert [row[0] for row in rows] == case["parts"]
    holds({"rows": rows, "counted": counted}, case)


def test_a_copy_that_is_none_is_said(tmp_path, catalog):
    copy = tmp_path / "copy.jsonl"
    for text in ("", "no json", '{"category": "cpu", "name": "x", "price_usd": "12"}'):
        copy.write_text(text, encoding="utf-8")
        with pytest.raises(CatalogError):
            import_prices(copy, tmp_path / "prices", catalog)
    assert not (tmp_path / "prices").exists()


def test_a_packed_copy_is_read(tmp_path, catalog):
    copy = tmp_path / "copy.jsonl.gz"
    copy.write_bytes(gzip.compress(json.dumps(SOUND["ax1600i"]).encode()))
    assert import_prices(copy, tmp_path / "prices", catalog)["psu"].written == 1


@each_of("books")
def test_what_a_part_costs(case, listed):
    """By lists, the last on top, and by what is given; as the shipped list has it else."""
    book = listed(*case.get("lists", ()), given=case.get("given"))
    holds({"card": book.of(CARD), "psu": book.of(SUPPLY)}, case)


@each_row
def test_what_is_no_price_list_is_said(text, listed):
    assert problems_in(listed, text)


def test_prices_of_one_list_have_places_and_days_of_their_own(catalog, tmp_path):
    """Of two of a part that of the later day stands, whatever the files are called."""
    (folder := tmp_path / "shipped").mkdir()
    for name, lines in table("price_book", "two_lists").items():
        text = "\n".join(map(json.dumps, lines))
        (folder / name).write_text(text + "\n", encoding="utf-8")
    book = price_book(catalog, folder=folder)
    found = [book.of(part) for part in (CARD, SUPPLY)]
    assert [(one.amount, one.as_of.isoformat(), one.source) for one in found] == [
        (1200, "2026-07-14", "a shop"),
        (Decimal("609.99"), "2025-07-23", "a portal"),
    ]


def test_a_chip_prices_its_cards_but_for_those_with_a_price_of_their_own(listed):
    book = listed(f"prices:\n  RTX 3090: 750 USD\n  {CARD}: 700 USD\n")
    assert book.of(CHIP).amount == 750
    assert book.of(CARD).amount == 700
    cards = [i for i in book.ids("gpu") if i not in (CARD, CHIP)]
    assert len(cards) > 30
    assert {book.of(i).amount for i in cards} == {750}
    assert book.of("gpu/nvidia/rtx-3080") is None


def test_what_is_given_has_its_place_in_its_document(listed):
    wish = read(b"gpus: 4\nprices:\n  AX1600i: 3 USD\n", "wish.yaml")
    book = listed(given=wish.data["prices"], document=wish)
    assert book.of(SUPPLY).source == "wish.yaml:3"


def test_without_the_folder_there_are_no_prices(catalog, tmp_path):
    book = price_book(catalog, folder=tmp_path / "gone")
    assert book.of(SUPPLY) is None
    assert book.ids("psu") == []
    assert book.digest == ""


def test_the_digest_tells_prices_apart(listed):
    texts = (), ("prices: {AX1600i: 1 USD}",), ("prices: {AX1600i: 2 USD}",)
    assert len({listed(*text).digest for text in texts}) == 3
    assert listed(*texts[1]).digest == listed(*texts[1]).digest


def test_everything_wrong_is_said_at_once(listed, tmp_path):
    text, wanted = table("price_book", "all_wrong").values()
    found = problems_in(listed, text, given={"AX1600i": "-1 USD"})
    in_list = (p for p in found if p.path == str(tmp_path / "0.yaml"))
    assert [[p.line, p.message.partition(", which")[0]] for p in in_list] == wanted
    assert "AX1600i" in next(p for p in found if p.line == 3).advice
    assert str(found[0]) == "--price: 'AX1600i' cannot be negative."


def test_what_is_no_file_is_said(catalog, tmp_path):
    found = problems_in(price_book, catalog, [tmp_path, tmp_path / "none.yaml"])
    assert [p.message for p in found] == ["this is no file", "there is no such file"]


def rows_of(path):
    """The head of a shipped list, and its rows."""
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    return json.loads(head), [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def rows():
    """The rows of the prices of one portal, without the head."""
    return rows_of(SHIPPED)[1]


@pytest.mark.parametrize("path", [SHIPPED, COLLECTED])
def test_every_row_is_of_a_part_and_in_order(path, catalog):
    ids = [row[0] for row in rows_of(path)[1]]
    assert ids == sorted(set(ids))
    assert len(ids) > (6500 if path == SHIPPED else 30)
    assert not [i for i in ids if not catalog.has(i)]
    assert not [i for i in ids if i.split("/")[1] == "generic"]


@pytest.mark.parametrize("path", [SHIPPED, COLLECTED])
def test_amounts_are_money(path):
    for _, amount, name, records, *more in rows_of(path)[1]:
        assert Decimal(amount) > 0
        assert amount == f"{Decimal(amount):.2f}"
        assert name
        assert records >= 1
        assert len(more) <= (1 if path == SHIPPED else 3)


def test_collected_prices_have_a_day_and_a_source_that_the_head_names():
    head, rows = rows_of(COLLECTED)
    assert {row[5] for row in rows} == set(head["sources"])
    for one in head["sources"].values():
        assert one.keys() == {"title", "url", "confidence", "read"}
        assert one["url"].startswith("https://")
    read = datetime.date.fromisoformat(max(one["read"] for one in head["sources"].values()))
    for row in rows:
        assert datetime.date(2017, 1, 1) < datetime.date.fromisoformat(row[6]) <= read


@each_row
def test_facts_are_those_of_the_names(kind, fact, pattern, rows, catalog):
    seen = 0
    for part_id, _, name, *_ in rows:
        found = re.search(pattern, name) if part_id.startswith(f"{kind}/") else None
        known = catalog.part(part_id).facts.get(fact) if found else None
        if known:
            assert known.value.low <= float(found[1]) <= known.value.high, (part_id, name)
            seen += 1
    assert seen > 400


def test_no_shipped_price_of_a_card_is_implausible_and_unmarked(catalog) -> None:
    """Of three cards and more with one chip none is three times the middle, or a third, unmarked.

    Lists of several places stand beside each other here, which their making does not see.
    """
    book = price_book(catalog)
    odd = []
    for chip, cards in book.by_chip().items():
        listed = [one for one in map(book.of, cards) if one]
        middle = statistics.median(one.amount for one in listed)
        far = [one for one in listed if not middle / 3 < one.amount < middle * 3]
        odd += [f"{chip}: {one.amount}, not {middle}" for one in far if not one.doubt]
    assert odd == []

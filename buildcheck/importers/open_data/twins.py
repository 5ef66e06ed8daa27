"""Records of one part → one row: twins, other colours, and what is left where they differ."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from networkx.utils import UnionFind

from buildcheck.importers.open_data import rows as n
from buildcheck.importers.open_data.rows import TABLES, Counts, OpenPart, pattern
from buildcheck.model.graph import by_key
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.names import said, words

_SIZES: dict[str, Any] = TABLES["sizes"]
#: Words that names are compared without, though models differ by them.
_APART = pattern(TABLES["names"]["apart"])
_COLOURS = pattern(TABLES["names"]["colours"])


def joined(items: list[OpenPart], table: dict[str, Any], counts: Counts) -> list[OpenPart]:
    """One item for all records of a part: equal names, then the same part in other colours.

    What else they have in common, whether they come in colours, and whether a word more is always
    another part, is in the table of a recipe.

    Records that share a part number but not the name stay apart, for numbers are often given
    to a neighbour of the part. If one name could be short for the other, what they contradict
    each other in is left out of both.
    """
    items = sorted(items, key=lambda item: (item.key, item.names))
    kind, result = table["kind"], list[OpenPart]()
    for group in _groups(items, lambda item: _twin_keys(item, _identity(item, table))):
        agreed = group if table.get("strict") else _reconciled(group, kind, counts)
        alike = _groups(agreed, lambda item: [words(item.names[0]), _spoken(item, kind)])
        result += [_one(same, kind, counts) for same in alike]
    if table.get("colours", True):
        plain = _groups(result, lambda item: [(_colourless(item, kind), _identity(item, table))])
        result = [_one(same, kind, counts) for same in plain]
    counts.merged += len(items) - len(result)
    return result


def _identity(item: OpenPart, table: dict[str, Any]) -> Hashable:
    """What records of one part have in common whatever they are called."""
    maker = item.maker.lower() if table.get("maker") else ""
    return (maker, *(item.facts.get(name) for name in table["same"]))


def _twin_keys(item: OpenPart, identity: Hashable) -> list[Hashable]:
    keys: list[Hashable] = [(words(item.names[0]), identity)]
    maker = item.maker.lower()
    keys += [(maker, n.squeezed(number), identity) for number in item.part_numbers]
    return keys


def _colourless(item: OpenPart, kind: str) -> Hashable:
    """A part but for its colour and for what shops add to names, unless models differ by it."""
    name = item.names[0]
    what = said(kind, _COLOURS.sub(" ", name))
    return item.maker.lower(), what.stem, what.measured, _apart(name), _letters(name, kind)


def _apart(name: str) -> tuple[str, ...]:
    return tuple(sorted({word.lower() for word in _APART.findall(name)}))


def _letters(name: str, kind: str) -> tuple[str, ...]:
    """The single letters of a board's name: `B550M` and `B550M-B` have the same words."""
    if kind != "motherboard":
        return ()
    return tuple(sorted(word for word in words(name) if len(word) == 1 and word.isalpha()))


def _spoken(item: OpenPart, kind: str) -> tuple[frozenset[str], str, tuple[str, ...]]:
    """What tells a name from others: its words without those shops add, and memory's latency."""
    name = item.names[0]
    what = said(kind, name)
    latency = dict(what.measured).get("latency", "")
    more = _apart(name) if kind == "case" else _letters(name, kind)
    return frozenset(what.stem.split()), latency, more


def _without_numbers(item: OpenPart, kind: str) -> frozenset[str]:
    """The words of a name; of a GPU's, which is often a part number, without that number."""
    stem, *_ = _spoken(item, kind)
    numbers = [number for number in item.part_numbers if kind == "gpu" and " " not in number]
    return stem - {word for number in numbers for word in words(number)}


def _reconciled(group: list[OpenPart], kind: str, counts: Counts) -> list[OpenPart]:
    """The items without values that a relative under another name contradicts."""
    named = [(item, _spoken(item, kind), _without_numbers(item, kind)) for item in group]
    result = []
    for item, what, stem in named:
        others = [o for o, that, its in named if that != what and (its <= stem or stem <= its)]
        facts = {}
        for name, value in item.facts.items():
            agreed = _agreed([item, *others], name)
            if agreed is None or _joint([value, agreed], name) is None:
                counts.gated[f"{name}: contradicted under the same part number"] += 1
            else:
                facts[name] = value
        result.append(replace(item, facts=facts))
    return result


def _groups(
    items: list[OpenPart], keys: Callable[[OpenPart], list[Hashable]]
) -> list[list[OpenPart]]:
    """Items that share a key, directly or through others, in order."""
    alike: UnionFind[int] = UnionFind(range(len(items)))
    first: dict[Hashable, int] = {}
    for i, item in enumerate(items):
        for key in keys(item):
            alike.union(first.setdefault(key, i), i)
    return list(by_key((alike[i], item) for i, item in enumerate(items)).values())


def _one(group: list[OpenPart], kind: str, counts: Counts) -> OpenPart:
    """The merged item of a group."""
    if len(group) == 1:
        return group[0]
    facts = {}
    for name in dict.fromkeys(name for item in group for name in item.facts):
        value = _agreed(group, name)
        if value is None:
            counts.gated[f"{name}: twin records disagree"] += 1
        else:
            facts[name] = value
    # The name shown first is that of no colour, if there is one.
    names = sorted(
        n.distinct(name for item in group for name in item.names),
        key=lambda name: bool(said(kind, name).colours),
    )
    return OpenPart(
        key=group[0].key,
        names=names[: _SIZES["aliases"] + 1],
        maker=group[0].maker,
        part_numbers=n.distinct_numbers(p for item in group for p in item.part_numbers),
        facts=facts,
        checked=any(item.checked for item in group),
    )


def _agreed(group: list[OpenPart], name: str) -> Any:
    """The value all give, those whose record a person checked before the others; else `None`."""
    having = [item for item in group if name in item.facts]
    having = [item for item in having if item.checked] or having
    return _joint([item.facts[name] for item in having], name)


def _joint(values: list[Any], name: str) -> Any:
    """One value for several that do not contradict each other; else `None`."""
    if all(value == values[0] for value in values):
        return values[0]
    if all(isinstance(value, str) and value.endswith(" mm") for value in values):
        return hull([end for value in values for end in _ends(value)])
    if name == "thickness":
        return thickness(values)
    return outputs(values) if name == "plugs" else None


def _ends(value: str) -> list[float]:
    """The numbers of a quantity: both ends of a range, or the one it is."""
    return [float(end) for end in value.partition(" ")[0].split("..")]


def hull(lengths: list[float], unit: str = "mm", most: float = _SIZES["same_length"]) -> str | None:
    """One length measured several times, as a range; `None` if they are too far apart.

    >>> hull([139, 140]), hull([160, 180])
    ('139..140 mm', None)
    """
    low, high = min(lengths), max(lengths)
    if high - low > most:
        return None
    return f"{low:g}..{high:g} {unit}" if low < high else f"{low:g} {unit}"


def thickness(values: list[str]) -> str | None:
    """One thickness for several: rounded ones give way to what lies in them.

    >>> thickness(["2.5..3 slots", "2.7 slots"]), thickness(["2 slots", "2.05 slots"])
    ('2.7 slots', '2..2.05 slots')
    >>> thickness(["2 slots", "2.5..3 slots"])
    """
    ends = [_ends(value) for value in values]
    exact = [end for each in ends for end in each if each[-1] - each[0] <= _SIZES["same_slots"]]
    rounded = [each for each in ends if each[-1] - each[0] > _SIZES["same_slots"]]
    if not exact or any(not low <= e <= high for low, high in rounded for e in exact):
        return None
    return hull(exact, "slots", _SIZES["same_slots"])


def outputs(values: list[dict[str, Any]]) -> dict[str, int | str] | None:
    """One set of plugs for several that differ in what no card or board needs.

    >>> outputs([{"eps-8-pin": 2, "sata": 8}, {"eps-8-pin": 2, "sata": 10}])
    {'eps-8-pin': 2, 'sata': '8..10'}
    >>> outputs([{"eps-8-pin": 2}, {"eps-8-pin": 1}])
    """
    known = vocabulary("opendb")["tables"]
    result: dict[str, int | str] = {}
    for plug in dict.fromkeys(plug for value in values for plug in value):
        given = {value.get(plug, 0) for value in values}
        counted = {count for count in given if count != known["uncounted"].get(plug)} or given
        if len(counted) > 1 and plug not in known["drives"]:
            return None
        ends = [int(end) for count in counted for end in str(count).split("..")]
        low, high = min(ends), max(ends)
        result[plug] = low if low == high else f"{low}..{high}"
    return {plug: count for plug, count in result.items() if count}

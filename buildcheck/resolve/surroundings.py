"""What is around the parts: the wall circuit, the work, the network, and the standards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.model.graph import Subject
from buildcheck.model.part import USER, Source, Sourced
from buildcheck.model.quantity import ZERO, Interval, number_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.model.build import Build
    from buildcheck.resolve.naming import Naming

#: Power every machine draws for things nobody lists.
ALWAYS = ("case fans", "peripherals")
_PLUGS = ("plugs", "slot_power_plugs", "cable", "connector", "feed", "inputs", "output")
_ADAPTERS = ("adapter", "bundled_adapter")
_ASSUMED = Source("default of this program", "", "assumption")


def surroundings(build: Build, naming: Naming) -> Iterator[Subject]:
    """Circuit, workload, network, cooling, firmware: from the build file, or by default."""
    yield _circuit(build, naming)
    work = naming.given(build.workload, ("workload",)) if build.workload else {}
    if "kind" not in work:
        default = naming.catalog.part(naming.catalog.find("workload-kind", "training"))
        kind = Sourced("training", _ASSUMED, "assumption", "", "no kind of work is stated")
        work = {**default.facts, "kind": kind, **work}
    yield Subject("workload", "workload", "workload", work, ("workload",), bool(build.workload))
    for name, section in (
        ("network", build.network),
        ("cooling", build.cooling),
        ("firmware", build.firmware),
        ("cost", build.cost),
    ):
        facts = naming.given(section, (name,)) if section else {}
        yield Subject(name, name, name, facts, (name,), bool(section))


def _circuit(build: Build, naming: Naming) -> Subject:
    facts = naming.given(build.site, ("site",)) if build.site else {}
    own = {n for n, f in facts.items() if f.source is USER}
    if "outlet" in own:
        _agree(facts, naming)
        facts = _by_its_name(facts, naming)
    if own & {"voltage", "breaker"} and "outlet" not in own:
        # Not the country's usual outlet, so its advice for hours does not hold either.
        facts = {n: f for n, f in facts.items() if n in own or not n.startswith("continuous")}
    if {"voltage", "breaker"} <= set(facts) and "continuous_current" not in facts:
        facts = _like_outlets(facts, naming)
    nothing = Sourced(ZERO, _ASSUMED, "assumption", "", "nothing else on the circuit is stated")
    facts = {"other_load": nothing, **facts}
    return Subject("site", "circuit", "wall circuit", facts, ("site",), "voltage" in facts)


def _agree(facts: dict[str, Sourced], naming: Naming) -> None:
    """What is given beside a named outlet must be able to stand behind it."""
    outlet = naming.catalog.part(naming.catalog.find("outlet", facts["outlet"].value))
    for name, unit in (("voltage", "V"), ("breaker", "A")):
        rated, given = outlet.facts.get(name), facts.get(name)
        if rated is None or given is None or given.source is not USER:
            continue
        # A smaller breaker may stand behind an outlet, a larger one does not enlarge it.
        if given.value.high > rated.value.high or (
            name == "voltage" and given.value != rated.value
        ):
            shown = f"{number_text(rated.value.high)} {unit}"
            message = f"{outlet.name} is rated {shown}, and another {name} is given"
            advice = f"Leave '{name}' out, or name the outlet that is there"
            naming.complain(("site", name), message, advice)


def _by_its_name(facts: dict[str, Sourced], naming: Naming) -> dict[str, Sourced]:
    """The country's outlets, that of the build file among them as it is written there."""
    local, named = facts.get("outlets"), facts["outlet"].value
    if local is None:
        return facts
    find = naming.catalog.find
    if find("outlet", named) not in {find("outlet", name) for name in local.value}:
        return facts
    return {**facts, "outlets": local._replace(value=local.value | {named})}


def _like_outlets(facts: dict[str, Sourced], naming: Naming) -> dict[str, Sourced]:
    """What all known outlets of the given voltage and breaker agree on.

    Where there are none, or they do not agree, what the circuit carries for hours is a range.
    """
    outlets = [naming.catalog.part(i).facts for i in naming.catalog.ids("outlet")]
    rating = ("voltage", "breaker")
    alike = [o for o in outlets if all(n in o and o[n].value == facts[n].value for n in rating)]
    result = dict(facts)
    for name in ("continuous_current", "continuous_is_code"):
        found = [o[name] for o in alike if name in o]
        if found and len(found) == len(alike) and all(f.value == found[0].value for f in found):
            result[name] = found[0]
    if "continuous_current" not in result:
        advised = _advised(facts, [o for o in outlets if {*rating, "continuous_current"} <= set(o)])
        if advised is not None:
            note = "anything that is advised of known outlets, for their own rating or for this one"
            result["continuous_current"] = Sourced(advised, _ASSUMED, "assumption", "", note)
    return result


def _advised(facts: dict[str, Sourced], outlets: list[dict[str, Sourced]]) -> Interval | None:
    """What may be advised for hours of a circuit whose outlet nobody names.

    Each known outlet advises a share of its rating, and behind the breaker there may be an outlet
    of a smaller one: the next smaller of that voltage that is known.
    """
    breaker, voltage = facts["breaker"].value, facts["voltage"].value
    shares = [o["continuous_current"].value / o["breaker"].value for o in outlets]
    found = [share * breaker for share in shares]
    smaller = [
        o
        for o in outlets
        if o["voltage"].value == voltage and o["breaker"].value.high <= breaker.low
    ]
    largest = max((o["breaker"].value.high for o in smaller), default=0.0)
    found += [o["continuous_current"].value for o in smaller if o["breaker"].value.high == largest]
    if not found:
        return None
    return Interval(min(f.low for f in found), max(f.high for f in found))


def helpers(subjects: dict[str, Subject], naming: Naming) -> Iterator[Subject]:
    """Standards, what is always booked, and the adapters and connectors in use."""
    standard: dict[str, Sourced] = {}
    for part_id in naming.catalog.ids("standard"):
        standard |= naming.catalog.part(part_id).facts
    yield Subject("standard", "standard", "standards", standard)
    for name in ALWAYS:
        facts = naming.catalog.part(naming.catalog.find("allowance", name)).facts
        yield Subject(f"allowance:{name}", "allowance", name, facts, listed=False)
    adapters = {s.id: s for s in _adapters(subjects, naming)}
    yield from adapters.values()
    yield from _connectors({**subjects, **adapters}, naming)


def _adapters(subjects: dict[str, Subject], naming: Naming) -> Iterator[Subject]:
    for name in dict.fromkeys(s.value(f) for s in subjects.values() for f in _ADAPTERS):
        if name:
            part = naming.catalog.part(naming.catalog.find("adapter", name))
            yield Subject(f"adapter:{name}", "adapter", part.name, part.facts, listed=False)


def _connectors(subjects: dict[str, Subject], naming: Naming) -> Iterator[Subject]:
    """Every connector in use; those the build file misspells are problems already."""
    codes: set[str] = set()
    for subject in subjects.values():
        for fact in _PLUGS:
            value = subject.value(fact) or ()
            codes |= {value} if isinstance(value, str) else set(value)
    known = {i.rpartition("/")[2]: i for i in naming.catalog.ids("connector")}
    for code in sorted(codes & set(known)):
        facts = naming.catalog.part(known[code]).facts
        yield Subject(f"connector:{code}", "connector", code, facts, listed=False)

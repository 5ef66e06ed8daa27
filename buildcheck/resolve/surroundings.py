"""What is around the parts: the wall circuit, the work, the network, and the standards."""

from collections.abc import Iterator

from buildcheck.catalog import Catalog
from buildcheck.catalog.typical import TYPICAL
from buildcheck.model.build import SECTIONS, Build
from buildcheck.model.graph import Subject
from buildcheck.model.part import Source, Sourced
from buildcheck.resolve.circuit import OURS, circuit, standards
from buildcheck.resolve.naming import Naming

#: Power every machine draws for things nobody lists.
ALWAYS = ("case fans", "peripherals")
_PLUGS = {"plugs", "slot_power_plugs", "cable", "connector", "feed", "inputs", "output"}
_ADAPTERS = ("adapter", "bundled_adapter")


def surroundings(build: Build, naming: Naming) -> Iterator[Subject]:
    """Circuit, workload, network, cooling, firmware: from the build file, or by default."""
    yield circuit(build, naming)
    work = naming.given(build.workload, ("workload",)) if build.workload else {}
    if "kind" not in work:
        rows = naming.catalog.ranges.rows("use")
        use = next(row for row in rows if work.keys() >= {*row["given"]})
        default = naming.catalog.part(naming.catalog.find("workload-kind", use["value"]))
        kind = Sourced(use["value"], OURS, "method", "", use["says"])
        work = {**default.facts, "kind": kind, **work}
    work = _with_usual(work, naming)
    yield Subject("workload", "workload", "workload", work, ("workload",), bool(build.workload))
    for name, section in (
        ("network", build.network),
        ("cooling", build.cooling),
        ("firmware", build.firmware),
        ("cost", build.cost),
    ):
        facts = naming.given(section, (name,)) if section else {}
        yield Subject(name, name, name, facts, (name,), bool(section))


def _with_usual(work: dict[str, Sourced], naming: Naming) -> dict[str, Sourced]:
    """Work on a model of a stated size, with what is usual of such work where it is not stated."""
    own = {n: f.value for n, f in work.items()}
    for row in naming.catalog.ranges.rows("work") if "parameters" in own else ():
        is_stated = own.keys() & {name := row["field"], *row.get("unless", ())}
        if not is_stated and all(own.get(n) in codes for n, codes in row["given"].items()):
            value = getattr(SECTIONS["workload"].model_validate({name: row["value"]}), name)
            source = Source(row["says"], row["url"], TYPICAL)
            work, own[name] = {**work, name: Sourced(value, source, TYPICAL, "")}, value
    return naming.catalog.fill(SECTIONS["workload"], work)


def helpers(subjects: dict[str, Subject], catalog: Catalog) -> Iterator[Subject]:
    """Standards, what is always booked, and the adapters and connectors in use."""
    yield Subject("standard", "standard", "standards", standards(catalog))
    for name in ALWAYS:
        facts = catalog.part(catalog.find("allowance", name)).facts
        yield Subject(f"allowance:{name}", "allowance", name, facts, listed=False)
    yield from fittings(subjects, catalog)


def fittings(subjects: dict[str, Subject], catalog: Catalog) -> Iterator[Subject]:
    """The adapters and connectors in use."""
    adapters = {s.id: s for s in _adapters(subjects, catalog)}
    yield from adapters.values()
    yield from _connectors({**subjects, **adapters}, catalog)


def _adapters(subjects: dict[str, Subject], catalog: Catalog) -> Iterator[Subject]:
    distinct = {id(s.facts): s.facts for s in subjects.values()}.values()
    for name in dict.fromkeys(
        facts[f].value for facts in distinct for f in _ADAPTERS if f in facts
    ):
        if name:
            part = catalog.part(catalog.find("adapter", name))
            yield Subject(f"adapter:{name}", "adapter", part.name, part.facts, listed=False)


def _connectors(subjects: dict[str, Subject], catalog: Catalog) -> Iterator[Subject]:
    """Every connector in use, or that may be; those the build file misspells are problems."""
    codes: set[str] = set()
    known = {i.rpartition("/")[2]: i for i in catalog.ids("connector")}
    for subject in {id(s.facts): s for s in subjects.values()}.values():
        if subject.kind == "gpu" and "plugs" not in subject.facts:
            codes |= set(known)
        for fact in subject.facts.keys() & _PLUGS:
            value = subject.facts[fact].value or ()
            codes |= {value} if isinstance(value, str) else set(value)
    for code in sorted(codes & set(known)):
        facts = catalog.part(known[code]).facts
        yield Subject(f"connector:{code}", "connector", code, facts, listed=False)

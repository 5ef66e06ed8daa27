"""Facts of machines made by hand: `tests/facts/*.yaml` has the machines, and each answer worked by hand.

A case has the entries of a build file, its facts as a build file writes them. `with` names `parts` of
the file, `like` and a bare name its `facts`; `times` repeats an entry and `x` is the number of
one subject. A slot is its position, or what differs from one of sixteen lanes. `is` has
the facts: `psu.train_load 2` is that of PSU 2; and what the graph connects, see `QUESTIONS`; `near`
those of a model, with what they may be off.
"""

from dataclasses import replace
from typing import Any

import pytest
import yaml
from cases import plain
from conftest import ROOT, table
from handmade import (
    ALWAYS,
    MODELS,
    SOURCE,
    STANDARD,
    ask,
    cabled,
    facts_of,
    fed_by,
    lanes,
    left_over,
    pitches,
    seats,
    slot,
    subject,
    unfed,
)

from buildcheck.model.graph import Graph, Subject
from buildcheck.model.part import Sourced

#: Lists of a build file and what is in them.
LISTS = table("facts_by_hand", "lists")


def data(graph: Graph, kind: str, field: str) -> list[Any]:
    """What the edges of a kind say, in their order."""
    return [e.data[field] for e in graph.edges if e.kind == kind]


def crowd(graph: Graph) -> Any:
    """The cards that are too many for their places, or None."""
    why = data(graph, "placed", "why")[0]
    return why and why()


#: What a case can ask of the graph, instead of a fact.
QUESTIONS = {
    "seats": seats,
    "taken": lambda graph: sorted(seats(graph).values()),
    "lanes": lanes,
    "left over": left_over,
    "pitches": pitches,
    "fed": fed_by,
    "unfed": unfed,
    "cabled with": lambda graph: {end: data["with"] for end, data in cabled(graph).items()},
    "cables": lambda graph: {end: data["cables"] for end, data in cabled(graph).items()},
    "runs": lambda graph: {end: data["runs"] for end, data in cabled(graph).items()},
    "outputs": lambda graph: {end: d["output"] for end, d in cabled(graph).items() if "[" in end},
    "board fed by": lambda graph: [e.start for e in graph.edges if e.kind == "runs"],
    "slots unfed": lambda graph: data(graph, "slot_fed", "unfed")[0],
    "powers": lambda graph: {e.end: e.start for e in graph.edges if e.kind == "powers"},
    "sockets": lambda graph: data(graph, "plugged", "socket"),
    "crowd": lambda graph: (why := crowd(graph)) and why.cards,
    "covers and fit": lambda graph: (crowd(graph).covers, crowd(graph).fit),
    "crowded": lambda graph: crowd(graph).positions,
    "ways out": lambda graph: [" ".join(way.split()[:2]) for way in crowd(graph).ways],
}
SECTIONS = {kind: section for section, kind in LISTS.items()}
FILES = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "tests" / "facts").glob("*.yaml"))
}


def cases() -> list:
    """Each case with what all of its name have in common, and the names of its file."""
    found = []
    for stem, file in FILES.items():
        for name, common in file["cases"].items():
            for number, own in enumerate(common.get("cases", [{}]), 1):
                case = {k: v for k, v in (common | own).items() if k not in ("why", "cases")}
                case["is"] = common.get("is", {}) | own.get("is", {})
                found.append(pytest.param(file, case, id=f"{stem}: {name} {number}"))
    return found


def entry(file: dict[str, Any], given: str | dict[str, Any]) -> dict[str, Any]:
    """The facts of an entry, those of the names in it included."""
    own = {"like": given} if isinstance(given, str) else dict(given)
    like = own.pop("like", None)
    known = STANDARD if like == "rules" else shipped(like) if like and "/" in like else {}
    whole = known | file.get("facts", {}).get(like, {}) | own
    if isinstance(whole.get("slots"), list):
        whole["slots"] = [whole_slot(s) for s in whole["slots"]]
    return whole


def shipped(part_id: str) -> dict[str, Any]:
    """The facts of a standard of the catalogue, and the numbers that all rules need."""
    text = (ROOT / "parts_db" / f"{part_id}.yaml").read_text(encoding="utf-8")
    facts = yaml.safe_load(text)["facts"]
    return STANDARD | {name: given["value"] for name, given in facts.items()}


def whole_slot(given: int | dict[str, Any]) -> dict[str, Any]:
    if isinstance(given, int):
        return slot(given)
    own = dict(given)
    return slot(own.pop("slot"), **own) if "slot" in own else own


def made(subject_id: str, kind: str, facts: dict[str, Any]) -> Subject:
    """A subject; facts that its model has no field for are codes and truths."""
    number, fields = facts.pop("x", 1), MODELS[kind].model_fields if kind in MODELS else {}
    whole = {n: facts.pop(n) for n in ("name", "listed") if n in facts}
    one = subject(subject_id, kind, number, **{n: v for n, v in facts.items() if n in fields})
    for name in facts.keys() - set(fields):
        one.facts[name] = Sourced(facts[name], SOURCE, "assumption", "test")
    return replace(one, **whole)


def subjects(file: dict[str, Any], case: dict[str, Any]) -> list[Subject]:
    """The subjects of a case in the order of the build file."""
    found = []
    sections = [file["parts"][name] for name in case.get("with", ())]
    own = {k: v for k, v in case.items() if k not in ("with", "pins", "is", "near")}
    for section, given in [pair for part in (*sections, own) for pair in part.items()]:
        if section in LISTS:
            whole = [entry(file, e) for e in given]
            each = [dict(e) for e in whole for _ in range(e.pop("times", 1))]
            found += [made(f"{section}[{n}]", LISTS[section], e) for n, e in enumerate(each)]
        else:
            kind = ALWAYS.get(section) or section.partition(":")[0]
            found.append(made(section, kind, entry(file, given)))
    return found


@pytest.mark.parametrize(("file", "case"), cases())
def test_a_fact_is_as_worked_by_hand(file, case) -> None:
    facts = facts_of(*subjects(file, case), **case.get("pins", {}))
    found = {}
    for name in case["is"] | case.get("near", {}):
        if name in QUESTIONS:
            found[name] = plain(QUESTIONS[name](facts.graph), 6)
            continue
        fact, _, number = name.partition(" ")
        kind = fact.partition(".")[0]
        which = f"{SECTIONS[kind]}[{int(number or 1) - 1}]" if kind in SECTIONS else None
        found[name] = plain(ask(facts, fact, which), 6)
    for name, (value, within) in case.get("near", {}).items():
        assert found.pop(name) == pytest.approx(value, abs=within), name
    assert found == case["is"]

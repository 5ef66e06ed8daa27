"""What a build file lacks, proposed and written into it; what is there stays as it is."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from buildcheck.configure.common import FindingBrief, brief_finding
from buildcheck.configure.search.classes import ROLES
from buildcheck.configure.search.law import FAIL
from buildcheck.configure.wish.model import FIXED
from buildcheck.configure.wish.reading import WishDocument
from buildcheck.edit import Change, edit
from buildcheck.errors import InputError
from buildcheck.load import Loaded, load
from buildcheck.load.keys import opened
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from buildcheck.configure.engine import Engine
    from buildcheck.configure.engine import SearchProblem as Searched
    from buildcheck.configure.result import Proposal
    from buildcheck.configure.wish.reading import OptionValue
    from buildcheck.configure.wish.wish import Wish
    from buildcheck.errors import Problem
    from buildcheck.model.finding import Report

#: The section that a word of a wish is about, where they differ.
_WORDS = {"board": "motherboard"}
_NO_CARDS = "there are no GPUs to check"


@dataclass(frozen=True)
class Completed:
    """A build file with what it lacked: its new text, what was put in, and how it is judged."""

    raw: bytes
    changes: tuple[Change, ...]
    report: Report


def lacking(data: dict[str, Any]) -> list[str]:
    """The sections of parts that a build needs and a file does not give."""
    return [role for role in ROLES if not data.get(role)]


def given_number(data: dict[str, Any]) -> int:
    """How many parts a build, its short forms spelt out, gives."""
    entries = []
    for section in SECTION_KIND:
        value = data.get(section) or []
        entries += value if isinstance(value, list) else [value]
    counts = (e.get("count", 1) if isinstance(e, dict) else 1 for e in entries)
    return sum(c if isinstance(c, int) else 1 for c in counts)


def open_file(raw: bytes, path: str) -> Loaded:
    """A build file, which may lack its cards. Raises `InputError`."""
    loaded = load(raw, path)
    wrong = [p for p in loaded.problems if loaded.build.gpus or p.message != _NO_CARDS]
    if wrong:
        raise InputError(wrong)
    return loaded


def wish_of(loaded: Loaded, wish: Wish, options: Sequence[OptionValue]) -> Wish:
    """What a build file gives as owned, and what options add.

    Raises `InputError` where an option repeats what is in the file.
    """
    document, data = loaded.document, copy.deepcopy(loaded.data)
    problems = list(_twice(wish, data, options))
    if not data.get("gpus") and not (wish.gpus or "gpus" in wish.owned):
        what, advice = "there are no GPUs in it", "Add them, or wish for some with --gpus"
        problems.append(document.problem((), what, advice))
    if problems:
        raise InputError(problems)
    options_ = wish.document.options if isinstance(wish.document, WishDocument) else {}
    data_of_both = {**document.data, **wish.document.data}
    whole = WishDocument(
        **{**vars(document), "data": data_of_both, "problems": []}, options=options_
    )
    fixed = {n: data[n] for n in FIXED if data.get(n)}
    owned = {n: data[n] for n in SECTION_KIND if data.get(n) and n not in FIXED}
    return replace(
        wish, document=whole, fixed={**wish.fixed, **fixed}, owned={**wish.owned, **owned}
    )


def _twice(wish: Wish, data: dict[str, Any], options: Sequence[OptionValue]) -> Iterator[Problem]:
    """Options that speak of what is in the file."""
    for option in options:
        inner = option.path[0] in ("wish", "owned") and len(option.path) > 1
        section = str(option.path[1 if inner else 0])
        section = _WORDS.get(section, section)
        if data.get(section):
            what = f"the build file gives '{section}' already"
            advice = "Change it there, or leave the option out"
            yield wish.document.problem(option.path, what, advice)


def conflicts(problem: Searched, before: Report | None) -> list[FindingBrief]:
    """The errors of what a build file lists, whatever is added; by title where not judged yet."""
    if not all(problem.lists.values()):
        return []
    machine = problem.open_machine
    failed = [f for f in before.findings if f.verdict == "fail"] if before else []
    found = {f.rule.id: brief_finding(f) for f in reversed(failed)}
    rules = [a.rule for a in problem.law.asked if problem.law.verdict(a, machine) == FAIL]
    return [found.get(r.id) or FindingBrief(r.id, "error", "fail", "", r.title) for r in rules]


def judged(raw: bytes, path: str, engine: Engine) -> Report | None:
    """A build file as it stands; None if it has no cards yet. Raises `InputError`."""
    if not opened(raw, path).data.get("gpus"):
        return None
    return engine.judging.check(raw, path)


def completed(raw: bytes, path: str, proposal: Proposal, engine: Engine) -> Completed:
    """A build file with what a proposal has beyond it. Raises `InputError`."""
    data = opened(raw, path).data
    new = [n for n in proposal.data if not data.get(n) and n != "name"]
    changes = tuple(Change((n,), proposal.data[n]) for n in new)
    text = edit(raw, path, changes)
    report = engine.judging.check(text, path)
    return Completed(text, changes, report)

"""What a build file lacks, proposed and written into it; what is there stays as it is."""

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from buildcheck.configure.answer import CompleteAnswer, ConfigureAnswer
from buildcheck.configure.common import FindingBrief, brief_finding, file_change
from buildcheck.configure.engine import Engine
from buildcheck.configure.engine import SearchProblem as Searched
from buildcheck.configure.proposing import LIMIT, described
from buildcheck.configure.search.classes import ROLES
from buildcheck.configure.wish.model import FIXED
from buildcheck.configure.wish.reading import OptionValue, WishDocument
from buildcheck.configure.wish.wish import Wish
from buildcheck.edit import Change, difference, edit
from buildcheck.errors import InputError, Problem
from buildcheck.load import Loaded, load
from buildcheck.load.keys import opened
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.finding import Report
from buildcheck.rulebook.moves import moves

_NO_CARDS = "there are no GPUs to check"


def lacking(problem: Searched) -> list[str]:
    """The sections of parts that a build needs and a file does not give."""
    return [role for role in ROLES if role not in problem.ground.given]


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
    InputError.raise_any(wrong)
    return loaded


def wish_of(loaded: Loaded, wish: Wish, options: Sequence[OptionValue]) -> Wish:
    """What a build file gives as owned, and what options add.

    Raises `InputError` where an option repeats what is in the file.
    """
    document, data = loaded.document, copy.deepcopy(loaded.data)
    problems = list(_twice(wish, data, options))
    if not data.get("gpus") and not (wish.gpus or "gpus" in wish.owned):
        problems.append(document.wrong((), "wish-no-cards"))
    InputError.raise_any(problems)
    both = {"data": {**document.data, **wish.document.data}, "problems": []}
    whole = WishDocument(**vars(document) | both, options=getattr(wish.document, "options", {}))
    fixed = {n: data[n] for n in FIXED if data.get(n)}
    owned = {n: data[n] for n in SECTION_KIND if data.get(n) and n not in FIXED}
    return wish.but(document=whole, fixed={**wish.fixed, **fixed}, owned={**wish.owned, **owned})


def _twice(wish: Wish, data: dict[str, Any], options: Sequence[OptionValue]) -> Iterator[Problem]:
    """Options that speak of what is in the file."""
    for option in options:
        inner = option.path[0] in ("wish", "owned") and len(option.path) > 1
        section = str(option.path[1 if inner else 0])
        section = "motherboard" if section == "board" else section
        if data.get(section):
            yield wish.document.wrong(option.path, "wish-in-file", section=section)


def conflicts(problem: Searched, before: Report | None) -> list[FindingBrief]:
    """The errors of what a build file lists, whatever is added; by title where not judged yet."""
    if not all(problem.lists.values()):
        return []
    failed = [f for f in before.findings if f.verdict == "fail"] if before else []
    found = {f.rule.id: brief_finding(f) for f in reversed(failed)}
    rules = (asked.rule for asked in problem.law.hoping().refusing(problem.open_machine))
    return [found.get(r.id) or FindingBrief(r.id, "error", "fail", "", r.title) for r in rules]


def completed(
    raw: bytes, search: ConfigureAnswer, lacks: Iterable[str], given: int, engine: Engine
) -> tuple[bytes | None, CompleteAnswer]:
    """The text of a build file with what a search found added to it, and the answer.

    No text if nothing passes. Raises `InputError`.
    """
    if not search.builds:
        verdict = search.unproven.verdict if search.unproven else None
        helps = moves()["limit"].concerns(search.blocked_by)
        return None, CompleteAnswer(search.name, verdict, tuple(lacks), given, helps, search=search)
    best, data = search.builds[0], opened(raw, search.name).data
    new = [n for n in best.build if not data.get(n) and n != "name"]
    changes = [Change((n,), best.build[n]) for n in new]
    held = best.build["gpus"] if best.is_limited and "gpus" not in new else ()
    changes += [Change(("gpus", n, key), one[key]) for n, one in enumerate(held) for key in LIMIT]
    text = edit(raw, search.name, changes)
    best = replace(best, **described(engine.judging.check(text, search.name), best.price.as_of))
    return text, CompleteAnswer(
        file=search.name,
        verdict=best.verdict,
        missing=tuple(lacks),
        given=given,
        changes=tuple(map(file_change, changes)),
        diff=difference(raw, text, search.name),
        search=replace(search, builds=(best, *search.builds[1:])),
    )

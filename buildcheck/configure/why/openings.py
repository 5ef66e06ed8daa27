"""The choices of a build, builds with some of them open, and the choices that the law refuses.

A choice has its phrase, and the changes by which it is open. A part that is left open is the hull
of the priced parts of its kind, used the same way. What the law refuses for certain of such a
machine it refuses whatever is chosen.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

from buildcheck.configure.common import Phrase, phrase
from buildcheck.configure.decisions import OUTLET, counted, limited_entries, reads_of, settings_of
from buildcheck.configure.repair.parts import kept_settings
from buildcheck.configure.search.classes import ROLES
from buildcheck.configure.search.law import FAIL, OPEN
from buildcheck.configure.search.space import Domain, options_of
from buildcheck.configure.trial import Trial
from buildcheck.configure.why.conflicts import minimal_conflict
from buildcheck.edit import Change
from buildcheck.model.answer import figure
from buildcheck.model.build import LISTS, SECTION_KIND
from buildcheck.model.finding import FAILING, Report
from buildcheck.model.source import Path
from buildcheck.rulebook.moves import moves
from buildcheck.rulebook.proposals import proposals
from buildcheck.units import POWER

#: Sections that say something of the machine as a whole.
_WHOLE = ("workload", "firmware", "network", "cooling", "memory")
#: In each section what it is comes first, then how many; after all of these come the settings.
_WHAT, _COUNT, _SITE, _SETTING, _LIMIT = range(5)
#: Roles that are tried part by part where their hull alone does not say.
_TRIED = ("psus", "motherboard", "case", "cpu", "cpu_cooler", "memory")
#: Verdicts of what does not hold.
_BROKEN = (*FAILING, "waived")
#: Ways to write open choices that are looked at together.
MOST_VARIANTS = 32


@dataclass(frozen=True, eq=False)
class Chosen:
    """One choice: its place, value and phrase, and its `rank`, the firmest first.

    `opened` are ways to write the build that together cover all it could be. A part of a `role` of
    the machine has none: any other may be in its place.
    """

    path: Path
    value: Any
    what: Phrase
    rank: int
    opened: tuple[tuple[Change, ...], ...] = ()
    role: str | None = None

    @property
    def section(self) -> str:
        """The section of the build file it is in."""
        return str(self.path[0])

    def matters(self, reads: set[str]) -> bool:
        """Can it matter to rules that read these fields?"""
        if self.section not in _WHOLE:
            return True
        if self.section == "memory":
            return any(name.startswith(("memory.", "module.")) for name in reads)
        if self.path[1:] == ("kind",):
            # Many facts about the work come from its kind.
            return any(name.startswith("workload.") for name in reads)
        return ".".join(map(str, self.path)) in reads


Conflict = tuple[Chosen, ...]


class Openings:
    """A judged build and all it could be instead; what takes long raises `StoppedError`."""

    def __init__(self, base: Trial) -> None:
        self.base, self.trials = base, base.trials
        self.choices = choices(base.data, self.trials.report)
        self._any: dict[str, Domain] = {}

    def conflict(self, rule: str) -> tuple[Conflict, Conflict]:
        """A minimal set of choices that one rule refuses whatever the others are, but for some.

        These are taken as they are: small terms of a sum.
        """

        def can_stand(kept: Sequence[Chosen]) -> bool:
            there = set(kept)
            return not self.refuses(rule, [c for c in self.choices if c not in there])

        found, sums = minimal_conflict(self.choices, can_stand) or (), moves()["sums"]
        of_sums = sums.sections if sums.concerns((rule,)) else ()
        little = tuple(c for c in found if c.section in of_sums)
        left = tuple(c for c in found if c not in little)
        return (left, little) if left else (found, ())

    def refuses(self, rule: str, open_: Sequence[Chosen]) -> bool:
        """Does a rule refuse every machine in which these choices are open?"""
        report, roles = self.trials.report, {c.role for c in open_ if c.role}
        broken = [f for f in report.findings if f.rule.id == rule and f.verdict in _BROKEN]
        reads = {name for name, *_ in reads_of(report, broken)}
        ways = [c.opened for c in open_ if not c.role and c.matters(reads)]
        # Beyond the most variants nothing is certain.
        trials = (
            self._after(chain(*changes)) if number < MOST_VARIANTS else None
            for number, changes in enumerate(product(*ways))
        )
        return all(trial is not None and self._refused(trial, rule, roles) for trial in trials)

    def _after(self, changes: Iterable[Change]) -> Trial | None:
        """The build after changes; those that take away entries move none that is to come."""
        last_first = sorted(
            changes, key=lambda c: [(isinstance(s, int), s) for s in c.path], reverse=True
        )
        return self.trials.after(self.base.data, last_first)

    def _refused(self, trial: Trial, rule: str, roles: set[str]) -> bool:
        """Does a rule refuse a build whatever fills the open roles, or each part for one?"""
        asked = trial.asked.get(rule)
        if asked is None:
            return False
        any_ = {role: self._any_of(role, trial) for role in roles}
        filled = {**trial.own, **{role: domain.whole for role, domain in any_.items()}}
        verdict = trial.law.verdict(asked, filled)
        return verdict == FAIL or (
            verdict == OPEN
            and any(
                all(
                    trial.law.verdict(asked, {**filled, role: option}) == FAIL
                    for option in any_[role].options
                )
                for role in _TRIED
                if role in roles and role in asked.scope
            )
        )

    def _any_of(self, role: str, trial: Trial) -> Domain:
        """Any priced part in a role of a build, used as the build uses its own."""
        count, kept = trial.section(role).get("count", 1), kept_settings(trial, role)
        key = f"{role} {count} {kept}"
        if key not in self._any:
            numbers = proposals().kits if role == "memory" else (count,)
            sorts = self.trials.classes.of(SECTION_KIND[role]).classes
            self._any[key] = Domain(role, options_of(role, sorts, lambda _: numbers, kept))
        return self._any[key]


def choices(data: dict[str, Any], report: Report) -> list[Chosen]:
    """Every choice of a build file whose short forms are spelt out, the firmest first."""
    found = [*_limits(data, report)]
    for section, given in data.items():
        if section in SECTION_KIND:
            found += _of_parts(data, section)
        elif section in ("name", "quotes", "waivers"):
            continue
        elif isinstance(given, dict):
            words = given
            if section == "site":
                wall = {key: given[key] for key in OUTLET if key in given}
                words = {key: value for key, value in given.items() if key not in wall}
                gone = tuple(Change(("site", key), None) for key in wall)
                what = phrase("wall", wall=wall)
                found += [Chosen(("site",), wall, what, _SITE, (gone,))] if wall else []
            found += [_word((section, key), value) for key, value in words.items()]
        elif section != "site":
            found.append(_word((section,), given))
    order = {section: number for number, section in enumerate(proposals().firm_sections)}
    return sorted(found, key=lambda c: (c.rank > _COUNT, order.get(c.section, 99), c.rank))


def _of_parts(data: dict[str, Any], section: str) -> Iterator[Chosen]:
    several, own = section in LISTS, settings_of(section)
    items = data[section] if isinstance(data[section], list) else [data[section]]
    for index, item in enumerate(items):
        path: Path = (section, index) if several else (section,)
        part, count = item.get("part"), item.get("count", 1)
        about = {"section": section, "part": part}
        role = section if section in ROLES and len(items) == 1 else None
        value, what = part, phrase("part", **about)
        if len(items) > 1:
            value, what = item, phrase("entry", count=count, **about)
        yield Chosen(path, value, what, _WHAT, () if role else ((Change(path, None),),), role)
        if several and count > 1:
            what = phrase("count", section=section, count=count)
            one = tuple(counted(data, section, index, 1))
            many = (Change((*path, "count"), proposals().many_parts),)
            opened = (one,) if section == "gpus" else (one, many, ())
            yield Chosen((*path, "count"), count, what, _COUNT, opened)
        for key, value in item.items():
            if key in own and key not in ("count", "power_limit"):
                at, what = (*path, key), phrase("setting", key=key, value=value, **about)
                yield Chosen(at, value, what, _SETTING, _otherwise(at, value))


def _limits(data: dict[str, Any], report: Report) -> Iterator[Chosen]:
    """The power limit of each entry of GPUs, which is their default if it is not given."""
    for entry in limited_entries(report.facts)[0]:
        at: Path = ("gpus", entry.number, "power_limit")
        given = data["gpus"][entry.number].get("power_limit")
        power = report.facts("gpu.board_power", entry.gpus[0])
        what = phrase("limit", watts=given, default=figure(power, POWER))
        any_ = Change(at, f"{entry.least:.0f}..{power.high:.0f} W")
        yield Chosen(at, given, what, _LIMIT, ((any_,),))


def _word(path: Path, value: Any) -> Chosen:
    section, key = (*path, "")[:2]
    rank = _SETTING if section == "site" else _WHAT
    what = phrase("word", section=section, key=key, value=value)
    return Chosen(path, value, what, rank, _otherwise(path, value))


def _otherwise(path: Path, value: Any) -> tuple[tuple[Change, ...], ...]:
    """Ways to write what a word or a setting could be instead."""
    easier = proposals().easier_work.get(str(path[-1])) if path[0] == "workload" else None
    if easier:
        others = [v for v in easier if v != value]
        return (*((Change(path, v),) for v in others), ())
    if isinstance(value, bool):
        return ((Change(path, not value),), ())
    return ((Change(path, None),),)

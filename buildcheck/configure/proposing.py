"""The machine a search found → a build file with prices, judged as `validate` judges it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from buildcheck.configure.answer import ProposedPart
from buildcheck.configure.result import Proposal
from buildcheck.configure.search.classes import ROLES
from buildcheck.edit import Change, edit
from buildcheck.model.answer import Amount
from buildcheck.model.build import SECTION_KIND, SINGLES
from buildcheck.model.finding import TROUBLES
from buildcheck.model.money import Money
from buildcheck.model.part import CONFIDENCE

if TYPE_CHECKING:
    from buildcheck.check import Judging
    from buildcheck.configure.search.space import Option
    from buildcheck.configure.search.verdicts import Over
    from buildcheck.model.finding import Finding, Report

#: What a proposal is called in messages.
PATH = "proposal.yaml"
#: Keys of the power limit of a GPU.
LIMIT = ("power_limit", "limit_at_boot")
#: No name of a build is longer.
LONGEST = 100


class DisagreementError(RuntimeError):
    """The search lets a build pass that `validate` does not: a bug, never shown as an answer."""


class Proposing:
    """Builds from what a search chose over a given ground."""

    def __init__(self, over: Over, ground: dict[str, Any], judging: Judging) -> None:
        self.catalog, self.book, self.currency = over.catalog, over.book, over.currency
        self.ground, self.judging = ground, judging

    def propose(
        self,
        machine: dict[str, Option],
        objective: dict[str, float],
        reads: dict[str, tuple[str, ...]],
        *,
        strict: bool,
    ) -> Proposal:
        """The build of a machine. Raises `DisagreementError` if `validate` does not let it pass."""
        chosen = [
            one
            for role in ROLES
            if role in machine and not machine[role].given
            for one in self._lines(role, machine[role], reads.get(role, ()))
        ]
        data = self._data(machine)
        text = written(data)
        report = self.judging.check(text, PATH)
        if report.verdict == "fail" or (strict and not report.passes):
            bad = report.errors(*TROUBLES) if strict else report.errors("fail")
            wrong = {f"{f.rule.id} {f.subject}" for f in bad}
            raise DisagreementError(
                f"validate does not let it pass: {sorted(wrong)}\n{text.decode()}"
            )
        days = [one.each.as_of for one in chosen if one.each and one.each.as_of]
        total = sum((c.each.amount * c.count for c in chosen if c.each), start=Decimal(0))
        return Proposal(
            data=data,
            text=text.decode(),
            report=report,
            price=Money(total, self.currency),
            as_of=(min(days), max(days)) if days else None,
            objective=objective | _of_report(report),
            chosen=tuple(chosen),
        )

    def limited_by(self, proposal: Proposal, *, careful: bool) -> tuple[Finding, ...]:
        """What stands against a build at the default limits of its cards, and not as it is.

        Each rule once: errors, what could be one for want of data, and to the careful warnings.
        """
        cards = [{n: v for n, v in c.items() if n not in LIMIT} for c in proposal.data["gpus"]]
        text = written({**proposal.data, "gpus": cards})
        free = self.judging.check(text, PATH)
        there = {(f.rule.id, f.severity, f.verdict) for f in proposal.report.findings}
        found: dict[str, Finding] = {}
        for finding in free.findings:
            counts = finding.severity == "error" or (careful and finding.verdict == "fail")
            state = (finding.rule.id, finding.severity, finding.verdict)
            if (
                counts
                and finding.severity != "note"
                and finding.verdict in TROUBLES
                and state not in there
            ):
                found.setdefault(finding.rule.id, finding)
        order = ("error", "warning")
        return tuple(
            sorted(found.values(), key=lambda f: (f.verdict != "fail", order.index(f.severity)))
        )

    def _data(self, machine: dict[str, Option]) -> dict[str, Any]:
        data = {"name": self.ground.get("name") or self._name(machine)}
        for role in ROLES:
            option = machine.get(role)
            if option is None or option.given:
                if role in self.ground:
                    data[role] = self.ground[role]
                continue
            entries = [self._entry(role, unit) for unit in option.units]
            data[role] = entries[0] if role in SINGLES else entries
        return data | {n: v for n, v in self.ground.items() if n not in data}

    def _entry(self, role: str, unit: Any) -> dict[str, Any]:
        part = unit.sort.part
        listed = self.book.of(part)
        price = {}
        if listed:
            price = {"each": f"{listed.amount} {listed.currency}"}
            if listed.as_of:
                price["date"] = listed.as_of.isoformat()
        name = self.catalog.called(SECTION_KIND[role], part)
        return {**unit.entry(name), **({"price": price} if price else {})}

    def _name(self, machine: dict[str, Option]) -> str:
        units = [(u.number, self.catalog.index.name(u.sort.part)) for u in machine["gpus"].units]
        name = " and ".join(f"{count}x {name}" for count, name in units) or "proposal"
        return name if len(name) <= LONGEST else f"{name[: LONGEST - 3]}..."

    def _lines(self, role: str, option: Option, reads: tuple[str, ...]) -> list[ProposedPart]:
        lines = []
        for unit in option.units:
            part = self.catalog.part(unit.sort.part)
            listed = self.book.of(part.id)
            each = Amount(listed.amount, listed.currency, listed.as_of) if listed else None
            read = ((n, part.facts[n].confidence) for n in sorted(reads) if n in part.facts)
            level, facts = weakest(list(read))
            lines.append(
                ProposedPart(
                    section=role,
                    part=part.id,
                    name=" ".join(part.name.split()),
                    count=unit.number,
                    each=each,
                    total=each and replace(each, amount=each.amount * unit.number),
                    doubt=listed.doubt if listed else "",
                    equivalent=tuple(m.part for m in unit.sort.members[1:]),
                    weakest=level,
                    weakest_facts=facts,
                    power_limit=next((text for n, text, _ in unit.settings if n == LIMIT[0]), None),
                )
            )
        return lines


def weakest(facts: list[tuple[str, str]]) -> tuple[str | None, tuple[str, ...]]:
    """The least confidence among facts, and the facts of which that is so."""
    level = max((confidence for _, confidence in facts), key=CONFIDENCE.index, default=None)
    return level, tuple(name for name, confidence in facts if confidence == level)


def _of_report(report: Report) -> dict[str, float]:
    """What a judged build draws under sustained load, and what its PSUs have left then, in W."""
    graph = report.graph
    power = report.facts.number("build.train_load", graph.the("build")).high
    rated = sum(report.facts.number("psu.rated_power", psu).low for psu in graph.of("psu"))
    return {"power": round(power, 3), "headroom": round(rated - power, 3)}


def written(data: dict[str, Any]) -> bytes:
    """Plain data as the text of a build file."""
    name = data.get("name", "build")
    changes = [Change((n,), v) for n, v in data.items() if n != "name"]
    start = edit(b"name: x\n", PATH, [Change(("name",), name)])
    return edit(start, PATH, changes)

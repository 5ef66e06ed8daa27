"""The checklist as Markdown, with boxes that issue trackers can tick."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from buildcheck.render.checklist import checklist
from buildcheck.render.view import report_notices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.model.finding import Report
    from buildcheck.render.checklist import Origin, Step

#: What Markdown, HTML or an issue tracker would take for more than text.
_MEANS = re.compile(r"[\\`*_{}\[\]<>#|~&$]|:(?=//)|(?<=www)\.|(?<=^)[-+](?= )|(?<=^\d)[.)](?= )")
_BLANK = "____________"


def markdown(report: Report) -> str:
    """All phases as lists of boxes; the same report gives the same text."""
    made = checklist(report)
    lines = [
        f"# Checklist: {escaped(report.name)}",
        "",
        f"{made.count} steps for `{_code(report.document.path)}`, checked on {report.checked}.",
    ]
    for phase in made.phases:
        lines += ["", f"## {escaped(phase.title)}", ""]
        for step in phase.steps:
            lines += _step(step)
    lines += ["", "## Signed off", "", "| Role | Name | Date | Signature |", "|---|---|---|---|"]
    lines += [f"| {escaped(role)} | | | |" for role in made.signs]
    lines += ["", *(escaped(notice) for notice in report_notices(report))]
    return "\n".join(lines).rstrip() + "\n"


def _step(step: Step) -> Iterator[str]:
    state = f"**{'open' if step.state == 'unknown' else step.state}:** " if step.state else ""
    yield f"- [ ] {state}{escaped(step.text)}"
    if step.why:
        yield f"  - Why: {escaped(step.why)}"
    for block in (step.command, *step.files):
        yield from _fenced(block)
    if step.expect:
        yield f"  - Expected: {escaped(step.expect)}"
        values = ", ".join(f"{escaped(part)} {_BLANK}".lstrip() for part in step.parts or ("",))
        yield f"  - Measured: {values}, by {_BLANK}"
    yield f"  - From: `{_code(step.id)}`" + "".join(f"; {_origin(o)}" for o in step.origins)


def _origin(origin: Origin) -> str:
    if origin.is_code:
        return f"`{_code(origin.title)}`"
    address = origin.url if re.fullmatch(r"https?://[^\s<>()\[\]\\]+", origin.url) else ""
    return f"[{escaped(origin.title)}]({address})" if address else escaped(origin.title)


def _fenced(block: str) -> Iterator[str]:
    """Lines as code, fenced by more backticks than stand in them."""
    if not block:
        return
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", block)), 3)
    yield ""
    yield f"  {fence}"
    yield from (f"  {_seen(line)}" for line in block.rstrip("\n").split("\n"))
    yield f"  {fence}"
    yield ""


def escaped(text: str) -> str:
    """Text that Markdown shows as it is written, in one line; code stays code."""
    parts = _seen(" ".join(text.split())).split("`")
    if len(parts) % 2 == 0:
        return _plain("`".join(parts))
    return "".join(f"`{part}`" if n % 2 and part else _plain(part) for n, part in enumerate(parts))


def _plain(text: str) -> str:
    return _MEANS.sub(r"\\\g<0>", text)


def _code(text: str) -> str:
    return _seen(text).replace("`", "'")


def _seen(text: str) -> str:
    """Names come from files: no control character of theirs gets through."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)

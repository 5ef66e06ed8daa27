"""Findings, a checklist and a parts list in each format; power limits as unit or script."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from buildcheck import __version__
from buildcheck.errors import Problem
from buildcheck.render.markdown import markdown
from buildcheck.render.templates import file_text, words
from buildcheck.report.answer import ValidateAnswer

if TYPE_CHECKING:
    from buildcheck.checklist.answer import ChecklistAnswer, ChecklistStep, PowerLimits
    from buildcheck.purchasing.answer import PartsListAnswer

#: The style of the templates with the lines and the quotes of a parts list.
STYLE = "css/parts-list.css"


def render_checklist(answer: ChecklistAnswer, form: str) -> str:
    """The checklist as a page to tick or print, or as Markdown with boxes."""
    blocks = partial(code_blocks, answer)
    if form == "html":
        from buildcheck.render.html import page_foot, sheet  # one is used at a time

        files = {"styles": ("css/checklist.css",), "scripts": ("js/ticks.js",)}
        return sheet("checklist.html.j2", page_foot(answer), **files, list=answer, blocks=blocks)

    def say(step: ChecklistStep, macro: str) -> str:
        text: str = getattr(words("checklist"), macro)(step, answer)
        return text.strip()

    return markdown("checklist", list=answer, blocks=blocks, say=say)


def render_findings(
    answer: ValidateAnswer,
    form: str,
    problems: Sequence[Problem] = (),
    rules: Sequence[object] = (),
    left_out: Sequence[str] = (),
) -> str:
    """What was found in builds, and what is wrong with files that could not be judged.

    SARIF lists all rules, and those left out.
    """
    values = {"answer": answer, "problems": problems, "rules": rules, "left_out": left_out}
    values["form"] = form
    if form == "markdown":
        return markdown("validate", **values)
    return file_text(f"validate/{form.partition('.')[0]}", **values, version=__version__)


def code_blocks(answer: ChecklistAnswer, step: ChecklistStep) -> list[str]:
    """What to type for a step, and the files it puts in place; with this build's limits."""
    limits, say = answer.power_limits, words("checklist")
    if limits and step.id == "limits/set":
        return [f"{say.commands(limits).strip()}\n{step.command}"]
    files = limit_files(limits) if limits and step.id == "limits/at-boot" else ()
    is_possible = limits or not (answer.limit_problems and step.id in say.LATER)
    return [*([step.command] if step.command and is_possible else []), *files]


def limit_files(limits: PowerLimits) -> tuple[str, ...]:
    """The systemd unit for every start, and the shell script where the unit needs it."""
    forms = ("unit", "script") if limits.needs_script else ("unit",)
    return tuple(file_text(f"power-limit.{form}", limits=limits) for form in forms)


def render_parts_list(answer: PartsListAnswer, form: str) -> str | bytes:
    """The list as Markdown, a page, CSV or a spreadsheet (bytes).

    Raises `ModuleNotFoundError` where the library that writes spreadsheets is not installed.
    """
    if form == "html":
        from buildcheck.render.html import page_foot, sheet

        return sheet("parts-list.html.j2", page_foot(answer), styles=(STYLE,), parts_list=answer)
    if form == "xlsx":
        from buildcheck.render.parts_list_xlsx import parts_list_xlsx

        return parts_list_xlsx(answer)
    if form == "csv":
        from buildcheck.render.parts_list_csv import parts_list_csv

        return parts_list_csv(answer)
    return markdown("parts-list", parts_list=answer)

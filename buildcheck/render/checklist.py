"""A checklist as a page or as Markdown, and its power limits as a systemd unit or a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.render.templates import file_text, words

if TYPE_CHECKING:
    from buildcheck.checklist.answer import ChecklistAnswer, ChecklistStep, PowerLimits


def render_checklist(answer: ChecklistAnswer, form: str) -> str:
    """The checklist as a page to tick or print, or as Markdown with boxes."""

    def blocks(step: ChecklistStep) -> list[str]:
        return code_blocks(answer, step)

    if form == "html":
        from buildcheck.render.html import page_foot, sheet  # one is used at a time

        foot = page_foot(answer)
        style, scripts = ("css/checklist.css",), ("js/ticks.js",)
        return sheet(
            "checklist.html.j2", foot, styles=style, scripts=scripts, list=answer, blocks=blocks
        )
    from buildcheck.render.markdown import markdown

    def say(step: ChecklistStep, macro: str) -> str:
        text: str = getattr(words("checklist"), macro)(step, answer)
        return text.strip()

    return markdown("checklist", list=answer, blocks=blocks, say=say)


def code_blocks(answer: ChecklistAnswer, step: ChecklistStep) -> list[str]:
    """What to type for a step, and the files it puts in place; with this build's limits."""
    limits, say = answer.power_limits, words("checklist")
    if limits and step.id == "limits/set":
        return [f"{say.commands(limits).strip()}\n{step.command}"]
    files = limit_files(limits) if limits and step.id == "limits/at-boot" else ()
    is_possible = limits or not (answer.limit_problems and step.id in say.LATER)
    return [*([step.command] if step.command and is_possible else []), *files]


def limit_files(limits: PowerLimits) -> tuple[str, ...]:
    """The unit, and the script where the unit needs it."""
    return (unit_text(limits), *([script_text(limits)] if limits.needs_script else []))


def unit_text(limits: PowerLimits) -> str:
    """A systemd unit that sets the limits at every start."""
    return file_text("power-limit.service", limits=limits)


def script_text(limits: PowerLimits) -> str:
    """A shell script that sets the limits once."""
    return file_text("power-limit.sh", limits=limits)

"""The commands that list and explain rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from buildcheck.cli.build import EPILOG, command, lab_options
from buildcheck.cli.frame import rule_ids
from buildcheck.errors import InputError, Problem
from buildcheck.report.rules import rule_answer, rules_answer
from buildcheck.streams import FORMAT, show_answer

if TYPE_CHECKING:
    from buildcheck.cli.settings import Lab


@command("rules", epilog=EPILOG)
@FORMAT
@lab_options
def main(form: str, lab: Lab) -> None:
    """List every rule: its worst severity, its id and its title."""
    show_answer("rules", rules_answer(lab.rulebook()), form)


@command("explain", epilog=EPILOG)
@click.argument("rule_id", metavar="RULE", shell_complete=rule_ids)
@FORMAT
@lab_options
def explain(rule_id: str, form: str, lab: Lab) -> None:
    """Explain one rule: what it requires, its limits, why, and how to fix a failure."""
    book = lab.rulebook()
    found = [r for r in book.rules if rule_id in (r.id, r.id.rpartition("/")[2])]
    if not found:
        near = book.near(rule_id)
        advice = "" if near else "'buildcheck rules' lists them"
        raise InputError([Problem(rule_id, 0, 0, "there is no such rule", advice, near)])
    show_answer("explain", rule_answer(found[0]), form)

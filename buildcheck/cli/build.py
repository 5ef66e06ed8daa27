"""What the commands about a build share: its report, and pages and files written from it."""

from __future__ import annotations

import textwrap
from functools import partial
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from buildcheck.cli.options import choices
from buildcheck.cli.settings import NAMES
from buildcheck.errors import InputError, Problem, capped
from buildcheck.model.vocabulary import problem, refused, vocabulary
from buildcheck.streams import check_writable, read_build, shown

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog
    from buildcheck.cli.declared import Frame
    from buildcheck.importers.part_list.rows import Imported, Unresolved
    from buildcheck.model.finding import Report


#: All endings of files that a format is known by.
ENDINGS: dict[str, str] = vocabulary("commands")["endings"]
#: Signs of a line that a message quotes, and names that one has at most.
_LONGEST_QUOTED, _MOST_QUOTED = 60, 3


def judged(frame: Frame, *builds: str) -> list[Report]:
    """Every build file judged by all rules. Raises `InputError` with what is wrong in them."""
    reports: list[Report] = []
    problems: list[Problem] = []
    for build in builds:
        with InputError.added_to(problems):
            judging = frame.lab.judging(frame.today, build)
            raw, _, _ = build_text(build, judging.catalog)
            reports.append(judging.check(raw, shown(build), frame.quotes))
    InputError.raise_any(problems)
    return reports


def judged_for(frame: Frame, build: str) -> Report:
    """The report of a build, of which something can be written to a file. Raises `InputError`."""
    check_output(frame.output, (build, *frame.quotes))
    (report,) = judged(frame, build)
    check_output(frame.output, read_files(report))
    return report


def build_text(build: str, catalog: Catalog) -> tuple[bytes, str, int]:
    """The text of a build file, its name, and how many lines it leaves open.

    It is made of a part list if the file is one.
    """
    from buildcheck.load import is_yaml

    raw, name = read_build(build), shown(build)
    if is_yaml(raw, build):
        return raw, name, 0
    made = f"{Path(name).stem}.yaml"
    text, count = imported(raw, build, catalog, made)
    return text.encode(), made, count


def imported(raw: bytes, path: str, catalog: Catalog, judged_as: str = "") -> tuple[str, int]:
    """The build file of a part list, and how many lines need a choice: standard error names them.

    Notes on a list that is judged are below the verdict. Raises `InputError` if it names no part.
    """
    from buildcheck.importers.part_list import judge_by_words, read_list, text_of, to_build

    listed = read_list(text_of(raw, shown(path)))
    index = catalog.index
    own = (index.numbered, index.kind_of_series, index.has_word)
    made = to_build(listed, index.find, shown(path), *own)
    if not (listed.rows or made.entries or made.unresolved):
        raise refused(shown(path), "no-part-named")
    judge_by_words(made, catalog)
    wrong, notes = _messages(shown(path), made)
    if judged_as:
        notes.append(problem(shown(path), "is-part-list", name=shown(path), made=judged_as))
    blocks = [p.block("not judged" if judged_as else "error") for p in capped(wrong)]
    click.echo("\n".join(blocks), err=True, nl=bool(blocks))
    context = click.get_current_context(silent=True) if judged_as else None
    below = "\n".join(p.block("note") for p in capped(notes))
    say = partial(click.echo, below, err=True, nl=bool(below))
    context.call_on_close(say) if context and not parent_process() else say()
    return made.text, len(wrong)


def _messages(path: str, made: Imported) -> tuple[list[Problem], list[Problem]]:
    """The lines that need a choice, and what else to know of a list."""
    wrong = [_problem(path, unknown) for unknown in made.unresolved]
    texts = ((line, textwrap.shorten(text, _LONGEST_QUOTED)) for line, text in made.unread)
    wrong += [problem(path, "not-read-as-part", line=line, text=text) for line, text in texts]
    several = [r.line for r in made.unpriced if r.count > 1 and r.each is None]
    bare = [r.line for r in made.unpriced if r.line not in several]
    named = {unknown.row.line for unknown in made.unresolved}
    used = {at.line for said in made.settings.values() for at, _ in said}
    used |= {row.line for row in made.in_text}
    prose = sorted({line for line, _ in made.kept} - {line for line, _ in made.unread} - used)
    aside = [row.line for row in made.aside if row.line not in named]
    total, paid = made.mismatch or (None, None)
    named_by = {"by-text": made.by_text, "in-text": made.in_text}
    found = {code: [r.line for r in rows] for code, rows in named_by.items()} | {
        "price-of-several": several,
        "no-currency": bare,
        "no-part-in-line": prose,
        "not-checked": aside,
        "sum-differs": [total.line] if total else [],
    }
    notes = []
    for code, lines in ((code, lines) for code, lines in found.items() if lines):
        each = sorted({*lines})
        numbers = f"line{'s' * (len(each) > 1)} {', '.join(map(str, each))}"
        names = [repr(textwrap.shorten(r.name, _LONGEST_QUOTED)) for r in named_by.get(code, ())]
        quoted = ", ".join(names[:_MOST_QUOTED])
        sums: dict[str, Any] = {"total": total and total.price, "paid": paid}
        notes.append(problem(path, code, lines=numbers, names=quoted, **sums))
    return sorted(wrong), notes


def _problem(path: str, unknown: Unresolved) -> Problem:
    """What has to be chosen of a row."""
    from buildcheck.resolve.naming import SHOWN, word

    row, kind, near, ambiguous, kinds = unknown
    if row.fault:
        return problem(path, "faulty-line", line=row.line, fault=row.fault)
    code = "several-kinds" if kinds else "several-parts" if ambiguous else "no-such-part"
    what = " or a ".join(map(word, kinds)) if kinds else word(kind) or "part" * (not ambiguous)
    return problem(path, code, near[:SHOWN], line=row.line, name=row.name, kind=what)


def form_of(command: str, frame: Frame) -> str:
    """The format asked for, else that of the file's ending, else text.

    Raises `InputError` for an ending of none of these formats.
    """
    output, form = frame.output, frame.form
    ending = output.suffix.lower() if output and not form else ""
    endings = {name: one for name, one in ENDINGS.items() if one in choices(command, "form")}
    if ending and ending not in endings:
        raise refused(str(output), "no-format", ending=ending, endings=", ".join(endings))
    return form or endings.get(ending, "text")


def check_output(path: Path | None, inputs: tuple[str | Path, ...]) -> None:
    """What is written can be, and never stands over what it was made from. Raises `InputError`.

    It is asked before the work, which may take minutes.
    """
    if path is None or str(path) == "-":
        return
    check_writable(path)
    if path.is_dir():
        raise refused(str(path), "folder-out")
    if path.name in NAMES:
        raise refused(str(path), "settings-out")
    for given in map(Path, inputs):
        if path.is_file() and given.is_file() and path.samefile(given):
            raise refused(str(path), "input-out")


def read_files(report: Report) -> tuple[str, ...]:
    """Files of quotes that a report was made from."""
    return tuple(dict.fromkeys(offer.file for offer in report.order.offers))


def page_of(report: Report, *, full: bool = False) -> str:
    """The report of a build as one page."""
    from buildcheck.render.page import to_html
    from buildcheck.whole_report.answer import report_answer

    return to_html(report_answer(report), full=full)

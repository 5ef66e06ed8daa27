"""`buildcheck validate`: build files against the rulebook, for people and for other programs."""

import datetime
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from buildcheck.cli.batch import Bar, Judge, Judged, Under, build_files, with_bar
from buildcheck.cli.declared import command, with_chosen, with_lab
from buildcheck.cli.search import check_outputs
from buildcheck.cli.settings import Lab
from buildcheck.edit import difference
from buildcheck.errors import BuildcheckError, InputError, Problem, capped
from buildcheck.model.vocabulary import refused
from buildcheck.render.documents import render_findings
from buildcheck.render.envelope import enveloped
from buildcheck.render.templates import file_text
from buildcheck.report.answer import ValidateAnswer
from buildcheck.report.rules import RuleAnswer, rules_answer
from buildcheck.rulebook import Selection
from buildcheck.streams import answer_text, complain, has_colour, shown, write_files, write_out

#: Options with which the counts are JSON as well.
_JSON_COUNTS = ("statistics", "json")


@command("validate")
@with_bar
@with_chosen
@with_lab
def main(
    builds: tuple[str, ...],
    lab: Lab,
    chosen: Selection,
    bar: Bar,
    today: datetime.date,
    *,
    stdin: str | None,
    show_settings: bool,
    **forms: Any,
) -> int:
    """Check build files against the rulebook; of a folder all below it.

    `-` reads standard input.
    """
    (builds, problems), made = build_files(builds), _Forms(**forms)
    named = tuple(stdin or "-" if build == "-" else build for build in builds)
    _check(made, builds, ())
    groups, under = lab.groups(named), dict[str, Under]()
    try:
        for group in groups:
            within = bar.within(lab, group)
            if show_settings:
                click.echo(_settings(group, lab, chosen, within), nl=False)
                continue
            under |= dict.fromkeys(group, Under(lab.judging(today, *group, chosen=chosen), within))
        found = Judge(under, stdin or "-", *made.asked).all(builds) if under else []
    except BuildcheckError as error:
        found = [Judged({}, problems=tuple(error.problems))]
    found += [Judged({}, problems=tuple(problems))] * bool(problems)
    if not found:
        return 0
    _check(made, builds, [file for one in found for file in one.read])
    made.edit(dict(zip(builds, found, strict=False)))
    said = _Said(found, [*under.values()], partial(_rules, lab, groups), made)
    write_files({p: text for p, form in made.outputs.items() if (text := said.text(form))})
    if not made.diff:
        form = (made.only or made.form) + ".json" * ((made.only, made.form) == _JSON_COUNTS)
        click.echo(said.text(form, colour=has_colour()), nl=False, color=has_colour())
    return said.code()


class _Forms(NamedTuple):
    """The formats that are asked for: to be printed, and for files."""

    form: str
    outputs: dict[Path, str]
    only: str | None
    verbose: bool
    #: Are safe edits made, and are they only shown?
    fix: bool
    diff: bool

    @property
    def asked(self) -> tuple[frozenset[bool], bool, bool]:
        """What judging is asked for: what passed in a format or in none, the page, safe edits."""
        forms = self.outputs.values()
        is_full = frozenset(map(self.is_full, (self.form, *forms)))
        return is_full, "html" in forms, self.fix or self.diff

    def edit(self, found: dict[str, Judged]) -> None:
        """Write build files after their edits, each whole, or show what would change.

        Raises `InputError`.
        """
        edits = {build: one.edits for build, one in found.items() if one.edits}
        for build, (raw, made) in edits.items():
            if self.diff:
                click.echo(difference(raw, made, shown(build)), nl=False)
            else:
                write_out(made, Path(build), read=raw)
        if self.fix or self.diff:
            what = f"{len(edits)} of {len(found)} files {'would be ' * self.diff}fixed."
            click.echo(what, err=True)

    def is_full(self, form: str) -> bool:
        """Has a format what passed? For JUnit each check is a case."""
        return self.verbose or form == "junit"


class _Said(NamedTuple):
    """Build files that were judged or not, and what each was judged by."""

    found: list[Judged]
    under: list[Under]
    rules: Callable[[], list[RuleAnswer]]
    made: _Forms

    @property
    def judged(self) -> list[Judged]:
        """Those that could be judged."""
        return [one for one in self.found if not one.problems]

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the others."""
        return [problem for one in self.found for problem in one.problems]

    def text(self, form: str, *, colour: bool = False) -> str:
        """All of it in one format; empty if that is for people and nothing was judged."""
        if form == "html" or (form == "text" and not self.judged):
            return "".join(one.page for one in self.judged)
        full, problems = self.made.is_full(form), self.problems
        stage = next((one.bar.asked for one in self.under if one.bar.asked), "")
        answer = ValidateAnswer(tuple(one.answers[full] for one in self.judged), stage)
        if form == "text":
            return answer_text("validate", answer, form, verbose=full, colour=colour)
        if form == "json":
            any_answer = answer if self.judged else None
            return enveloped("validate", any_answer, capped(problems), verbose=full)
        rules = self.rules() if form == "sarif" and self.judged else ()
        left_out = [{*one.judging.rulebook.left_out} for one in self.under]
        off = sorted(set.intersection(*left_out)) if left_out else ()
        return render_findings(answer, form, problems, rules, off)

    def code(self) -> int:
        """The exit code; what is wrong with files that cannot be judged is said."""
        if not self.problems:
            return int(any(one.is_stopped for one in self.found))
        count = len(self.judged)
        end = f"{count} file{'s' * (count != 1)} judged" if count else "nothing was done"
        # In lines of one finding each they are printed already.
        complain(InputError([] if self.made.form == "concise" else self.problems), end)
        return 2


def _rules(lab: Lab, groups: list[tuple[str, ...]]) -> list[RuleAnswer]:
    """Every rule that builds may be judged by, those left out as well."""
    found = {r.id: r for one in groups for r in rules_answer(lab.rulebook(*one)).rules}
    return [found[name] for name in sorted(found)]


def _settings(builds: tuple[str, ...], lab: Lab, chosen: Selection, bar: Bar) -> str:
    """What applies to build files, as a file with settings has it. Raises `InputError`."""
    settings = lab.settings(builds)
    return file_text(
        "validate/settings",
        path=settings.path,
        folders={key: lab.folders(key, *builds) for key in ("parts", "rules")},
        bar=bar,
        limits=settings.data.get("limits", {}),
        selections=(settings.selection, chosen),
        book=lab.rulebook(*builds).selected(settings.selection, chosen),
    )


def _check(made: _Forms, builds: tuple[str, ...], read: Sequence[str]) -> None:
    """Files can be written, none over what was read; a page holds one build.

    Raises `InputError`.
    """
    if made.fix and not made.diff and "-" in builds:
        raise refused("--fix", "fix-stdin")
    outputs = made.outputs
    for path, form in outputs.items():
        if form == "html" and len(builds) > 1:
            raise refused(str(path), "one-report")
    check_outputs({f"-o {form}={path}": path for path, form in outputs.items()}, (*builds, *read))

"""A choice of cards as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.guide import guide
from buildcheck.render import advise_rows as rows
from buildcheck.render import chart_rows
from buildcheck.render.advise_rows import ADVISE
from buildcheck.render.terminal import columns, plain, wrapped

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Iterator

    from buildcheck.advise import Advice, Path
    from buildcheck.render.drawings.pen import Table


def advise_text(advice: Advice, today: datetime.date, top: int) -> str:
    """What is asked, the cards in order, and the advice on which that rests."""
    return _joined(_lines(advice, today, top))


def chart_text(path: Path) -> str:
    """The whole chart by numbers, with the way that was taken."""
    return _joined(_chart(path))


def guide_text() -> str:
    """What each use needs, by year, where no use is named."""
    return _joined(_guide())


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{plain(line)}\n" for line in lines)


def _guide() -> Iterator[str]:
    yield f"{ADVISE('headed_guide')}:"
    table = rows.guide_table()
    yield from columns(table)
    yield ""
    yield from wrapped(ADVISE("uses_hint", uses=", ".join(guide().uses)))
    for one in guide().by_model.values():
        yield from wrapped(ADVISE("by_model", what=one.what))
        yield f"  {one.ask}"


def _chart(path: Path) -> Iterator[str]:
    table = chart_rows.chart_table(path)
    yield f"{ADVISE('headed_chart')}:"
    yield from _numbered(table)
    yield ""
    yield from _way(path)
    source = path.chart.sources[path.chart.source]
    yield from wrapped(ADVISE("chart_source", title=source.title, url=source.url))


def _numbered(table: Table) -> Iterator[str]:
    """A chart: the number, the words over the room there is, and where the answers lead."""
    yes, no = table.head[2:]
    width = max(len(row[0]) for row in table.rows)
    for number, words, then, otherwise in table.rows:
        ways = f"  {yes} {then}, {no} {otherwise}" if then else ""
        yield from wrapped(f"{number.rjust(width)}  {words}{ways}", 1, width + 2)


def _lines(advice: Advice, today: datetime.date, top: int) -> Iterator[str]:
    use = guide().uses[advice.told.use].name if advice.told.use else ADVISE("any_use")
    yield ADVISE("headed", use=use)
    yield from wrapped(" ".join(rows.asked(advice)))
    yield from wrapped(rows.age(today.year))
    yield ""
    yield from _need(advice)
    yield ""
    yield from _ranking(advice, today, top)
    yield from _used(advice)
    yield from _against(advice)
    yield ""
    yield from _way(advice.path)
    yield from wrapped(chart_rows.today_line(advice))
    yield from _split(advice)
    yield from _named(advice)
    yield ""
    yield from wrapped(ADVISE("caveats"))
    for command in rows.commands(advice):
        yield from wrapped(ADVISE("next", command=command))
    yield ADVISE("sources")
    for source in rows.sources(advice):
        yield from wrapped(f"- {source}", 2, 2)


def _need(advice: Advice) -> Iterator[str]:
    yield from wrapped(rows.need_line(advice))
    if not advice.need.said:
        return
    if rows.disagree(advice):
        yield from wrapped(ADVISE("memory_differs"))
    table = rows.memory_table(advice.need.said)
    yield from (f"  {year}  {least:>8}  {of}" for year, least, of, _ in table.rows)


def _ranking(advice: Advice, today: datetime.date, top: int) -> Iterator[str]:
    if not advice.choices:
        yield from wrapped(rows.no_choices(advice))
    else:
        yield from wrapped(rows.apart(advice)) if rows.apart(advice) else ()
        table = rows.choices_table(advice, top)
        yield f"{table.caption}:"
        yield from columns(table)
        more = len(advice.choices) - len(table.rows)
        if more > 0:
            yield ADVISE("more_choices", more)
        yield from (
            part for line in rows.under_ranking(advice, today, top) for part in wrapped(line)
        )
    for heading, lines in (
        (ADVISE("warns"), list(rows.warned(advice, top))),
        (ADVISE("conditions"), list(rows.conditions(advice, top))),
    ):
        if lines:
            yield heading
            yield from (part for line in lines for part in wrapped(f"- {line}", 2, 2))
    if advice.left:
        yield ADVISE("left")
        yield from (
            part for line in rows.left_out(advice.left) for part in wrapped(f"- {line}", 2, 2)
        )


def _used(advice: Advice) -> Iterator[str]:
    yield ""
    table = rows.used_table(advice)
    if not advice.told.used:
        yield from wrapped(ADVISE("used_hint"))
    elif table.rows:
        yield f"{table.caption}:"
        yield from columns(table)
        yield from wrapped(rows.used_line(advice))


def _against(advice: Advice) -> Iterator[str]:
    if advice.general:
        yield ""
        yield ADVISE("against")
        for line in rows.against_lines(advice.general):
            yield from wrapped(f"- {line}", 2, 2)


def _way(path: Path) -> Iterator[str]:
    table = chart_rows.way_table(path)
    yield from wrapped(table.caption)
    for question, answer, because in table.rows:
        yield from wrapped(f"- {question} {answer} ({because})", 2, 2)
    if chart_rows.assumed_line(path):
        yield from wrapped(chart_rows.assumed_line(path))


def _split(advice: Advice) -> Iterator[str]:
    if not advice.splits:
        return
    budget = advice.told.budget
    table = rows.split_table(advice.splits, budget.currency if budget else "")
    yield ""
    yield from wrapped(f"{table.caption}:")
    yield from columns(table)
    yield from wrapped(rows.cluster_line())


def _named(advice: Advice) -> Iterator[str]:
    if advice.named:
        table = rows.named_table(advice.named, general=not advice.told.use)
        yield ""
        yield f"{table.caption}:"
        for year, of, cards in table.rows:
            yield from wrapped(f"- {year}, {of}: {cards}", 2, 2)

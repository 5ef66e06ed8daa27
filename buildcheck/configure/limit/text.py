"""The power limits of a build, as text for people and as plain data for programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.edit import named
from buildcheck.model.quantity import Interval, ends_text, number_text, show
from buildcheck.render.checklist_limits import NoLimitError, files
from buildcheck.render.terminal import plain, wrapped
from buildcheck.render.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from buildcheck.configure.limit.limit import Limits, Setting

#: Version of the JSON.
FORMAT_VERSION = "1.0"
#: What is said of all this.
LIMIT = Words("limit")
#: Settings that are shown: about every twentieth of the default.
_APART = 0.05


def limits_text(found: Limits) -> str:
    """What limits do, the best, and what sets it."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: Limits) -> Iterator[str]:
    yield plain(LIMIT("headed", name=found.name, verdict=LIMIT.table("verdicts")[found.verdict]))
    goal = LIMIT.table("goals")[found.goal]
    if found.goal == "rack":
        goal = LIMIT("of_rack", power=show(Interval(found.rack, found.rack), units.POWER))
    yield from wrapped(LIMIT("sought", goal=goal, work=LIMIT.table("works")[found.work]))
    if found.lacks:
        yield from wrapped(LIMIT("lacks", cards=", ".join(found.lacks)))
        return
    if not found.settings:
        yield from wrapped(_untried(found)) if found.stopped else [LIMIT("no_cards")]
        return
    yield ""
    yield from _table(found)
    yield ""
    yield from wrapped(LIMIT("about_watts" if found.uncurved else "about"), 0, 2)
    yield ""
    if found.stopped:
        yield from wrapped(_untried(found), 0, 2)
    yield from _best(found)


def progress(done: int, number: int) -> str:
    """How many of how many limits are judged."""
    return LIMIT("progress", done=done, all=number)


def _untried(found: Limits) -> str:
    """That it was stopped, and what was not tried."""
    first, *_, last = *found.untried, found.untried[-1]
    if not first:
        return LIMIT("stopped_first")
    high, low = (" + ".join(f"{one[e.number]} W" for e in found.entries) for one in (first, last))
    return LIMIT("stopped_one", low=low) if high == low else LIMIT("stopped", high=high, low=low)


def _table(found: Limits) -> Iterator[str]:
    columns = LIMIT.table("columns")
    names = [n for n in columns if n != "rack" or found.goal == "rack"]
    rows = [[columns[n] for n in names]]
    rows += [[_cell(found, one, n) for n in names] for one in shown(found)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(names))]
    for row in rows:
        cells = [cell.rjust(wide) for cell, wide in zip(row[:-1], widths, strict=False)]
        yield f"  {'  '.join([*cells, row[-1]])}".rstrip()


def shown(found: Limits) -> list[Setting]:
    """About every twentieth of the default, where the verdict turns, and the best."""
    kept: list[Setting] = []
    for number, one in enumerate(found.settings):
        before = found.settings[number - 1] if number else None
        turned = before is None or before.verdict != one.verdict
        if turned and before is not None and kept[-1] is not before:
            kept.append(before)
        if turned or one is found.best or kept[-1].share - one.share >= _APART - 1e-9:
            kept.append(one)
    return kept


def _cell(found: Limits, one: Setting, column: str) -> str:
    cells: dict[str, Callable[[Limits, Setting], str]] = {
        "limit": _limit,
        "share": lambda _, one: LIMIT("percent", number=round(100 * one.share)),
        "training": lambda _, one: equivalents(one.training),
        "inference": lambda _, one: equivalents(one.inference),
        "wall": lambda _, one: _wall(one),
        "worth": _relative,
        "rack": _racked,
        "verdict": lambda _, one: _verdict(one),
    }
    return cells[column](found, one)


def _verdict(one: Setting) -> str:
    word, rules = LIMIT.table("verdicts")[one.verdict], one.fails or one.open
    if one.verdict == "pass" or not rules:
        return word
    first, *rest = rules
    return LIMIT("by_more" if rest else "by", len(rest), verdict=word, rule=first)


def _wall(one: Setting) -> str:
    return LIMIT("not_known") if one.wall is None else show(_round(one.wall), units.POWER)


def _racked(found: Limits, one: Setting) -> str:
    worth = one.worth("rack", found.work, found.rack)
    return LIMIT("not_known") if worth is None else number_text(_rough(worth))


def _limit(found: Limits, one: Setting) -> str:
    words = " + ".join(f"{one.watts[entry.number]} W" for entry in found.entries if one.watts)
    words = words or LIMIT("no_limit")
    return LIMIT("best_mark", limit=words) if one is found.best else words


def _relative(found: Limits, one: Setting) -> str:
    """Speed per watt of the machine over that without a limit."""
    first = found.settings[0].worth("per-watt", found.work, found.rack)
    now = one.worth("per-watt", found.work, found.rack)
    return LIMIT("not_known") if not first or now is None else f"{now / first:.2f}"


def equivalents(value: Interval | None) -> str:
    """Cards at full speed, with as many digits as curves deserve."""
    if value is None:
        return LIMIT("not_known")
    return ends_text(Interval(round(value.low, 1), round(value.high, 1)))


def _rough(value: float) -> float:
    return float(f"{value:.2g}")


def _round(value: Interval) -> Interval:
    return Interval(round(value.low), round(value.high))


def _best(found: Limits) -> Iterator[str]:
    best = found.best
    if found.uncurved:
        yield from wrapped(LIMIT("uncurved", cards=", ".join(found.uncurved)), 0, 2)
    if found.uncurved and not found.always_fails:
        yield from wrapped(_still_known(found), 0, 2)
        return
    if best is None:
        yield from _none(found)
        return
    if best.open:
        key = "open_so_far" if found.stopped else "open_all"
        yield from wrapped(LIMIT(key, rules=", ".join(best.open)), 0, 2)
    if not best.watts:
        # No limit costs no speed, whatever the others do.
        is_sure = found.goal == "speed"
        yield LIMIT("best_none" if is_sure else "best_none_of") + _so_far(found, is_sure=is_sure)
    else:
        words = {"cards": equivalents(best.speed(found.work)), "watts": _power(best)}
        full = _power(found.settings[0])
        told = LIMIT("best", limits=_each(found, best), full=full, **words)
        yield from wrapped(told + _so_far(found, is_sure=False), 0, 2)
    yield from _in_rack(found, best)
    if not found.changes:
        yield LIMIT("as_it_is")
        return
    yield LIMIT("change")
    for change in found.changes:
        key = "gone_line" if change.value is None else "set_line"
        value = str(change.value).lower() if change.value is True else change.value
        yield f"  {plain(LIMIT(key, path=named(change.path), value=value))}"
    if best.watts:
        yield from _unit(found)


def _so_far(found: Limits, *, is_sure: bool) -> str:
    """That others may be better which were not tried."""
    return LIMIT("so_far") if found.stopped and not is_sure else ""


def _none(found: Limits) -> Iterator[str]:
    """That the build passes with no limit, or with none of those that were tried."""
    if found.stopped:
        yield LIMIT("nothing_so_far")
        return
    small = found.goal == "rack" and not found.always_fails
    yield LIMIT("no_machine") if small else LIMIT("nothing")
    if found.always_fails:
        yield from wrapped(LIMIT("fails_all", rules=", ".join(found.always_fails)), 0, 2)


def _still_known(found: Limits) -> str:
    """With which limits it passes, where nobody knows how fast it is at any."""
    passing = found.passing
    if not passing and found.stopped:
        return LIMIT("nothing_so_far")
    if not passing:
        common = sorted(set.intersection(*(set(one.open) for one in found.settings)))
        return LIMIT("passes_open", rules=", ".join(common)) if common else LIMIT("passes_none")
    first, last = (_limit(found, one) for one in (passing[0], passing[-1]))
    free = not passing[0].watts
    if len(passing) == 1:
        return LIMIT("passes_free") if free else LIMIT("passes_at", first=first)
    if free:
        return LIMIT("passes_down", last=last)
    return LIMIT("passes_from", first=first, last=last)


def _power(one: Setting) -> str:
    return show(_round(one.cards), units.POWER)


def _each(found: Limits, one: Setting) -> str:
    return ", ".join(
        LIMIT(
            "each",
            card=entry.cards[0].name,
            watts=one.watts[entry.number],
            share=LIMIT("percent", number=round(100 * one.watts[entry.number] / entry.default)),
        )
        for entry in found.entries
    )


def _in_rack(found: Limits, best: Setting) -> Iterator[str]:
    speed = best.speed(found.work)
    if found.goal != "rack" or best.wall is None or speed is None:
        return
    machines = math.floor(found.rack / best.wall.high)
    cards = number_text(_rough(machines * speed.low))
    yield LIMIT("machines", machines, cards=cards)


def _unit(found: Limits) -> Iterator[str]:
    """The unit, and the script where it needs one, as the checklist has them."""
    try:
        made = files(found.report) if found.report else ()
    except NoLimitError as error:
        yield from wrapped(LIMIT("not_set", why=error.problems[0].message), 0, 2)
        return
    yield from wrapped(LIMIT("commands"), 0, 2)
    for text in made:
        yield ""
        yield from (f"  {plain(line)}".rstrip() for line in text.splitlines())


def limits_data(found: Limits) -> dict[str, Any]:
    """The same as plain data: every setting that was judged; what is not known is null."""
    return {
        "format_version": FORMAT_VERSION,
        "name": found.name,
        "verdict": found.verdict,
        "goal": found.goal,
        "for": found.work,
        "rack": found.rack if found.goal == "rack" else None,
        "best": None if found.best is None else _setting(found, found.best),
        "changes": [{"path": named(c.path), "value": c.value} for c in found.changes],
        "unit": _files(found),
        "settings": [_setting(found, one) for one in found.settings],
        "always_fails": list(found.always_fails),
        "not_known_of": list(found.lacks),
        "speed_not_known_of": list(found.uncurved),
        "stopped": found.stopped,
        "untried": [_by_path(watts) for watts in found.untried],
    }


def _files(found: Limits) -> list[str]:
    try:
        return list(files(found.report)) if found.report and found.best and found.best.watts else []
    except NoLimitError:
        return []


def _by_path(watts: dict[int, int]) -> dict[str, int]:
    return {named(("gpus", number)): limit for number, limit in watts.items()}


def _setting(found: Limits, one: Setting) -> dict[str, Any]:
    return {
        "share": round(one.share, 4),
        "limits": _by_path(one.watts),
        "training": _ends(one.training),
        "serving": _ends(one.inference),
        "card_power": _ends(one.cards),
        "wall_power": _ends(one.wall),
        "in_rack": one.worth("rack", found.work, found.rack) if found.goal == "rack" else None,
        "verdict": one.verdict,
        "fails": list(one.fails),
        "not_judged": list(one.open),
    }


def _ends(value: Interval | None) -> dict[str, float] | None:
    return None if value is None else {"low": round(value.low, 3), "high": round(value.high, 3)}

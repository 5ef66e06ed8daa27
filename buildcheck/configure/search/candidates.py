"""Options of which too little is known for any machine with them to pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from buildcheck.configure.search.law import Law
    from buildcheck.configure.search.space import Option

#: What has to be known of a part for a rule to be judged of any machine that it is in.
KNOWN = {
    ("gpus", "board_power"): "power/psu-overload",
    ("motherboard", "slots"): "pcie/fewer-slots-than-cards",
    ("motherboard", "plugs"): "cable/board-plug-without-cable",
    ("psus", "rated_power"): "power/psu-overload",
    ("psus", "plugs"): "cable/board-plug-without-cable",
    ("cpu", "base_power"): "power/psu-overload",
    ("cpu", "turbo_power"): "power/psu-overload-worst-case",
}


def lacking(law: Law, lists: Mapping[str, list[Option]]) -> Iterator[tuple[str, str, set[int]]]:
    """The serials of options that lack a value without which no machine passes, by rule."""
    asked = {a.rule.id for a in law.asked}
    for (role, name), rule in KNOWN.items():
        options = lists.get(role, [])
        if rule in asked and not any(o.given for o in options):
            lacks = {o.serial for o in options if None in o.values(name)}
            if lacks:
                yield rule, role, lacks

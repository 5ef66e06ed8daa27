"""Templates → Markdown, for issues, mails and wikis; every value is shown as inert text."""

import html
import re
from functools import cache
from typing import Any

from markupsafe import Markup

from buildcheck.model.labels import plain
from buildcheck.render import templates

#: What Markdown, HTML or an issue tracker reads as more than text.
_SIGNS = re.compile(r"[\\`*_{}\[\]#|~$!]|^[-+](?= )|(?<=^\d)[.)](?= )")
_ENTITIES = {"@": "&#64;", "://": "&#58;//", "www.": "www&#46;"}


def markdown(template: str, **words: Any) -> str:
    """Text from `templates/<template>.md.j2`."""
    text = _environment().get_template(f"{template}.md.j2").render(**words)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"


@cache
def _environment() -> Any:
    made = templates.environment("markdown", finalize=_finalize, keep_trailing_newline=True)
    made.filters["code"] = lambda text: templates.trusted(f"`{plain(text).replace('`', chr(39))}`")
    made.filters |= {"prose": prose, "fenced": _fenced}
    return made


def _finalize(value: Any) -> Any:
    """What a template shows: text of names is escaped, text of filters is Markdown."""
    if value is None or isinstance(value, Markup):
        return "" if value is None else value
    text = str(value)
    # Words that go on after others begin with a space.
    return " " * text.startswith(" ") + escaped(text)


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, in one line: no markup, no cell, no link of its own."""
    return _inert(plain(" ".join(text.split())))


def _inert(text: str) -> str:
    text = html.escape(_SIGNS.sub(r"\\\g<0>", text), quote=False)
    for sign, entity in _ENTITIES.items():
        text = text.replace(sign, entity)
    return text


def prose(text: str) -> Markup:
    """Text of this program or of a rule: what is in backticks stays code."""
    parts = plain(" ".join(text.split())).split("`")
    if len(parts) % 2 == 0:
        return templates.trusted(_inert("`".join(parts)))
    shown = (f"`{part}`" if n % 2 and part else _inert(part) for n, part in enumerate(parts))
    return templates.trusted("".join(shown))


def _fenced(block: str) -> Markup:
    """Lines as code, fenced by more backticks than they hold."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", block)), 3)
    lines = [fence, *map(plain, block.rstrip("\n").split("\n")), fence]
    return templates.trusted("\n".join(f"  {line}" for line in lines))

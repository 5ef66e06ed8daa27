"""Templates → self-contained pages under a Content-Security-Policy of their own.

A page loads nothing. Its style and scripts are inline, and the policy names each by its digest, so
that markup in a part's name or a note can neither style nor run anything.
Scripts only add comfort: a page is complete without them.
"""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import Any

from markupsafe import Markup

from buildcheck import store
from buildcheck.render import templates
from buildcheck.render.drawings.pen import Drawing

#: Signs that XML cannot hold, and those that turn the direction of text around.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)

#: Signs of a name, and of a digest with its kind, at the foot of a sheet.
_LONGEST, _DIGEST = 60, 19


def sheet(
    layout: str, foot: str, *, styles: tuple[str, ...], scripts: tuple[str, ...] = (), **words: Any
) -> str:
    """A page from a template that extends `base.html.j2`; on paper each sheet bears `foot`.

    `styles` and `scripts` are files of `templates/`, put in one behind the other.
    """
    style = f"{_joined(('css/house.css', *styles))}\n{_footing(foot)}"
    script = _joined(scripts)
    # Style and scripts are files of this program, not text of a build.
    own = {"style": templates.trusted(style), "script": templates.trusted(script)}
    return _page(layout, **own, **words)


def picture(drawing: Drawing | None, name: str, answer: Any) -> str:
    """A drawing as SVG that loads nothing, with the words of `templates/words/<name>.j2`."""
    say = templates.words(name)
    # The colours of the pages, and how their drawings look.
    colours = [line for line in _joined(("css/house.css",)).split("\n") if ":root {" in line]
    style = "\n".join([*colours, _joined(("css/drawings.css",)), ".paper { fill: var(--panel); }"])
    words = {"title": say.title(answer), "description": say.described(answer)}
    return _page("drawing.svg.j2", drawing=drawing, style=style, **words)


def _page(template: str, **words: Any) -> str:
    return _UNSEEN.sub("\ufffd", _environment().get_template(template).render(**words)) + "\n"


@cache
def _environment() -> Any:
    environment = templates.environment()
    environment.filters |= {
        "digest": lambda text: b64encode(sha256(text.encode()).digest()).decode(),
        "web": lambda address: address if address.startswith(("https://", "http://")) else "",
        "code": _code,
        "capital": lambda words: words[:1].upper() + words[1:],
    }
    return environment


@cache
def _joined(names: tuple[str, ...]) -> str:
    folder = store.data_folder("templates")
    return "\n".join((folder / n).read_text(encoding="utf-8").strip() for n in names)


def page_foot(answer: Any) -> str:
    """The foot of each printed sheet of a build: its name, the day, and the file's digest."""
    name = answer.name if len(answer.name) <= _LONGEST else f"{answer.name[:_LONGEST]}…"
    return f"{name}, {answer.checked}, {answer.digest[:_DIGEST]}"


def _footing(words: str) -> str:
    """The foot of each sheet, in which what is no letter or figure is written as its number."""
    clean = _UNSEEN.sub("\ufffd", words)
    quoted = "".join(c if c.isascii() and c.isalnum() else f"\\{ord(c):x} " for c in clean)
    return (
        f'@page {{ @bottom-left {{ content: "{quoted}"; font: 8pt sans-serif; }}'
        ' @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; } }'
    )


def _code(text: str) -> Markup:
    """Text with its parts in backticks as code."""
    tags = (Markup("{}"), Markup("<code>{}</code>"))
    return Markup("").join(tags[n % 2].format(part) for n, part in enumerate(text.split("`")))

"""Templates → self-contained pages under a Content-Security-Policy of their own.

A page loads nothing. Its style and its scripts stand in it, and the policy names each by
its digest, so that markup in a part's name or a note can neither style nor run anything.
Scripts only add comfort: a page is complete without them.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from buildcheck import store
from buildcheck.wording import label

if TYPE_CHECKING:
    from buildcheck.model.finding import Report

#: Control characters, and those that turn the direction of text around.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

#: Signs of a name, and of a digest with its kind, at the foot of a sheet.
_LONGEST, _DIGEST = 60, 19


def html(
    template: str,
    report: Report,
    *,
    styles: tuple[str, ...],
    scripts: tuple[str, ...] = (),
    **words: Any,
) -> str:
    """A page of a report, from a template that extends `base.html.j2`; the same bytes each time.

    `styles` and `scripts` are files of `templates/`, put in one behind the other. On paper
    each sheet bears the build's name and the digest of its file.
    """
    words = {"report": report, **words}
    return sheet(template, _foot(report), styles=styles, scripts=scripts, **words)


def sheet(
    template: str,
    foot: str,
    *,
    styles: tuple[str, ...],
    scripts: tuple[str, ...] = (),
    **words: Any,
) -> str:
    """A page of whatever `words` the template asks for; on paper each sheet bears `foot`."""
    style = f"{_joined(('css/house.css', *styles))}\n{_footing(foot)}"
    script = _joined(scripts)
    own = {"style": style, "script": script, "policy": _policy(style, script)}
    # Style, scripts and policy are files of this program, not text of a build.
    own = {name: Markup(text) for name, text in own.items()}  # noqa: S704
    text = _environment().get_template(template).render(**own, **words)
    return _UNSEEN.sub("\ufffd", text) + "\n"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(store.data_folder("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["label"] = label
    environment.filters["web"] = _web
    environment.filters["code"] = _code
    environment.filters["sentence"] = _sentence
    environment.filters["capital"] = _capital
    environment.filters["lower_first"] = _lower_first
    return environment


@cache
def _joined(names: tuple[str, ...]) -> str:
    folder = store.data_folder("templates")
    return "\n".join((folder / n).read_text(encoding="utf-8").strip() for n in names)


def _foot(report: Report) -> str:
    """What stands at the foot of each sheet of a report."""
    name = report.name if len(report.name) <= _LONGEST else f"{report.name[:_LONGEST]}…"
    return f"{name}, {report.checked}, {report.document.digest[:_DIGEST]}"


def _footing(words: str) -> str:
    return (
        f'@page {{ @bottom-left {{ content: "{_quoted(words)}"; font: 8pt sans-serif; }}'
        ' @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; } }'
    )


def _quoted(text: str) -> str:
    """Text inside a string of a style sheet: what is no letter or figure as its number."""
    clean = _UNSEEN.sub("\ufffd", text)
    return "".join(c if c.isascii() and c.isalnum() else f"\\{ord(c):x} " for c in clean)


def _policy(style: str, script: str) -> str:
    """What the page may do: show itself, in its own style, and run its own scripts."""
    allowed = [f"style-src {_digest(style)}"] + (
        [f"script-src {_digest(script)}"] if script else []
    )
    return "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _code(text: str) -> Markup:
    """Text with what stands in backticks as code."""
    tags = (Markup("{}"), Markup("<code>{}</code>"))
    return Markup("").join(tags[n % 2].format(part) for n, part in enumerate(text.split("`")))


def _web(address: str) -> str:
    """An address to link to, or nothing if it is not a plain web address."""
    return address if address.startswith(("https://", "http://")) else ""


def _sentence(words: str) -> str:
    """Words as a sentence: a capital at the start, a stop at the end."""
    words = words.strip()
    return _capital(words) + ("" if words.endswith((".", "!", "?")) else ".")


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _lower_first(words: str) -> str:
    """A title inside a sentence; words that begin with two capitals are names.

    >>> _lower_first("A supply runs hot"), _lower_first("GPU memory is short")
    ('a supply runs hot', 'GPU memory is short')
    """
    return words if words[1:2].isupper() else words[:1].lower() + words[1:]

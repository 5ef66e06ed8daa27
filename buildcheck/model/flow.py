"""Data as YAML in one line."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from buildcheck.model.source import read, scalar


@lru_cache(maxsize=4096, typed=True)
def word(value: str | float, *, in_brackets: bool = True) -> str:
    """A text, number or truth in one line, in quotes where the reader needs them."""
    if isinstance(value, float):
        return re.sub(r"(\.\d+?)0+$", r"\1", f"{value:.9f}")
    if not isinstance(value, str):
        return str(value).lower()
    for written in (value, f"'{value}'") if value.isprintable() else ():
        if in_brackets:
            is_read = reads(f"[{{k: {written}, {written}: 1}}]", [{"k": value, value: 1}])
        else:
            is_read = reads(f"- k: {written}\n", [{"k": value}])
        if is_read:
            return written
    return scalar(value, quoted=True)


def reads(written: str, data: Any) -> bool:
    """Is a text read as that data?"""
    found = read(written.encode(), "")
    return not found.problems and bool(found.data == data)


def flow(value: Any) -> str:
    """Data in one line that may be inside brackets."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{word(k)}: {flow(v)}" for k, v in value.items()) + "}"
    return f"[{', '.join(map(flow, value))}]" if isinstance(value, list) else word(value)

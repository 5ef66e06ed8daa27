"""Checks a proposed multi-GPU machine before it is bought. `buildcheck.api` is what it offers."""

from typing import Any

__version__ = "0.1.0"
#: What a program that an interrupt ended leaves with, as shells have it.
INTERRUPTED = 130
#: Names of the interface to other programs, which takes a while to load.
NAMES = (
    *("BuildAnswer", "BuildcheckError", "Checker", "DiffAnswer", "Figure", "FindingAnswer"),
    *("InputError", "PartSearchAnswer", "Problem", "Repair", "RuleAnswer", "as_data", "check"),
    *("diff", "find_parts", "repair", "rules", "schema"),
)


def __getattr__(name: str) -> Any:
    """A name of the interface."""
    if name not in NAMES:
        raise AttributeError(f"module 'buildcheck' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module("buildcheck.api"), name)


def __dir__() -> list[str]:
    """The names of the interface."""
    return sorted(NAMES)

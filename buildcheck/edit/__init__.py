"""Changes of build files: of their data, and of their text."""

from buildcheck.edit.changes import Change, accepted, changed, difference, named, respelt
from buildcheck.edit.text import edit, formatted

__all__ = ["Change", "accepted", "changed", "difference", "edit", "formatted", "named", "respelt"]

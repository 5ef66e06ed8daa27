# What type checkers read of the package: names that are loaded when they are asked for.

__version__: str
INTERRUPTED: int
NAMES: tuple[str, ...]
# True where this package itself is checked: nothing in it takes those names from here.
OWN_CHECK: bool

if not OWN_CHECK:
    from buildcheck.api import *

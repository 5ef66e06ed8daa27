"""What is: every fact rules can ask for, one module per domain of physics."""

from importlib import import_module
from pkgutil import iter_modules

from buildcheck.facts.registry import FACTS

__all__ = ["FACTS"]

# Each module declares its facts when it is imported.
for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)

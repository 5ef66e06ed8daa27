"""`dataclass(frozen=True)` in a tenth of the time: its methods are shared, not compiled per class.

A command reads a hundred such classes before it does anything.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass

__all__ = ["dataclass", "unchanging"]


def _init(self: Any, *values: Any, **named: Any) -> None:
    names, start, made = _form(self.__class__)
    own: dict[str, Any] = self.__dict__
    own.update(zip(names, values, strict=False), **named)
    if len(own) < len(values) + len(named) or not named.keys() <= start.keys():
        raise TypeError(f"{type(self).__name__} has no place for some of {values} or {named}")
    for name in names[len(values) :] if len(own) < len(names) else ():
        if name not in own:
            if start[name] is dataclasses.MISSING and name not in made:
                raise TypeError(f"{type(self).__name__} needs '{name}'")
            own[name] = made[name]() if name in made else start[name]


def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in _fields(self.__class__) if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: object) -> bool:
    key = _key(self.__class__)
    return key(self) == key(other) if type(other) is type(self) else NotImplemented


def unchanging(self: Any, name: str, *_: Any) -> NoReturn:
    """What sets an attribute where none is set. Raises `FrozenInstanceError`."""
    raise dataclasses.FrozenInstanceError(f"{type(self).__name__}.{name} does not change")


@cache
def _key(made: type) -> Callable[[Any], Any]:
    return attrgetter(*(f.name for f in _fields(made) if f.compare))


@cache
def _form(made: type) -> tuple[tuple[str, ...], dict[str, Any], dict[str, Callable[[], Any]]]:
    """The names of a class's fields, what they are at first, and what makes some of them."""
    fields = _fields(made)
    start, missing = {f.name: f.default for f in fields}, dataclasses.MISSING
    makers = {f.name: f.default_factory for f in fields if f.default_factory is not missing}
    return tuple(start), start, makers


@cache
def _fields(made: type) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(made)


_METHODS = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": lambda self: hash(_key(self.__class__)(self)),
    "__setattr__": unchanging,
    "__delattr__": unchanging,
}


if not TYPE_CHECKING:

    def dataclass(*, frozen: bool) -> Callable[[type], type]:
        """What makes a class a frozen dataclass."""

        def made(plain: type) -> type:
            for name, method in _METHODS.items():
                if name not in vars(plain):
                    setattr(plain, name, method)
            return dataclasses.dataclass(init=False, repr=False, eq=False)(plain)

        return made if frozen else dataclasses.dataclass

"""Frozen dataclasses in a tenth of the time: their methods are shared, not compiled per class.

A command reads a hundred such classes before it does anything.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable


def unchanging(self: Any, name: str, *_: Any) -> NoReturn:
    """What sets an attribute where none is set. Raises `FrozenInstanceError`."""
    raise dataclasses.FrozenInstanceError(f"{type(self).__name__}.{name} does not change")


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
class Frozen:
    """What is below it is a frozen dataclass."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    def __init_subclass__(cls) -> None:
        dataclasses.dataclass(init=False, repr=False, eq=False)(cls)

    def __init__(self, *values: Any, **named: Any) -> None:
        kind: Any = type(self)
        names, start, made = _form(kind)
        own: dict[str, Any] = self.__dict__
        own.update(zip(names, values, strict=False), **named)
        if len(own) < len(values) + len(named) or not named.keys() <= start.keys():
            raise TypeError(f"{type(self).__name__} has no place for some of {values} or {named}")
        for name in names[len(values) :] if len(own) < len(names) else ():
            if name not in own:
                if start[name] is dataclasses.MISSING and name not in made:
                    raise TypeError(f"{type(self).__name__} needs '{name}'")
                own[name] = made[name]() if name in made else start[name]

    def __repr__(self) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        kind: Any = type(self)
        key = _key(kind)
        return key(self) == key(other) if type(other) is type(self) else NotImplemented

    if not TYPE_CHECKING:
        __setattr__ = __delattr__ = unchanging

        def __hash__(self) -> int:
            return hash(_key(type(self))(self))


@cache
def _key(made: Any) -> Callable[[Any], Any]:
    return attrgetter(*(f.name for f in dataclasses.fields(made) if f.compare))


@cache
def _form(made: Any) -> tuple[tuple[str, ...], dict[str, Any], dict[str, Callable[[], Any]]]:
    """The names of a class's fields, what they are at first, and what makes some of them."""
    fields = dataclasses.fields(made)
    start, missing = {f.name: f.default for f in fields}, dataclasses.MISSING
    makers = {f.name: f.default_factory for f in fields if f.default_factory is not missing}
    return tuple(start), start, makers

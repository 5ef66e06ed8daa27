"""Plain data → models, by schemas that are made of what their fields are marked with.

pydantic makes the same schemas in five times the time, and those of sections that nobody wrote.
"""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Self, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticUndefined, SchemaValidator
from pydantic_core import core_schema as cs

from buildcheck.model.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pydantic.fields import FieldInfo


def says(words: str) -> Any:
    """An optional field, and what it means."""
    return Field(default=None, description=words)


def marks(info: FieldInfo) -> list[Any]:
    """What a field is marked with, its type included; also where it is optional."""
    inner = getattr(info.annotation, "__args__", ())
    return [*info.metadata, *(m for one in inner for m in getattr(one, "__metadata__", ()))]


class StrictModel(BaseModel):
    """Read strictly: unknown keys are refused, values are typed."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", defer_build=True, protected_namespaces=()
    )


class Strict(StrictModel):
    """A strict model none of whose methods validates."""

    @classmethod
    def model_validate(cls, obj: Any, **_: Any) -> Self:
        """Plain data as this model. Raises `ValidationError`."""
        found: Self = _validator(cls).validate_python(obj)
        return found


@cache
def _validator(model: type[Strict]) -> SchemaValidator:
    return SchemaValidator(schema_of(model))


def schema_of(model: type[Strict]) -> cs.CoreSchema:
    """The schema of a model, by the annotations of its fields."""
    fields = {}
    for name, info in model.model_fields.items():
        schema = _marked(info.annotation, info.metadata)
        if info.default is not PydanticUndefined:
            schema = cs.with_default_schema(schema, default=info.default)
        fields[name] = cs.model_field(schema)
    inner = cs.model_fields_schema(fields, model_name=model.__name__)
    config = cs.CoreConfig(extra_fields_behavior="forbid", title=model.__name__)
    return cs.model_schema(model, inner, config=config)


def _marked(kind: Any, marks: Iterable[Any]) -> cs.CoreSchema:
    """The schema of a type, in those that its marks give, the last one outside."""
    *others, last = [None, *(m for m in marks if hasattr(m, "__get_pydantic_core_schema__"))]
    if last is None:
        return _plain(kind)
    schema: cs.CoreSchema = last.__get_pydantic_core_schema__(kind, lambda _: _marked(kind, others))
    return schema


def _plain(kind: Any) -> cs.CoreSchema:
    origin = get_origin(kind)
    if origin is Annotated:
        return _marked(kind.__origin__, kind.__metadata__)
    if origin in (Union, UnionType):
        (given,) = (k for k in get_args(kind) if k is not type(None))
        return cs.nullable_schema(_plain(given))
    if origin is tuple:
        return cs.tuple_schema([_plain(get_args(kind)[0])], variadic_item_index=0)
    if kind is str:
        return cs.str_schema()
    # A section is looked at when something is written in it.
    return cs.no_info_plain_validator_function(kind.model_validate)


@dataclass(frozen=True)
class Whole:
    """Marks a field as a plain whole number in bounds."""

    least: int
    most: int

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> cs.CoreSchema:
        return cs.int_schema(strict=True, ge=self.least, le=self.most)


@dataclass(frozen=True)
class Fits:
    """Marks a field as one to compare with another in front of it; `wrong` says what is wrong."""

    other: str
    wrong: Callable[[Any, Any], str]

    def _checked(self, value: Any, info: cs.ValidationInfo[Any]) -> Any:
        wrong = self.wrong(info.data.get(self.other), value)
        if wrong:
            raise ValueError(wrong)
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> cs.CoreSchema:
        return cs.with_info_after_validator_function(self._checked, handler(source))

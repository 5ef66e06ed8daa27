"""Plain data → models, by schemas that are made of what their fields are marked with.

The core of pydantic reads the data and says what is wrong with them. Its own models take ten times
as long to make as these plain classes, and every command would wait for those of all sections.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from inspect import get_annotations
from operator import attrgetter
from types import UnionType
from typing import Annotated, Any, ClassVar, NamedTuple, Self, Union, get_args, get_origin

from pydantic_core import PydanticUndefined, SchemaValidator
from pydantic_core import core_schema as cs

from buildcheck.model.frozen import Frozen, unchanging

#: The default of a field that has to be given.
NEEDED = PydanticUndefined


class Field(NamedTuple):
    """What a field takes, what it is unless given, what it means, and its key if not its name."""

    annotation: Any
    default: Any
    description: str = ""
    alias: str | None = None


def says(words: str, default: Any = None, alias: str | None = None) -> Any:
    """A field, and what it means; one that may be left out unless it is `NEEDED`."""
    return Field(None, default, words, alias)


def marks(info: Field) -> list[Any]:
    """What a field is marked with; also where it is optional."""
    inner = (info.annotation, *getattr(info.annotation, "__args__", ()))
    return [m for one in inner for m in getattr(one, "__metadata__", ())]


class _Model(type):
    """What is a model; by it mypy knows that models can be looked up."""


class Strict(metaclass=_Model):
    """Read strictly: unknown keys are refused, values are typed, and nothing changes later."""

    __slots__ = ("__dict__", *(f"__pydantic_{n}__" for n in ("extra", "fields_set", "private")))
    #: Every field by its name, those of its bases first.
    model_fields: ClassVar[dict[str, Field]] = {}
    #: The fields that were given.
    model_fields_set = property(attrgetter("__pydantic_fields_set__"))
    __setattr__ = __delattr__ = unchanging

    def __init_subclass__(cls, fields: Mapping[str, Field] | None = None) -> None:
        """Its fields are those that are annotated, and `fields` of data."""
        cls.model_fields = {}
        for base in reversed(cls.__mro__[1:]):
            cls.model_fields |= getattr(base, "model_fields", {})
        for name, kind in get_annotations(cls).items():
            said = vars(cls).get(name, NEEDED)
            info = said if isinstance(said, Field) else Field(None, said)
            cls.model_fields[name] = info._replace(annotation=kind)
        cls.model_fields |= fields or {}
        declared = {name: one.annotation for name, one in (fields or {}).items()}
        cls.__annotations__ = get_annotations(cls) | declared

    def __getattr__(self, name: str) -> Any:
        # There are fields of data, which mypy sees none of.
        raise AttributeError(f"{type(self).__name__} has no {name}")

    def __init__(self, **values: Any) -> None:
        _validator(type(self)).validate_python(values, self_instance=self)

    @classmethod
    def model_validate(cls, obj: Any) -> Self:
        """Plain data as this model. Raises `ValidationError`."""
        found: Self = _validator(cls).validate_python(obj)
        return found

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        """A model with values that are known to be sound."""
        made = cls.__new__(cls)
        made.__dict__.update({n: i.default for n, i in cls.model_fields.items()} | values)
        object.__setattr__(made, "__pydantic_fields_set__", {*values})
        return made

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> cs.CoreSchema:
        # A section is looked at when something is written in it.
        return cs.no_info_plain_validator_function(cls.model_validate)

    def model_copy(self, *, update: dict[str, Any]) -> Self:
        """A copy with other values, which are known to be sound."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return self.model_construct(**{**given, **update})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        # Draws and searches go by it: equal values have one text, in every run.
        known = {n: sorted(v) if isinstance(v, frozenset) else v for n, v in vars(self).items()}
        return f"{type(self).__name__}{known}"


def model_of(name: str, bases: list[type], doc: str | None, fields: Mapping[str, Field]) -> Any:
    """A model that is declared in data."""
    return type(name, tuple(bases), {"__doc__": doc}, fields=fields)


@cache
def _validator(model: type[Strict]) -> SchemaValidator:
    return SchemaValidator(schema_of(model))


def schema_of(model: type[Strict]) -> cs.CoreSchema:
    """The schema of a model, by the annotations of its fields."""
    fields = {}
    for name, info in model.model_fields.items():
        schema = _plain(info.annotation)
        if info.default is not NEEDED:
            schema = cs.with_default_schema(schema, default=info.default)
        fields[name] = cs.model_field(schema, validation_alias=info.alias)
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
    if origin is dict:
        return cs.dict_schema(*map(_plain, get_args(kind)))
    return cs.str_schema() if kind is str else _marked(kind, [kind])


class Whole(Frozen):
    """Marks a field as a plain whole number in bounds."""

    least: int
    most: int

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> cs.CoreSchema:
        return cs.int_schema(strict=True, ge=self.least, le=self.most)


class Through(Frozen):
    """Marks a field as one whose value goes through a function, before or after it is read."""

    how: Callable[[Callable[[Any], Any], cs.CoreSchema], cs.CoreSchema]
    func: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> cs.CoreSchema:
        return self.how(self.func, handler(source))


Before = partial(Through, cs.no_info_before_validator_function)
After = partial(Through, cs.no_info_after_validator_function)


class Fits(Frozen):
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

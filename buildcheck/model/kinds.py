"""What can be known about each kind of part: one model per kind, one field per fact.

The kinds and their fields are data, in `words/part-kinds.yaml`. The same models read part files,
inline parts and overrides in a build file, and declare the `field` facts that rules ask for. Every
field is optional. A field with a `part` names one whose facts fill gaps: a GPU's chip, a chip's
architecture, a PSU's standard.
"""

from functools import cache
from typing import Any

from buildcheck.model import board
from buildcheck.model import values as v
from buildcheck.model.strict import Strict, marks, model_of
from buildcheck.model.vocabulary import vocabulary

#: What is declared of each kind: `says`, `of` (kinds whose fields it has as well), `fields`.
DECLARED = vocabulary("part-kinds")


def declared(kind: str, name: str) -> dict[str, Any]:
    """What is declared of a field, by the kind or by one that it is of as well."""
    found: dict[str, Any] | None = DECLARED.get(kind, {}).get("fields", {}).get(name)
    others = (declared(other, name) for other in DECLARED.get(kind, {}).get("of", ()))
    return next(filter(None, others), {}) if found is None else found


def _model(kind: str, made: dict[str, type[Strict]]) -> type[Strict]:
    if kind not in made:
        one = DECLARED[kind]
        fields = v.declared(one.get("fields", {}), board.LISTS)
        bases = [_model(other, made) for other in one.get("of", ())] or [Strict]
        made[kind] = model_of(kind.title().replace("-", ""), bases, one["says"], fields)
    return made[kind]


#: Every kind with its model, and what has become of other entries once a build is judged.
MODELS: dict[str, type[Strict]] = {}
for _kind in DECLARED:
    _model(_kind, MODELS)
KINDS = {kind: MODELS[kind] for kind in DECLARED if not kind.endswith("-state")}
#: Kinds of cooler of GPUs.
COOLING: tuple[str, ...] = tuple(DECLARED["gpu"]["fields"]["cooling"]["among"])


@cache
def references(model: type[Strict]) -> dict[str, str]:
    """The fields of a model that name parts, and of what kind those are."""
    fields = model.model_fields.items()
    return {name: m.kind for name, info in fields for m in marks(info) if isinstance(m, v.Ref)}

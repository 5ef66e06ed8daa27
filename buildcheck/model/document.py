"""Documents that come with the program, as pydantic models."""

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """Read strictly: unknown keys are refused, values are typed."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

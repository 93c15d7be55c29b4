"""What the tables of a scenario have in common: the base of all, names, sizes, areas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from raidsim.scenario.fields import Line, Quantity, table_only

Name = Annotated[str, Line()]
Size = Quantity("size", above="0 B", sectors=True)
Table = BeforeValidator(table_only)


class Part(BaseModel):
    """A table of the file: frozen, with no keys but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


P = TypeVar("P", bound=Part)


def made_of(model: type[P], values: Mapping[str, Any]) -> P:
    """Make a part of values that have been checked."""
    fields = {name: value for name, value in values.items() if name in model.model_fields}
    found: Any = model.model_construct(**fields)
    made: P = found
    return made


class Area(NamedTuple):
    """The part of a volume that a load touches; ``size`` None is all the rest of it."""

    offset: Annotated[int, Quantity("size", sectors=True), Field(description="first byte")] = 0
    size: Annotated[
        int | None,
        Quantity("size", above="0 B", sectors=True, word="rest"),
        Field(description="bytes from there"),
    ] = None

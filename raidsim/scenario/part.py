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
    """Make a part of values that have been checked, with what was found out about it beside them.

    That is the card of a part that has one, the layout of a volume, and the blocks and the
    capacity of a hybrid.
    """
    fields = {name: value for name, value in values.items() if name in model.model_fields}
    part: Any = model.model_construct(**fields)
    if "card" in values:
        part._card = values["card"]
    if "layout" in values:
        part._layout = values["layout"]
    if "blocks" in values:
        part._blocks, part._capacity = values["blocks"], values["capacity"]
    found: P = part
    return found


class Area(NamedTuple):
    """The part of a volume that a load touches; ``size`` None is all the rest of it."""

    offset: Annotated[int, Quantity("size", sectors=True), Field(description="first byte")] = 0
    size: Annotated[
        int | None,
        Quantity("size", above="0 B", sectors=True, word="rest"),
        Field(description="bytes from there"),
    ] = None

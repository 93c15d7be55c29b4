"""The common parts of all tables of a scenario: their base class, names, sizes, areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from raidsim.scenario.fields import Line, Quantity, table_only

Name = Annotated[str, Line()]
Size = Quantity("size", above="0 B", sectors=True)
Table = BeforeValidator(table_only)


class Part(BaseModel):
    """A table of the file: frozen, with no keys but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    if not TYPE_CHECKING:  # a type checker knows from `frozen` that nothing can be assigned

        def __setattr__(self, name: str, value: Any) -> None:
            """Say how another scenario is made, where pydantic says only that this is frozen."""
            if not name.startswith("_"):
                raise AttributeError(
                    f"a scenario does not change, so {name} cannot be set: make another one, as in"
                    ' scenario = scenario.with_("load.size", "8 KiB")'
                )
            super().__setattr__(name, value)

    def __hash__(self) -> int:
        """Return a hash of the fields that have one: equal tables have equal hashes.

        Dicts have none, and what they hold is left out: tables that differ in nothing else have
        the same hash, and are still not equal.
        """
        return hash((type(self), *map(_hash_of, self.__dict__.values())))


def _hash_of(value: object) -> int:
    try:
        return hash(value)
    except TypeError:
        return 0


class Area(NamedTuple):
    """The part of a volume that a load touches; ``size`` None is all the rest of it."""

    offset: Annotated[int, Quantity("size", sectors=True), Field(description="first byte")] = 0
    size: Annotated[
        int | None,
        Quantity("size", above="0 B", sectors=True, word="rest"),
        Field(description="bytes from there"),
    ] = None

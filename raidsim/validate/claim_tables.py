"""What may stand in a file of ``validation/``: its tables, and which of their keys go together.

A file holds the claims of one document. At its top stand the document (name of its file without
ending), its title, the usual intensities and the tolerance of each relation with the reason;
then one ``[[claim]]`` after the other.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    model_validator,
)

from raidsim import units
from raidsim.errors import quote, suggest
from raidsim.validate.claims import Measurement, Relation, Role
from raidsim.validate.facts import FACTS
from raidsim.validate.jobs import Latency
from raidsim.validate.metrics import METRICS

LARGEST = 1e300
"""What a figure may be at most: no storage does more, and arithmetic stays finite."""

Number = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Positive = Annotated[Number, Field(gt=0)]
Text = Annotated[str, Field(min_length=1)]
MOST_OUTSTANDING = 65536
Outstanding = Annotated[int, Field(ge=1, le=MOST_OUTSTANDING, strict=True)]
Searched: TypeAlias = Literal["max", "mean", "each", "within"]


def _published(value: object) -> float | tuple[float, float]:
    """Return a printed figure, or a range as a pair."""
    numbers: list[Any] = value if isinstance(value, list) and len(value) == 2 else [value]
    for one in numbers:
        if isinstance(one, bool) or not isinstance(one, int | float) or not 0 <= one <= LARGEST:
            raise ValueError(f"{quote(value)} is neither a number of zero or more nor [low, high]")
    return (float(numbers[0]), float(numbers[1])) if len(numbers) == 2 else float(numbers[0])


def _at(value: Any) -> int | str:
    """Return a number of outstanding I/Os, "max", "mean", "each" or "within"."""
    if value in get_args(Searched) or (type(value) is int and 1 <= value <= MOST_OUTSTANDING):
        return value  # type: ignore[no-any-return]
    raise ValueError(
        f"{quote(value)} is neither a number of outstanding I/Os up to {MOST_OUTSTANDING} nor"
        ' "max", "mean", "each" or "within"'
    )


def _quantity(value: Any, dimension: str) -> str:
    """Return a quantity as it is written, if it can be read."""
    try:
        units.parse(value, dimension)
    except units.QuantityError as error:
        raise ValueError(f"{error.cause}; {error.remedy}") from None
    return str(value)


Published: TypeAlias = Annotated[float | tuple[float, float], PlainValidator(_published)]
At: TypeAlias = Annotated[int | Searched, PlainValidator(_at)]
Time: TypeAlias = Annotated[str, PlainValidator(lambda value: _quantity(value, "time"))]
Share: TypeAlias = Annotated[str, PlainValidator(lambda value: _quantity(value, "share"))]
Intensities: TypeAlias = Annotated[
    tuple[Outstanding, ...],
    Field(min_length=1),
    AfterValidator(lambda numbers: tuple(sorted(set(numbers)))),
]


class _Table(BaseModel):
    """A table of the file: no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=False)


class Run(_Table):
    """A scenario, its changes, and the intensities to be compared."""

    scenario: Text
    overrides: tuple[Text, ...] = Field(default=(), alias="set")
    at: At | None = None
    over: Intensities | None = None
    within: Time | None = None
    within_percentile: Share | None = None
    also: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    time: Time | None = None
    share: Share | None = None
    relative_to: Run | None = None

    @model_validator(mode="after")
    def _check(self) -> Run:
        if (self.at == "within") != (self.within is not None):
            raise ValueError('at = "within" and within, a latency, belong together')
        if self.within_percentile is not None and self.within is None:
            raise ValueError("within_percentile has no effect without within")
        if self.also is not None and (self.within is not None or self.at == "each"):
            raise ValueError("also, a second run to average with, goes with one figure of both")
        base = self.relative_to
        if base is not None and ({"each", "mean"} & {self.at, base.at} or base.relative_to):
            raise ValueError("relative_to makes one figure of two; it knows no curves")
        return self

    @property
    def only_names_a_scenario(self) -> bool:
        """Whether nothing but a scenario and overrides is given."""
        return not self.model_fields_set - {"scenario", "overrides"}

    def measurement(
        self,
        metric: str,
        usual: tuple[int, ...],
        shape: ShapeTable | None,
        before: tuple[str, ...] = (),
    ) -> Measurement:
        """Return the measurement of `metric`.

        What is usual in the file: intensities, where none are given, and overrides `before` these.
        """
        spread: tuple[int, ...] = self.over or usual
        overrides = before + self.overrides
        if shape is not None:
            return Measurement(self.scenario, overrides, metric, shape.of(spread), "each")
        asked = None if self.within is None else Latency(self.within, self.within_percentile)
        return Measurement(
            self.scenario,
            overrides,
            metric,
            spread if isinstance(self.at, str) else (self.at,),
            self.at if isinstance(self.at, str) else "at",
            asked,
            also=self.also or (),
            moment=self._moment(),
            base=None
            if self.relative_to is None
            else self.relative_to.measurement(metric, usual, None, before),
        )

    def _moment(self) -> float | None:
        """Return the time (s) or share at which a course of time is read."""
        if self.time is not None:
            return units.parse(self.time, "time")
        return None if self.share is None else units.parse(self.share, "share")


class ShapeTable(_Table):
    """The shape of a curve between two intensities."""

    kind: Literal["rises", "level", "lowest"] = Field(alias="is")
    at: Outstanding | None = None
    start: Outstanding | None = Field(default=None, alias="from")
    end: Outstanding | None = Field(default=None, alias="to")

    @model_validator(mode="after")
    def _check(self) -> ShapeTable:
        if (self.kind == "lowest") != (self.at is not None):
            raise ValueError('"at" belongs to the shape "lowest", and only to it')
        return self

    def of(self, spread: tuple[int, ...]) -> tuple[int, ...]:
        """Return the intensities that the shape is about."""
        low, high = self.start or spread[0], self.end or spread[-1]
        return tuple(one for one in spread if low <= one <= high)


class Tolerances(_Table):
    """Relative error beyond the rounding in print up to which a claim holds, by relation."""

    value: Annotated[Number, Field(ge=0)]
    about: Annotated[Number, Field(ge=0)]
    ratio: Annotated[Number, Field(ge=0)]
    equal: Annotated[Number, Field(ge=0)]
    shape: Annotated[Number, Field(ge=0)]
    range: Annotated[Number, Field(ge=0)] = 0.0
    at_least: Annotated[Number, Field(ge=0)] = 0.0
    at_most: Annotated[Number, Field(ge=0)] = 0.0
    order: Annotated[Number, Field(ge=0)] = 0.0
    why: Text


class Contradiction(_Table):
    """Another statement of the document that a claim contradicts."""

    claims: Annotated[tuple[Text, ...], Field(min_length=1, max_length=2)]
    kind: Literal["same", "inverse", "product", "quotient", "no_less", "no_more"] = Field(
        alias="is"
    )
    times: Positive = 1.0
    why: Text


class ClaimTable(_Table):
    """One ``[[claim]]``; which keys belong together is checked below."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    section: Text
    system: Text | None = None
    role: Role
    relation: Relation
    metric: str | None = None
    run: Run | None = None
    against: Run | None = None
    shape: ShapeTable | None = None
    factor: Positive | None = None
    card: Text | None = None
    key: Text | None = None
    of: Text | None = None
    unit: Text | None = None
    published: Published | None = None
    rounding: Annotated[Number, Field(ge=0)] = 0.0
    printed: Positive | None = None
    tolerance: Annotated[Number, Field(ge=0)] | None = None
    why: Text | None = None
    lacks: str = ""
    structure: str = ""
    contradicts: Contradiction | None = None
    note: str = ""
    explanation: str = ""

    @model_validator(mode="after")
    def _check(self) -> ClaimTable:
        if wrong := self._contradictions():
            raise ValueError("; ".join(wrong))
        return self

    def _contradictions(self) -> list[str]:
        """Return messages for keys of a claim that contradict each other."""
        needs = {
            **self._subject_needs(),
            **self._relation_needs(),
            **self._remarks_need(),
            **self._runs_need(),
        }
        wrong = [f"a claim needs {what}" for what, given in needs.items() if not given]
        known = (*METRICS, *FACTS)
        if self.metric is not None and self.metric not in known:
            wrong.append(
                f"unknown metric {quote(self.metric)}"
                f" ({suggest(self.metric, known) or 'known are ' + ', '.join(known)})"
            )
        if isinstance(self.published, tuple) and self.published[0] >= self.published[1]:
            wrong.append("the range is empty: write [low, high]")
        return wrong

    @property
    def _about_card(self) -> bool:
        return self.card is not None

    @property
    def _about_fact(self) -> bool:
        return self.metric in FACTS

    @property
    def _is_figure(self) -> bool:
        return self.relation in ("value", "about", "range", "at_least", "at_most", "ratio")

    def _subject_needs(self) -> dict[str, bool]:
        """Return what the subject of a claim needs, in words, each with a flag: it is there."""
        return {
            "card, key and unit, or metric and run": (
                all((self.card, self.key, self.unit)) and not (self.metric or self.run)
                if self._about_card
                else bool(self.metric and self.run)
                and not (self.key or self.of)
                and (self.unit is not None) == self._about_fact
            ),
            f'a run of "scenario" and "set" alone, for {self.metric}': not self._about_fact
            or (self.run is not None and self.run.only_names_a_scenario and not self.against),
            "a figure above zero, unless it is of the catalogue": (
                self._about_card or self._about_fact or self.published != 0
            ),
        }

    def _relation_needs(self) -> dict[str, bool]:
        """Return what the relation to the print needs, in words, each with a flag: it is there."""
        return {
            '"published", for a figure': self._is_figure == (self.published is not None),
            '[low, high] as "published", for a range': (
                (self.relation == "range") == isinstance(self.published, tuple)
            ),
            '"against", for a ratio, order or equality': (
                self._about_card
                or self._about_fact
                or self.relation not in ("ratio", "order", "equal")
                or self.against is not None
            ),
            '"shape", for a shape and only there': (
                (self.relation == "shape") == (self.shape is not None)
            ),
            '"factor" only for an order': self.relation == "order" or self.factor is None,
        }

    def _remarks_need(self) -> dict[str, bool]:
        """Return what remarks of a claim about itself need, each with a flag: it is there."""
        return {
            'two claims in "contradicts", for a product or quotient, and else one': (
                self.contradicts is None
                or (self.contradicts.kind in ("product", "quotient"))
                == (len(self.contradicts.claims) == 2)
            ),
            'the role "calibration", where a structural choice was read off it': (
                not self.structure or self.role == "calibration"
            ),
            '"why" beside a tolerance of its own': (self.tolerance is None) == (self.why is None),
        }

    def _runs_need(self) -> dict[str, bool]:
        """Return what the runs of a claim need, in words, each with a flag: it is there."""
        return {
            'nothing of "at", "within", "also" and "relative_to" beside a shape': (
                self.shape is None
                or self.run is None
                or not self.run.model_fields_set & {"at", "within", "also", "relative_to"}
            ),
            '"at" as a number, "max", "mean" or "within", for a figure': not (
                self._is_figure and self.run is not None and self.run.at == "each"
            ),
            '"time" beside ready_share, "share" beside ready_time, and nowhere else': all(
                (run.time is not None) == (self.metric == "ready_share")
                and (run.share is not None) == (self.metric == "ready_time")
                for side in (self.run, self.against)
                for run in (side, None if side is None else side.relative_to)
                if run is not None
            ),
        }


class ClaimFile(_Table):
    """One file of ``validation/``."""

    document: Text
    title: Text
    basis: bool = False
    intensities: Intensities
    overrides: tuple[Text, ...] = Field(default=(), alias="set")
    tolerance: Tolerances
    claim: tuple[ClaimTable, ...]


_TABLES: dict[str, type[_Table]] = {
    "claim": ClaimTable,
    "tolerance": Tolerances,
    "run": Run,
    "against": Run,
    "relative_to": Run,
    "shape": ShapeTable,
    "contradicts": Contradiction,
}
"""What may stand in a table, by the key that holds it."""


def known_keys(path: tuple[int | str, ...]) -> list[str]:
    """Return the keys that the table may have in which the last step of `path` stands."""
    above = [step for step in path[:-1] if isinstance(step, str)]
    fields = (_TABLES[above[-1]] if above else ClaimFile).model_fields
    return [info.alias or name for name, info in fields.items()]

"""The load of a measured job, as a ``[[load]]``: from the result, and from other sources.

Options of fio give the whole load (`raidsim.fio.playing`). Other results lack some values. These
come from an option of the command, or from a load of the scenario that has the same values as the
result where the result has any. If neither has a value, raidsim asks for it, and never assumes one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from raidsim import units
from raidsim.errors import InputError, Problem, quote
from raidsim.fio.playing import Note, Played, play
from raidsim.measured.job import MeasuredJob
from raidsim.measured.said import RATE_HELD, Said, Size
from raidsim.observe.traffic import mean_size
from raidsim.scenario import LoadSpec, Scenario

ALIKE = 0.03  # shares that differ by less are the same: measured ones vary by chance
SAME_SIZE = 1.02
AREA = "area"  # of all that may be open the only one for which there is a plain choice
SEARCHES = ("within", "within_percentile", "limit", "volume", "name", "arrivals")
_INTENSITY = ("outstanding", "rate")


@dataclass(frozen=True)
class Given:
    """The caller's values for loads that the results do not describe; None for nothing.

    Attributes
    ----------
    random : share of random accesses, from 0 to 1.
    outstanding : I/Os of each worker.
    may_be_asked : whether there are options that say it, which a refusal can name.
    """

    random: float | None = None
    outstanding: int | None = None
    may_be_asked: bool = True

    @classmethod
    def of_texts(cls, random: str | None, outstanding: int | None) -> Given:
        """Make it of what was typed: a share has its unit, as in "100 %".

        Raises
        ------
        InputError
            `random` is no share.
        """
        if random is None:
            return cls(None, outstanding)
        try:
            return cls(units.parse(random, "share"), outstanding)
        except units.QuantityError as error:
            raise InputError([Problem(None, None, "--random", error.cause, error.remedy)]) from None


def load_of(job: MeasuredJob, scenario: Scenario, target: str, given: Given) -> Played:
    """The load that a job was measured with.

    Parameters
    ----------
    target
        The volume or hybrid that it ran on.
    """
    hybrid = scenario.hybrid(target)
    capacity = (hybrid or scenario.volume(target)).capacity
    if job.said is None:
        played = play(job, capacity)
        if "trim" in played.table:
            cause = "trims are simulated, and their latencies are not kept one by one to be judged"
            played.refused.append(Note("rw", job.options.get("rw", ""), cause))
        return played
    return _Maker(job, job.said, scenario, target, capacity, given).play()


class _Maker:
    """A load while it is put together."""

    def __init__(
        self,
        job: MeasuredJob,
        said: Said,
        scenario: Scenario,
        target: str,
        capacity: int,
        given: Given,
    ) -> None:
        self.job = job
        self.said = said
        self.scenario = scenario
        self.target = target
        self.capacity = capacity
        self.given = given
        self.played = Played(
            is_synchronous=said.is_synchronous,
            is_buffered=said.may_be_cached,
            assumed=list(said.assumed),
            notes=[Note(*_parts(one.what), one.meaning) for one in said.remarks],
            refused=[Note(*_parts(one.what), one.meaning) for one in said.refused],
        )

    def play(self) -> Played:
        """Values of the result, then missing values, then the area."""
        if self.played.refused:
            return self.played
        table = self.played.table
        rate = self.said.rate
        self.played.is_at_rate = rate is not None and self.job.iops >= RATE_HELD * rate
        base = self._base(set(self._needs()))
        if self.played.refused:
            return self.played
        if base is not None:
            table.update(self._of_scenario(base))
        self._shape()
        self._intensity(base)
        if base is None or self._says_where():
            self._where()
        return self.played

    # -- what is open ---------------------------------------------------------------------

    def _needs(self) -> Iterator[str]:
        """Yield the values that neither the result nor an option gives."""
        said, given = self.said, self.given
        if not said.sizes:
            yield "sizes"
        if said.read is None and not _have(said.sizes, "read"):
            yield "read"
        if said.random is None and given.random is None and not _have(said.sizes, "random"):
            yield "random"
        if not self.played.is_at_rate and said.outstanding is None and given.outstanding is None:
            yield "outstanding"
        if not self._says_where():
            yield AREA

    def _says_where(self) -> bool:
        """Return whether the result says which part of the volume was accessed."""
        return self.said.extent is not None or self.said.offset > 0

    def _base(self, needs: set[str]) -> LoadSpec | None:
        """The load of the scenario from which the rest is, if something is open."""
        hard = needs - {AREA}
        if not needs:
            return None
        like = [load for load in self._loads() if self._is_like(load)]
        if len(like) == 1 and not self._lacks(like[0], needs):
            words = ", ".join(sorted(_WORDS[one] for one in needs))
            name = quote(like[0].name)
            why = self._why(needs)
            self.played.assumed.append(f"{words} as in load {name} of the scenario{why}")
            return like[0]
        if not like:
            found = f"no load of the scenario is like it ({self._shape_in_words()})"
        elif len(like) > 1:
            found = f"{len(like)} loads of the scenario are like it"
        else:
            found = self._lacks(like[0], needs)
        for one in sorted(hard):
            self._ask(one, found)
        return None

    def _loads(self) -> Iterator[LoadSpec]:
        """The scenario's loads on the volume."""
        first = self.scenario.volumes[0].name
        return (one for one in self.scenario.loads if (one.volume or first) == self.target)

    def _is_like(self, load: LoadSpec) -> bool:
        """Return whether a load of the scenario is as the result says, where the result says it."""
        said = self.said
        mean = mean_size(load)
        shares = (
            (said.read, load.read_share),
            (said.random, load.random_share),
            (self.given.random, load.random_share),
        )
        return (
            all(one is None or abs(one - other) <= ALIKE for one, other in shares)
            and (said.mean_size is None or 1 / SAME_SIZE <= said.mean_size / mean <= SAME_SIZE)
            and said.workers in (1, load.workers)
            and load.arrivals is None
        )

    def _lacks(self, load: LoadSpec, needs: set[str]) -> str:
        """Return the reason why a load cannot supply all open values; empty if it can."""
        if "outstanding" in needs and len(load.intensities) > 1:
            shown = f"{load.intensities[0]:g} to {load.intensities[-1]:g}"
            kind = "outstanding I/Os" if load.outstanding else "IO/s"
            return f"load {quote(load.name)} of the scenario has several: {shown} {kind}"
        return ""

    def _ask(self, need: str, found: str) -> None:
        """Refuse, with what would be right."""
        why = self.said.why.get(need)
        options = {
            "random": "give --random SHARE, as in --random 100%",
            "outstanding": "give --outstanding N",
        }
        remedy = "put a load like it into the scenario"
        if self.given.may_be_asked:
            remedy = options.get(need, remedy)
        cause = "; ".join(part for part in (why, found, remedy) if part)
        self.played.refused.append(Note(_WORDS[need], "", cause))

    def _why(self, needs: set[str]) -> str:
        """Return the reasons why the result does not give the open values, each once."""
        reasons = dict.fromkeys(self.said.why[one] for one in sorted(needs) if one in self.said.why)
        return f": {'; '.join(reasons)}" if reasons else ""

    def _shape_in_words(self) -> str:
        said = self.said
        parts = []
        if said.read is not None:
            parts.append(f"{100 * said.read:.3g} % reads")
        if said.random is not None or self.given.random is not None:
            random = self.given.random if said.random is None else said.random
            parts.append(f"{100 * (random or 0.0):.3g} % random")
        if said.mean_size is not None:
            parts.append(f"{said.mean_size:,.0f} bytes")
        if said.workers > 1:
            parts.append(f"{said.workers} workers")
        return ", ".join(parts) or "it says nothing of its own"

    def _of_scenario(self, base: LoadSpec) -> dict[str, Any]:
        """A load of the scenario as it is written, without what this run has in its place."""
        number = self.scenario.loads.index(base)
        written = dict(self.scenario.resolved()["load"][number])
        for name in SEARCHES:
            written.pop(name, None)
        return written

    # -- the table ------------------------------------------------------------------------

    def _shape(self) -> None:
        """Reads, random accesses and sizes, each from where it is known."""
        table, said, given = self.played.table, self.said, self.given
        mixed = len(said.sizes) > 1
        if said.sizes:
            table.pop("sizes", None)
            table.pop("size", None)
        if said.sizes and not mixed:
            table["size"] = _size(said.sizes[0].bytes)
        elif mixed:
            table["sizes"] = [self._entry(one) for one in said.sizes]
            table.setdefault("align", _size(min(one.bytes for one in said.sizes)))
        if said.read is not None and not (mixed and _have(said.sizes, "read")):
            table["read"] = _share(said.read)
        elif mixed and _have(said.sizes, "read"):
            table.pop("read", None)
        random = said.random if said.random is not None else given.random
        if random is not None and not (mixed and _have(said.sizes, "random")):
            table["random"] = _share(random)
            if said.random is None:
                self.played.assumed.append(
                    f"random accesses as --random says{self._why({'random'})}"
                )
        if said.align is not None:
            table["align"] = _size(self._sector() if said.align == 1 else said.align)

    @staticmethod
    def _entry(one: Size) -> dict[str, str]:
        entry = {"size": _size(one.bytes), "share": _share(one.share)}
        shares = {"read": one.read, "random": one.random}
        return entry | {name: _share(value) for name, value in shares.items() if value is not None}

    def _sector(self) -> int:
        """Bytes of the smallest block of the volume that is measured."""
        if self.scenario.hybrid(self.target) is not None:
            return units.SECTOR
        card = self.scenario.volume(self.target).card
        return card.integer("capacity.sector") if card.has("capacity.sector") else units.SECTOR

    def _intensity(self, base: LoadSpec | None) -> None:
        """A rate that was held; else how many I/Os were outstanding."""
        table, said, given = self.played.table, self.said, self.given
        workers = said.workers if said.workers > 1 or base is None else base.workers
        if workers > 1:
            table["workers"] = workers
        outstanding = said.outstanding if said.outstanding is not None else given.outstanding
        if self.played.is_at_rate and said.rate is not None:
            table.pop("outstanding", None)
            table["rate"] = units.text(said.rate / workers, "rate")
        elif outstanding is not None:
            table.pop("rate", None)
            table["outstanding"] = outstanding
            if said.outstanding is None:
                reason = self._why({"outstanding"})
                self.played.assumed.append(f"outstanding I/Os as --outstanding says{reason}")
        elif base is not None:
            self.played.is_at_rate = base.outstanding is None
            for name in _INTENSITY:
                if isinstance(table.get(name), list):
                    (table[name],) = table[name]
        if said.rate is not None and not self.played.is_at_rate:
            meaning = "it was not reached: simulated as fast as possible"
            self.played.notes.append(Note("iorate", f"{said.rate:g}", meaning))

    def _where(self) -> None:
        """The part of the volume."""
        said, table = self.said, self.played.table
        sizes = [one.bytes for one in said.sizes]
        align = max(said.align or 1, units.SECTOR)
        offset = said.offset // units.SECTOR * units.SECTOR
        area = {"offset": _size(offset)}
        if said.extent is not None:
            end = offset + said.extent
            if end > self.capacity * (1 + 1e-3):
                there = _size(self.capacity)
                cause = f"the accessed area ends at {end:,} bytes; the volume has {there}"
                self.played.refused.append(Note("area", "", cause))
                return
            extent = min(said.extent, self.capacity - offset) // align * align
            if extent < max(sizes, default=units.SECTOR):
                cause = f"the accessed area is smaller than one I/O: {extent:,} bytes"
                self.played.refused.append(Note("area", "", cause))
                return
            area["size"] = _size(extent)
            if "extent" in said.why:
                first = f"the first {_size(extent)} of the volume"
                self.played.assumed.append(f"the area is {first}: {said.why['extent']}")
        elif offset >= self.capacity:
            cause = f"the accessed area begins at {offset:,} bytes, beyond the volume"
            self.played.refused.append(Note("area", "", cause))
            return
        else:
            self.played.assumed.append("the area is all of the volume: the result does not say it")
        table["area"] = area


_WORDS = {
    "sizes": "sizes",
    "read": "share of reads",
    "random": "random accesses",
    "outstanding": "outstanding I/Os",
    AREA: "area",
}


def _have(sizes: tuple[Size, ...], name: str) -> bool:
    """Return whether all sizes have a share of their own."""
    return bool(sizes) and all(getattr(one, name) is not None for one in sizes)


def _parts(what: str) -> tuple[str, str]:
    name, _, value = what.partition("=")
    return name, value


def _share(share: float) -> str:
    return f"{100 * share:.10g} %"


def _size(number: int) -> str:
    return units.text(number, "size")

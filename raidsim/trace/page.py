"""The output that a format writes a trace to, and the properties that the format cannot express."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from raidsim.trace.request import FLUSH, OPS, READ, WRITE, Requests

SECTOR = 512


@dataclass
class Page:
    """The page that a format writes on: names of volumes, and what the format cannot represent.

    Attributes
    ----------
    left_out : requests that the format cannot say, by what they are.
    remarks : what else is lost.
    written : requests that were written.
    """

    volumes: Callable[[], Sequence[str]]
    left_out: dict[str, int] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    written: int = 0

    def name(self, volume: int) -> str:
        """The name of a volume, without blanks and commas."""
        names = self.volumes()
        name = names[volume] if volume < len(names) else str(volume)
        return "".join("_" if _breaks(c) else c for c in name) or "_"

    def remark(self, text: str) -> None:
        """Say once what is lost."""
        if text not in self.remarks:
            self.remarks.append(text)

    def taken(
        self, requests: Requests, ops: Iterable[int] = (READ, WRITE), *, sectors: bool = False
    ) -> Requests:
        """The requests that a format has words for; others are counted.

        Parameters
        ----------
        ops
            What it knows.
        sectors
            Whether its addresses and sizes are in sectors of 512 bytes.
        """
        known = np.isin(requests["op"], list(ops))
        for op in range(len(OPS)):
            self._leave_out(
                "flushes" if op == FLUSH else f"{OPS[op]}s",
                int(((requests["op"] == op) & ~known).sum()),
            )
        if sectors:
            whole = ((requests["offset"] | requests["size"]) % SECTOR) == 0
            self._leave_out("not at multiples of 512 bytes", int((known & ~whole).sum()))
            known &= whole
        self.written += int(known.sum())
        return requests[known]

    def leave_out(self, kind: str, number: int) -> None:
        """Count requests that were taken, and cannot be written after all."""
        self.written -= number
        self._leave_out(kind, number)

    def _leave_out(self, kind: str, number: int) -> None:
        if number:
            self.left_out[kind] = self.left_out.get(kind, 0) + number

    def without_response(self, requests: Requests) -> None:
        """Say that response times are lost, if there are any."""
        if not np.isnan(requests["response"]).all():
            self.remark("The format has no response times: those of the trace are not in it")

    def sentences(self) -> list[str]:
        """Return in sentences what is lost."""
        said = [f"Left out, because the format has no words for them: {kind}: {number:,}."
                for kind, number in self.left_out.items()]  # fmt: skip
        return said + [f"{remark}." for remark in self.remarks]


def ticks(times: NDArray[np.float64], per_second: int) -> NDArray[np.int64]:
    """Times in units of a clock, rounded to whole ones."""
    return cast("NDArray[np.int64]", np.rint(times * per_second).astype(np.int64))


def _breaks(character: str) -> bool:
    """Return whether a character in a name would end it, or the line, in some format."""
    return character in ",;\"'" or character.isspace() or not character.isprintable()

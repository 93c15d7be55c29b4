"""`histogram.html` of vdbench: how many response times lay in each bin, of each run.

    Reads:
      min(ms) <     max(ms)        count       %%    cum%%  '+': Individual%; '+-': Cumulative%

        0.200 <       0.400          534  23.8393  23.8839  +++++++++++

The end of a bin may be twice its beginning, which is too wide for percentiles. But the file gives
the number of I/Os that took no longer than the end of each bin. It has no throughput.
"""

from __future__ import annotations

import re
from itertools import pairwise
from os import PathLike

from raidsim.errors import Problem, quote, refuse
from raidsim.measured import vdbench
from raidsim.measured.job import Distribution
from raidsim.measured.text_file import lines_of, read_text
from raidsim.measured.vdbench import Histograms
from raidsim.units import NS_PER_MS

NAME = "vdbench-histogram"
WORDS = "histogram.html of vdbench"
MOST_BINS = 64  # vdbench has no more
_TITLE = "Total response time histogram"
_SECTIONS = {"reads and writes:": "both", "reads:": "read", "writes:": "write"}
_SECTION = re.compile(r"([A-Z][\w ]{1,40}):\s*$")
_BIN = re.compile(r"\s*([\d.]{1,20})\s*<\s*([\d.]{1,20}|max)\s+([\d,]{1,30})(?:\s|$)")


def recognises(head: str, name: str) -> bool:
    """Return whether a text begins as a file of histograms."""
    del name
    return any(line.strip().startswith(_TITLE) for line in head.split("\n"))


def read(name: str | PathLike[str]) -> Histograms:
    """The histograms of a file.

    Raises
    ------
    InputError
        It cannot be read, is larger than 32 MiB, or holds no run.
    """
    return parse(read_text(name, vdbench.MOST_BYTES, "file of histograms"), str(name))


def parse(text: str, name: str) -> Histograms:
    """The histograms in a text; `name` is what messages call it."""
    return _Reader(name).read(text)


class _Reader:
    """One file of histograms while it is read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.remarks: list[Problem] = []
        self.runs: list[tuple[str, dict[str, Distribution]]] = []
        self.section: str | None = None
        self.begun = 0
        self.bins: list[tuple[float, float, int]] = []

    def read(self, text: str) -> Histograms:
        for number, one in lines_of(text):
            self._line(number, one)
        self._end()
        if not self.runs:
            cause = "is empty" if not text.strip() else "holds no run (Starting RD=...)"
            refuse(self.name, cause, "give histogram.html as vdbench wrote it")
        return Histograms(self.name, tuple(self.runs), tuple(self.remarks))

    def _line(self, number: int, text: str) -> None:
        head = vdbench.head_of(text)
        if head is not None:
            self._end()
            if len(self.runs) >= vdbench.MOST_RUNS:
                refuse(self.name, f"holds more than {vdbench.MOST_RUNS} runs")
            self.runs.append((head.name, {}))
        elif match := _SECTION.match(text.strip()):
            self._end()
            self.section, self.begun = text.strip(), number
        elif (match := _BIN.match(text)) and self.section and len(self.bins) < MOST_BINS:
            low, high = vdbench.number(match[1]), vdbench.number(match[2])
            count = vdbench.number(match[3])
            if low is not None and count is not None:
                end = float("inf") if match[2] == "max" else (high or 0.0)
                self.bins.append((low, end, int(count)))

    def _end(self) -> None:
        """Take the section that ends here."""
        section, bins = self.section, self.bins
        self.section, self.bins = None, []
        if section is None or not self.runs:
            return
        kind = _SECTIONS.get(section.lower())
        name = self.runs[-1][0]
        whole = bool(bins) and bins[-1][1] == float("inf") and _joins(bins)
        if kind is None or not whole:
            cause = (
                f"{quote(section)} of run {name} is left out: raidsim does not know it"
                if kind is None
                else f"{quote(section)} of run {name} is left out: its bins do not go up to max"
            )
            self.remarks.append(Problem(self.name, self.begun, None, cause))
            return
        total = sum(count for _, _, count in bins)
        if total and kind not in self.runs[-1][1]:
            self.runs[-1][1][kind] = Distribution(
                None, samples=total, within=shares(bins, NS_PER_MS)
            )


def _joins(bins: list[tuple[float, float, int]]) -> bool:
    """Return whether each bin begins where the one before it ends."""
    return all(one[1] == after[0] for one, after in pairwise(bins))


def shares(bins: list[tuple[float, float, int]], unit: float) -> dict[float, float]:
    """Shares of the I/Os that took no longer than the end of each bin, by that time in ns."""
    total, done, found = sum(count for _, _, count in bins), 0, {}
    for _, high, count in bins:
        done += count
        if high != float("inf"):
            found[high * unit] = done / total
    return found

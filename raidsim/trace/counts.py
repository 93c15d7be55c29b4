"""The counts of reading a trace: each part of a file that is left out is counted here."""

from __future__ import annotations

from dataclasses import dataclass, field

EXAMPLES = 10


@dataclass(frozen=True)
class Unread:
    """A line, or a record of a binary file, that was not understood.

    Attributes
    ----------
    line : number of the line, or of the record, counted from 1.
    reason : what is wrong with it.
    """

    line: int
    reason: str


@dataclass
class Counts:
    """The counts of one pass through a trace so far.

    Attributes
    ----------
    requests : requests given out.
    bytes : of the file, packed as it is, that were read.
    lines : lines of text, or records of a binary file.
    not_understood : lines or records that are no request and nothing else that is known.
    examples : the first of them.
    passed_over : what was understood and is no request, by kind.
    unsorted : requests that stood behind a later one.
    late : of these, those so far behind that their time was set to that of the one before.
    unaligned : requests that do not begin and end at multiples of 512 bytes.
    unaligned_4k : requests that do not begin and end at multiples of 4096 bytes.
    with_response : requests with a response time.
    cut_short : where and how the file ends in the middle of something, or None.
    notes : what else a reader has to know.
    origin : time of the first request, in the unit of the format and from where it counts.
    finished : whether the pass came to the end of the file.
    """

    requests: int = 0
    bytes: int = 0
    lines: int = 0
    not_understood: int = 0
    examples: list[Unread] = field(default_factory=list)
    passed_over: dict[str, int] = field(default_factory=dict)
    unsorted: int = 0
    late: int = 0
    unaligned: int = 0
    unaligned_4k: int = 0
    with_response: int = 0
    cut_short: str | None = None
    notes: list[str] = field(default_factory=list)
    origin: int | None = None
    finished: bool = False

    def refuse(self, line: int, reason: str) -> None:
        """Count a line that was not understood."""
        self.not_understood += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(Unread(line, reason))

    def pass_over(self, kind: str, number: int = 1) -> None:
        """Count what is no request."""
        if number:
            self.passed_over[kind] = self.passed_over.get(kind, 0) + number

    def note(self, text: str) -> None:
        """Say something once."""
        if text not in self.notes:
            self.notes.append(text)

    def sentences(self) -> list[str]:
        """Everything that is not as it should be, and every note, in plain words."""
        said: list[str] = []
        if self.cut_short:
            said.append(f"The file is cut short: {self.cut_short}.")
        if self.not_understood:
            said.append(f"Not understood: {_number(self.not_understood, 'line')}.")
            said += [f"  line {one.line}: {one.reason}" for one in self.examples]
            if self.not_understood > len(self.examples):
                said.append(f"  and {self.not_understood - len(self.examples):,} more")
        said += [f"Passed over: {kind}: {n:,}." for kind, n in sorted(self.passed_over.items())]
        if self.unsorted:
            said.append(
                f"Out of order: {_number(self.unsorted, 'request')}; put in their place:"
                f" {self.unsorted - self.late:,}."
            )
        if self.late:
            said.append(
                f"Too late for that: {_number(self.late, 'request')}, which got the time of the"
                " one before."
            )
        if self.unaligned:
            words = _number(self.unaligned, "request")
            said.append(f"Not at multiples of 512 bytes: {words}.")
        if self.unaligned_4k > self.unaligned:
            words = _number(self.unaligned_4k, "request")
            said.append(f"Not at multiples of 4096 bytes: {words}.")
        return said + [f"{note}." for note in self.notes]


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"

"""Texts of five numbers a line: time, device, address, size, read or write.

Several simulators have these. No file shows whether its times are ns or ms, or its addresses bytes
or sectors. So none of these formats is recognised: each must be named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from raidsim.trace.page import Page, ticks
from raidsim.trace.reading import SECTOR, Head, Scan
from raidsim.trace.request import READ, WRITE, Requests
from raidsim.trace.table import Column, Layout, Table


@dataclass(frozen=True)
class FiveNumbers:
    """One of these formats.

    Attributes
    ----------
    NAME, TITLE, TICKS : as of every format.
    digits : of a time, how many behind the point are kept.
    in_sectors : whether addresses and sizes count sectors, not bytes.
    flags : whether the last number is hexadecimal, and only its last bit says what it is.
    MEANING : what the numbers are, in a few words.
    """

    NAME: str
    TITLE: str
    TICKS: int
    digits: int
    in_sectors: bool = True
    flags: bool = False
    MEANING: str = ""

    @property
    def TAKES(self) -> tuple[str, ...]:  # noqa: N802 - as of every format
        """The options that apply to it."""
        return ("sector",) if self.in_sectors else ()

    def recognises(self, head: Head) -> bool:  # noqa: ARG002
        """Never: five numbers may be any of these formats."""
        return False

    def layout(self, separator: str | None) -> Layout:
        """Its columns."""
        kind = (
            Column("flags", "hex")
            if self.flags
            else Column("type", "word", words={"0": WRITE, "1": READ})
        )
        return Layout(
            (
                Column("time", "fixed", digits=self.digits),
                Column("device", "key"),
                Column("address", "whole"),
                Column("size", "whole"),
                kind,
            ),
            separator,
        )

    def read(self, scan: Scan) -> Iterator[Requests]:
        """Requests in the order of the file."""
        first = Head(scan.source.head(), whole=True).lines(1)
        table = Table(self.layout("," if first and b"," in first[0] else None), scan.source.path)
        scan.volumes = table.names["device"]
        for rows in table.rows(scan.source, scan.counts):
            op = rows["type"] if not self.flags else (rows["flags"] & 1) ^ 1  # bit 0: a read
            address, size = rows["address"], rows["size"]
            if self.in_sectors:
                address, size = scan.in_bytes(address), scan.in_bytes(size)
            yield scan.requests(
                rows.lines,
                tick=rows["time"],
                op=op,
                volume=rows["device"],
                offset=address,
                size=size,
            )

    def write(self, blocks: Iterable[Requests], page: Page) -> Iterator[bytes]:
        """The file of some requests, in pieces; volumes are numbered."""
        unit = 10**self.digits
        for block in blocks:
            taken = page.taken(block, sectors=self.in_sectors)
            page.without_response(taken)
            divisor = SECTOR if self.in_sectors else 1
            rows = zip(
                ticks(taken["time"], NS).tolist(),
                taken["volume"].tolist(),
                (taken["offset"] // divisor).tolist(),
                (taken["size"] // divisor).tolist(),
                taken["op"].tolist(),
                strict=True,
            )
            yield "".join(
                f"{time // unit}{f'.{time % unit:0{self.digits}d}' if self.digits else ''}"
                f" {volume} {address} {size} {1 - op}\n"
                for time, volume, address, size, op in rows
            ).encode()


NS = 10**9
ALL = (
    FiveNumbers(
        "disksim", "DiskSim ASCII (ms)", NS, 6, flags=True, MEANING="times in ms, sectors"
    ),
    FiveNumbers("mqsim", "MQSim ASCII (ns)", NS, 0, MEANING="times in ns, sectors"),
    FiveNumbers("mqsim-us", "MQSim ASCII (us)", NS, 3, MEANING="times in us, sectors"),
    FiveNumbers("mqsim-ms", "MQSim ASCII (ms)", NS, 6, MEANING="times in ms, sectors"),
    FiveNumbers("ssdsim", "SSDsim ASCII (ns)", NS, 0, MEANING="times in ns, sectors"),
    FiveNumbers(
        "replayer", "trace of the replayer of FEMU", NS, 6, in_sectors=False,
        MEANING="times in ms, bytes",
    ),
)  # fmt: skip
"""All of them; in each 1 is a read."""

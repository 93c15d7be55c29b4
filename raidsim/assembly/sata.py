"""How long a command of a SATA solid state drive occupies its link, beside its data.

A link of SATA carries one frame at a time, in one direction, and each frame is acknowledged. While
the frames of a command pass, and while the drive processes them, the link carries no data. The card
of a drive has no value for this time, but two values that contain it:

- small reads: command + 4 KiB of data = the time of a command of the card;
- a stream: command + 128 KiB of data = 128 KiB at the rate of the link of the card.

Reads of other sizes lie on the line through both. Data sheets with reads of 4 and of 8 KiB confirm
it: 84,000 and 52,000 a second (DC S3610), 72,000 and 48,000 (S4500), 68,000 and 46,000 (E 5410s).
At 6 Gbit/s the time is 3 us, that of the frames alone
(:data:`~raidsim.topology.lanes.SATA_COMMAND`), to 8 us.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.cards import Card

SMALL, LARGE = 4096, 128 * 1024
"""Bytes of random reads, and of the commands of streams, on data sheets."""

MOST = 40e-6
"""Longest time, s, for which a command occupies a link. A longer time is that of firmware, for
which the link does not wait. Drives of the catalogue have 14 us at most, at 3 Gbit/s."""


@dataclass(frozen=True)
class LinkTimes:
    """Times of a drive's link.

    Attributes
    ----------
    per_byte : of data, s.
    command : time for which a command occupies the link beside its data, in bytes of data.
    latency : of a command in the drive if no other command is there, s.
    """

    per_byte: float
    command: int
    latency: float


def link_times(card: Card) -> LinkTimes:
    """Return the times of the link of a solid state drive that its card implies."""
    per_byte, latency = card.number("link.time_per_byte"), card.number("command.latency")
    command = card.integer("link.command_size")
    if card.word("link.interface") != "sata" or command:
        return LinkTimes(per_byte, command, latency)
    small = card.number("front_end.command_time") / card.integer("front_end.cores")
    alone = max(small - SMALL * per_byte, 0.0) / (1 - SMALL / LARGE)
    data = per_byte - alone / LARGE
    if data <= 0 or alone > MOST:
        return LinkTimes(per_byte, command, latency)
    # The time on the link is a part of the card's latency, so it is taken off there.
    return LinkTimes(data, round(alone / data), max(latency - alone, 0.0))

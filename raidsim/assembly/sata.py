"""What a command of a SATA solid state drive takes of its link beside its data.

A link of SATA carries one frame at a time, in one direction, and each is asked for and answered.
While the frames of a command pass, and while the drive makes up its mind about them, no data does.
Cards of such drives have all of it in the time of a command, which is that of the small reads a
sheet prints, with their data. So two figures tell what a command takes by itself:

- small reads: command + 4 KiB of data = the time of a command of the card;
- a stream: command + 128 KiB of data = 128 KiB at the rate of the link of the card.

Reads of another size lie on the line through both. Sheets that print reads of 8 KiB as well lie on
it: 84,000 and 52,000 a second (a DC S3610), 72,000 and 48,000 (an S4500), 68,000 and 46,000
(an E 5410s). Of 6 Gbit/s it is 3 us, the frames alone
(:data:`~raidsim.topology.lanes.SATA_COMMAND`), to 8 us.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.cards import Card

SMALL, LARGE = 4096, 128 * 1024
"""Bytes of the reads at random, and of the commands of streams, that sheets print."""

MOST = 40e-6
"""s that a command may take of a link beside its data. What takes longer is firmware, for which a
link need not wait: of drives of the catalogue it is 14 us at most, at 3 Gbit/s."""


@dataclass(frozen=True)
class LinkTimes:
    """Times of a drive's link and of its command: s for each byte, bytes, s.

    ``command`` is what a command takes of the link beside data, as so many bytes of it, and
    ``latency`` what a command takes in the drive where nothing waits for it.
    """

    per_byte: float
    command: int
    latency: float


def link_times(card: Card) -> LinkTimes:
    """Return the times of the link of a solid state drive, as its card means them."""
    per_byte, latency = card.number("link.time_per_byte"), card.number("command.latency")
    command = card.integer("link.command_size")
    if card.word("link.interface") != "sata" or command:
        return LinkTimes(per_byte, command, latency)
    small = card.number("front_end.command_time") / card.integer("front_end.cores")
    alone = max(small - SMALL * per_byte, 0.0) / (1 - SMALL / LARGE)
    data = per_byte - alone / LARGE
    if data <= 0 or alone > MOST:
        return LinkTimes(per_byte, command, latency)
    # A command that waits for nothing takes as long as before: what is on the link is in no other
    # place.
    return LinkTimes(data, round(alone / data), max(latency - alone, 0.0))

"""From the card of a solid state drive to the times in which its dies read pages."""

from __future__ import annotations

from raidsim.cards import Card
from raidsim.kernel import tables as t
from raidsim.kernel.sensing_tables import MOST_BITS
from raidsim.system.system import System, stream_key
from raidsim.units import NS_PER_S


def add(system: System, name: str, card: Card) -> int:
    """Add how the read times of a drive are spread; its row, or NONE if they are not."""
    spread = card.has("flash.bits_per_cell") and card.number("flash.read_spread") > 0
    retried = card.number("flash.read_retries")
    if not (spread or retried > 0 or suspends(card)):
        return t.NONE
    times = [round(time * NS_PER_S) for time in read_times(card)]
    return system.add_row(
        "sensings",
        bits=len(times),
        read_time=times + [0] * (MOST_BITS - len(times)),
        retried=retried,
        key=stream_key(system.seed, name, "senses"),
        suspend_time=round(card.number("flash.suspend_time") * NS_PER_S) if suspends(card) else 0,
        resume_time=round(card.number("flash.resume_time") * NS_PER_S),
        suspensions=card.integer("flash.suspensions") if suspends(card) else 0,
    )


def suspends(card: Card) -> bool:
    """Return whether programs and erases of a drive give way to reads."""
    return card.has("flash.suspend_time") and card.integer("flash.suspensions") > 0


def read_times(card: Card) -> list[float]:
    """Return the time of one sense of each kind of page, s, from the first bit of a cell on.

    ``flash.read_time`` is the mean over all pages with what is read again: a share ``p`` of the
    senses is followed by one more, so that there are 1 / (1 - p) of them for each page. Of the
    time of one the share ``flash.read_spread`` goes with the voltages that the page is compared
    with. In a Gray code of n bits these are 1, 2, 4 ... 2^(n-1) (Cai and others, "Error
    characterization, mitigation, and recovery in flash-memory-based solid-state drives",
    Proceedings of the IEEE 105, 2017); codes that share them out more evenly have a smaller spread.
    """
    bits = card.integer("flash.bits_per_cell") if card.has("flash.bits_per_cell") else 1
    spread = card.number("flash.read_spread")
    once = card.number("flash.read_time") * (1 - card.number("flash.read_retries"))
    mean = (2**bits - 1) / bits
    return [once * (1 - spread + spread * 2**bit / mean) for bit in range(bits)]

"""Volumes, controllers, links and power in words: what ``check``, ``run`` and ``explain`` share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raidsim.report import hybrids, numbers
from raidsim.result import Result
from raidsim.result.facts import LinkFacts, Power, SystemPower, VolumeFacts
from raidsim.scenario import ControllerSpec, VolumeSpec
from raidsim.units import capacity_for_people

ON_THE_HOST = ("single", "jbod")
"""Levels that need no RAID software where there is no controller."""

LEVEL_WORDS = {"single": "single drive", "jbod": "JBOD"}

BATTERY_WORDS = {
    "good": "good",
    "low": "low",
    "learning": "in a learn cycle",
    "absent": "absent",
}


def level_words(level: str) -> str:
    """A level as people write it: RAID 1E, JBOD, single drive."""
    return LEVEL_WORDS.get(level, level.upper().replace("RAID", "RAID ", 1))


def some(number: int, what: str) -> str:
    """A number of things: 1 drive, 16 drives."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def drives_words(level: str, drives: int, title: str) -> str:
    """Level and drives: "single drive, Some SSD", "RAID 6 of 16 drives, Some SSD"."""
    if level == "single":
        return f"{level_words(level)}, {title}"
    return f"{level_words(level)} of {some(drives, 'drive')}, {title}"


def capacity_words(facts: VolumeFacts) -> str:
    """Raw and usable capacity; one figure for a single drive, where they are the same."""
    usable = capacity_for_people(facts.usable_bytes)
    if facts.level == "single":
        return usable
    return f"{capacity_for_people(facts.raw_bytes)} raw, {usable} usable"


def failures_words(facts: VolumeFacts) -> str:
    """Return the number of any drives that may fail; of a degraded array, before any had."""
    if facts.failures_tolerated == 0:
        return "no drive may fail"
    most = facts.failures_tolerated
    words = "any one drive may fail" if most == 1 else f"any {most} drives may fail"
    return f"{words} while all are there" if facts.failed else words


def power_words(power: Power | SystemPower) -> str:
    """Power when idle, and the highest under load; empty where neither is known."""
    parts = ((power.idle, "{} idle"), (power.active, "at most {}"))
    return ", ".join(words.format(numbers.watts(at)) for at, words in parts if at is not None)


def facts_words(facts: VolumeFacts) -> str:
    """Return the facts of a volume: capacity, failures tolerated, power."""
    parts = [capacity_words(facts), failures_words(facts), power_words(facts.power_w)]
    if facts.failed:
        parts.insert(2, f"{numbered(facts.failed)} failed before")
    return ", ".join(part for part in parts if part)


def volume_line(facts: VolumeFacts) -> str:
    """One volume in a line: level and drives, capacity, failures tolerated, power."""
    drives = drives_words(facts.level, facts.drives, facts.drive)
    return f"{facts.name}: {drives}, {facts_words(facts)}"


def lines(result: Result) -> Iterator[str]:
    """Yield lines on the hardware: each volume, links that limit drives, all power."""
    for volume in result.volumes:
        yield volume_line(volume)
    for hybrid in result.hybrids:
        yield hybrids.facts_line(hybrid)
    for link in result.links:
        if link.oversubscription > 1:
            yield f"{link.name}: {oversubscription_words(link)}"
    if len(result.volumes) > 1 or result.links:
        yield f"power: {system_power_words(result.power_w)}"


def system_power_words(power: SystemPower) -> str:
    """Power of all that is known, and what is not."""
    without = (
        f", without {', '.join(power.without)} (its card does not say)" if power.without else ""
    )
    return f"{power_words(power)}{without}"


def oversubscription_words(link: LinkFacts) -> str:
    """Return what drives deliver to a link, and its own rate, as a sentence without subject."""
    return (
        f"its {some(link.drives, 'drive')} can deliver {numbers.mbps(link.arriving_mbps)} MB/s,"
        f" {link.oversubscription:.2f} times the {numbers.mbps(link.mbps)} MB/s that"
        f" {lanes_words(link.speed, link.lanes)} to {link.to} carries"
    )


def lanes_words(speed: str, lanes: int) -> str:
    """Lanes of a port: sas-12g x 8."""
    return f"{speed} x {lanes}"


def controller_words(spec: ControllerSpec) -> str:
    """A controller in a line: card, cache and what keeps it in a power cut."""
    card = spec.card
    parts = [card.title]
    if card.has("cache.size"):
        parts.append(f"cache of {numbers.size(card.integer('cache.size'))}")
        kept = card.word("cache.protection")
        if kept == "none":
            parts.append("not protected")
        else:
            parts.append(f"{kept} {BATTERY_WORDS[str(spec.battery)]}")
    else:
        parts.append("no cache")
    return ", ".join(parts)


def where_words(volume: VolumeSpec, controller: ControllerSpec | None) -> str:
    """Return the place and the settings of a volume; empty for one drive on the host."""
    parts = []
    if controller is not None:
        parts.append(f"on {controller.name}")
    elif volume.level not in ON_THE_HOST:
        parts.append("software RAID of the host")
    if volume.behind:
        parts.append(f"behind {' and '.join(volume.behind)}")
    if volume.level not in ON_THE_HOST:
        parts.append(f"strip {numbers.size(volume.strip)}")
    if controller is not None and controller.card.has("cache.size"):
        parts += [f"write {volume.write}", f"read-ahead {volume.read_ahead}", f"{volume.io} I/O"]
    if volume.disk_cache is not None:
        parts.append(f"disk caches {volume.disk_cache}")
    if volume.access != "read-write":
        parts.append(volume.access)
    return ", ".join(parts)


def numbered(drives: Iterable[int]) -> str:
    """Some drives by their numbers: drive 2; drives 0 and 3."""
    listed = [str(number) for number in drives]
    if len(listed) == 1:
        return f"drive {listed[0]}"
    return f"drives {', '.join(listed[:-1])} and {listed[-1]}"

"""A random model: host, controllers, links, volumes and hybrids that programs make; all small.

Drives are as large as their cards say, but what is done stays in small areas of them, so that I/Os
meet each other, and background work goes through a sample of their rows.
"""

from __future__ import annotations

import contextlib
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import simpy
from small_array import TOY

from raidsim import Controller, Environment, Host, Hybrid, Link, Load, Volume
from raidsim.control.load import RunningLoad
from raidsim.errors import InputError
from raidsim.kernel.replacement import names as policies

KIB = 1024
MIB = 1024 * KIB
CARD = str(Path(__file__).parents[1] / "small_controller.toml")  # no cache
CONTROLLERS = ["lsi-megaraid-1078-512", "lsi-megaraid-1078-512", "cisco-12g-sas-raid-2gb", CARD]
LEVELS = {
    "single": (1, 1), "jbod": (2, 3), "raid0": (2, 4), "raid1": (2, 3), "raid1e": (3, 5),
    "raid10": (4, 6), "raid5": (3, 5), "raid6": (4, 6), "raid50": (6, 8), "raid60": (8, 8),
}  # fmt: skip
TINY = TOY | {"capacity.user": "16 MB", "link.interface": "sas"}
TINY_QUEUE = TINY | {"command.queue_depth": 8}
DRIVES: list[tuple[str, dict[str, Any]]] = [
    ("seagate-st373455ss", {}),
    ("seagate-st373455ss", {}),
    ("wd-wd1600aajs", {}),
    ("intel-p3700-800gb", TINY),
    ("intel-p3700-800gb", TINY_QUEUE),
    ("fujitsu-ssd-sas2-mlc-200gb", {}),
]
SIZES = [4 * KIB, 4 * KIB, 8 * KIB, 64 * KIB, 60 * KIB, 200 * KIB, MIB]


@dataclass
class RandomModel:
    """What there is, and what was asked of it."""

    env: Environment
    random: random.Random
    diary: list[str] = field(default_factory=list)
    hosts: list[Host] = field(default_factory=list)
    controllers: list[Controller] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    volumes: list[Volume] = field(default_factory=list)
    hybrids: list[Hybrid] = field(default_factory=list)
    loads: list[RunningLoad] = field(default_factory=list)
    awaited: list[simpy.Event] = field(default_factory=list)
    others: list[simpy.Event] = field(default_factory=list)  # fail-overs, power-ons, learn cycles
    has_defects: bool = False

    @property
    def every(self) -> list[Volume]:
        """All that may be read and written, and what hybrids are made of."""
        return [*self.volumes, *self.hybrids]

    def note(self, text: str) -> None:
        """Write down what is done, for who reads a fault."""
        self.diary.append(f"{self.env.now:.9f} {text}")


def made(random: random.Random) -> RandomModel:
    """A model with at least one volume."""
    env = Environment(seed=random.randrange(2**31))
    model = RandomModel(env, random)
    plan = random.choice(["performance", "performance", "default"])
    # Under Linux cores share lines of arrays, what waits for disks is sorted, and md has bitmaps.
    server = random.choice(["fujitsu-rx300-s4", "fujitsu-rx300-s4", "intel-xeon-8380-pair"])
    model.hosts.append(Host(env, server, power_plan=plan))
    for _ in range(random.choice([0, 1, 1, 2])):
        _add(model, _controller)
    for _ in range(random.choice([0, 0, 0, 1, 2])):
        _add(model, _link)
    while not model.volumes or random.random() < 0.3:
        _add(model, _volume)
    if random.random() < 0.2:
        _add(model, _hybrid)
    return model


def _add(model: RandomModel, make: Any) -> None:
    """Make a part, if what was drawn fits together."""
    with contextlib.suppress(InputError):
        make(model)


def _named(kind: str, words: dict[str, Any]) -> str:
    given = ", ".join(
        f"{key}={'tiny' if value in (TINY, TINY_QUEUE) else getattr(value, 'name', value)!r}"
        for key, value in words.items()
        if value is not None
    )
    return f"{kind}({given})"


def _controller(m: RandomModel) -> None:
    r = m.random
    model = r.choice(CONTROLLERS)
    words: dict[str, Any] = {
        "battery": r.choice([None, None, "good", "low", "absent"]),
        "changes": r.choice(
            [
                {},
                {"cache.size": "4 MiB", "cache.replacement": r.choice(policies())},
                {"cache.flush_time": "0.01 s", "cache.low_mark": "0 %"},
            ]
        ),
    }
    if model == CARD:
        words = {}
    m.controllers.append(Controller(m.env, model, **words))
    m.note(_named("Controller", {"model": Path(model).stem, **words}))


def _link(m: RandomModel) -> None:
    to = m.random.choice([None, *m.controllers, *m.links])
    m.links.append(Link(m.env, None, "sas-6g", m.random.choice([1, 4]), to))
    m.note(_named("Link", {"to": to}))


def _volume(m: RandomModel) -> None:
    r = m.random
    level = r.choice(list(LEVELS))
    drive, changes = r.choice(DRIVES)
    lowest, highest = LEVELS[level]
    drives = r.randint(lowest, highest)
    if level in ("raid50", "raid60", "raid10"):
        drives -= drives % 2
    controller = r.choice([None, *m.controllers, *m.controllers])
    words: dict[str, Any] = {
        "level": level,
        "drives": drives,
        "strip": r.choice(["16 KiB", "64 KiB", "64 KiB", "256 KiB"]),
        "changes": changes,
        "state": "fresh" if changes else r.choice(["fresh", "filled"]),
        "controller": controller,
        "spares": r.choice([0, 0, 1, 2]) if level not in ("single", "jbod", "raid0") else 0,
        "rebuild_sample": "100 %" if changes and r.random() < 0.5 else "0.001 %",
        "rebuild_rate": r.choice([None, None, "1 %", "30 %", "100 %"]),
    }
    if controller is not None and controller.card.has("cache.size"):
        words["write"] = r.choice(["through", "back", "back", "back-bad-battery"])
        words["read_ahead"] = r.choice(["none", "none", "ahead", "adaptive"])
        words["io"] = r.choice(["direct", "cached"])
    elif controller is None:
        logged = ["ppl", "ppl"] if level in ("raid5", "raid50") else []
        words["intent"] = r.choice(["none", "none", "bitmap", "journal", *logged])
        if level in ("raid1e", "raid10"):
            words["spread"] = r.choice([None, "near", "offset", "far"])
    if not changes:
        words["disk_cache"] = r.choice([None, "on", "off"])
    if m.links and r.random() < 0.6:
        words["behind"] = r.sample(m.links, r.randint(1, len(m.links)))
        words["controller"] = r.choice([None, controller])
    words["mirror_reads"] = r.choice(["shortest-queue", "nearest-head", "round-robin", "linux-md"])
    words["parity_writes"] = r.choice(["fewest", "fewest", "no-modify", "no-reconstruct"])
    if r.random() < 0.1:
        words["failed"] = [r.randrange(drives)]
    if r.random() < 0.05:
        words["access"] = r.choice(["read-only", "blocked"])
    words = {key: value for key, value in words.items() if value is not None}
    try:
        made = Volume(m.env, drive, m.hosts[0], **words)
    except InputError:
        for key in ("disk_cache", "intent", "mirror_reads", "spread"):
            words.pop(key, None)
        made = Volume(m.env, drive, m.hosts[0], **words)
    m.volumes.append(made)
    m.note(_named(f"{made.name}: Volume", {"drive": drive, **words}))


def _hybrid(m: RandomModel) -> None:
    r = m.random
    while len(m.volumes) < 2:
        _volume(m)
    front, back = r.sample(m.volumes, 2)
    mode = r.choice(["cache", "cache", "tier"])
    words: dict[str, Any] = {
        "mode": mode,
        "block": r.choice(["16 KiB", "64 KiB"]),
        "front_size": r.choice(["256 KiB", "1 MiB", "4 MiB"]),
        "size": r.choice(["1 MiB", "8 MiB"]),
        "promote": r.choice(["first", "second"]),
        "low": r.choice(["0 %", "50 %"]),
        "flush": r.choice(["10 ms", "30 s"]),
        "controller": r.choice([None, None, *m.controllers]),
    }
    if mode == "cache":
        words["write"] = r.choice(["back", "back", "through", "around"])
        words["evict"] = r.choice(policies())
    m.hybrids.append(Hybrid(m.env, front, back, m.hosts[0], **words))
    m.note(_named("Hybrid", {"front": front, "back": back, **words}))


def place(m: RandomModel, volume: Volume) -> tuple[int, int]:
    """Offset and length of an I/O: mostly near the start of a volume, sometimes at its end."""
    r, sector = m.random, volume._sector
    length = min(r.choice(SIZES), volume.capacity) // sector * sector
    area = min(r.choice([length, 256 * KIB, 2 * MIB, 8 * MIB]), volume.capacity - length)
    offset = r.randint(0, max(area, 0)) // sector * sector
    if r.random() < 0.1:
        offset = volume.capacity - length - offset
    return max(offset, 0) // sector * sector, length


def load(m: RandomModel, volume: Volume) -> Load:
    """A load on a small area, most of them with an end."""
    r = m.random
    keys: dict[str, Any] = {
        "read": r.choice(["0 %", "50 %", "100 %"]),
        "random": r.choice(["0 %", "100 %", "50 %"]),
        "size": r.choice(["4 KiB", "8 KiB", "64 KiB", "256 KiB"]),
        "workers": r.choice([1, 1, 2, 5]),
        "area": {"size": f"{max(min(4 * MIB, volume.capacity) // MIB, 1)} MiB"},
    }
    if r.random() < 0.7:
        keys["outstanding"] = r.choice([1, 2, 8, 32])
        keys["think"] = r.choice(["0 us", "0 us", "1 ms"])
    else:
        keys["rate"] = r.choice(["10 IO/s", "500 IO/s"])
    if r.random() < 0.2:
        keys["timeout"] = r.choice(["1 ms", "50 ms"])
    if r.random() < 0.9:
        keys["limit"] = r.choice([{"ios": 1}, {"ios": 60}, {"time": "20 ms"}, {"bytes": "1 MiB"}])
    return Load(**keys)

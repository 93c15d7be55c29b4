"""The loads of a scenario as job files of fio for a delivered system.

A file for each point of the sweep: loads that run side by side are its sections. The device is a
variable of the environment, so that no file has to be changed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidsim.acceptance import shingled
from raidsim.assembly.drives import kind_of
from raidsim.errors import InputError, Problem
from raidsim.fio.job_options import options_of, size_text
from raidsim.result import Point
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec

RUN_S, RAMP_S = 120, 30
WORN_RAMP_S = 600  # until garbage collection goes on with what this job writes
OPEN_DEPTH = 256  # I/Os that an open load of fio may have outstanding
STREAM = 128 * 1024  # bytes of a write of a fill

ENTIRE = "100%"
"""`size` of a job on all of the device, however large the real one is."""

AS_THE_LOAD = ("bs", "bssplit", "blockalign", "percentage_random", "random_distribution")
"""Options that writes before the first job have of a load."""

COMPARED_FIRST = (
    "rw", "bs", "bssplit", "rwmixread", "iodepth", "numjobs", "rate_iops", "size", "offset",
)  # fmt: skip
"""Those of `COMPARED` that earlier versions compared, and kept in a file of expectations."""

COMPARED = (
    *COMPARED_FIRST, "percentage_random", "random_distribution", "blockalign", "offset_increment",
    "rate_process", "thinktime", "fsync", "sync", "io_size", "number_ios", "prio",
)  # fmt: skip
"""Options that a result must have as the job file has them, else something else was measured.

Without ``norandommap``: fio leaves options without a value out of its results, and on a device that
is far larger than what a job accesses the map changes nothing.
"""


@dataclass(frozen=True)
class Written:
    """A job file.

    Attributes
    ----------
    name : of the file.
    text : its contents.
    jobs : by the name of each section, the number of its point and its options.
    capacities : by the same, bytes of the volume that it is on.
    """

    name: str
    text: str
    jobs: Mapping[str, tuple[int, dict[str, str]]]
    capacities: Mapping[str, int]


def variables_of(scenario: Scenario) -> dict[str, str]:
    """The variable that stands for the device of each volume that loads run on, by volume."""
    used = list(dict.fromkeys(load.volume or scenario.volumes[0].name for load in scenario.loads))
    if len(used) == 1:
        return {used[0]: "DEVICE"}
    names: dict[str, str] = {}
    for name in used:
        word = "DEVICE_" + (re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_") or "VOLUME")
        while word in names.values():
            word += "_2"
        names[name] = word
    return names


def refuse_what_fio_cannot(scenario: Scenario) -> None:
    """Raise an InputError with everything in a scenario that no job of fio can be."""
    wrong = []

    def problem(key: str, cause: str, remedy: str | None = None) -> None:
        wrong.append(Problem(scenario.path, None, key, cause, remedy))

    if scenario.events:
        problem(
            "event", "what happens meanwhile is no part of an acceptance", "take the events out"
        )
    if scenario.machines:
        problem(
            "machine", "machines that boot are no job of fio", "write a [[load]] in their place"
        )
    for load in scenario.loads:
        if load.arrivals is not None or load.trace is not None:
            what = "given arrivals" if load.trace is None else "a trace"
            remedy = "write a load like it: raidsim trace fit"
            problem(f"load.{load.name}", f"{what} cannot be written as options of fio", remedy)
    if wrong:
        raise InputError(wrong)


def job_files(scenario: Scenario, points: Sequence[Point]) -> tuple[list[Written], list[str]]:
    """The job file of each intensity and group, and what fio has no words for."""
    devices = variables_of(scenario)
    remarks: dict[str, None] = {}
    files: list[Written] = []
    taken: set[str] = set()
    place = 0
    for _ in range(scenario.points):
        for loads in scenario.groups:
            sections = []
            capacities: dict[str, int] = {}
            for load in loads:
                options, said = _options(scenario, load, points[place], devices)
                remarks |= dict.fromkeys(f"{load.name}: {one}" for one in said)
                name = _name(load, points[place], taken)
                sections.append((name, place, options))
                capacities[name] = _capacity(scenario, load.volume or scenario.volumes[0].name)
                place += 1
            files.append(_file(scenario, len(files) + 1, sections, capacities))
    return files, list(remarks)


def preparation(scenario: Scenario) -> tuple[str | None, list[str]]:
    """The job file that brings drives into the state that the scenario has, and steps in words."""
    devices = variables_of(scenario)
    sections, steps = [], []
    for name, variable in devices.items():
        for volume in _volumes(scenario, name):
            if not kind_of(volume.card).has_past(volume.card):
                continue
            if shingled.are_shingled(volume):
                found, step = _shingled(scenario, name, variable, volume)
                sections += found
                steps.append(step)
                continue
            if volume.state == "fresh":
                steps.append(
                    f"Give all blocks of volume {name} back, so that its drives are as new:"
                    f" `blkdiscard ${variable}`."
                )
                continue
            worn = list(_wear(scenario, name, variable, volume))
            capacity = _capacity(scenario, name)
            sections += [_fill(name, variable, volume, capacity, again=not worn), *worn]
            share = "" if volume.filled == 1 else f"the first {100 * volume.filled:g} % of "
            how = f"Write {share}volume {name} full, "
            if worn:
                how += "and then at random, as its loads write, as many bytes as it holds:"
                steps.append(f"{how} `fio prepare.fio` does both. That takes hours.")
            else:
                how += "twice:" if volume.state == "steady" else "once:"
                steps.append(f"{how} `fio prepare.fio` does it.")
    if not sections:
        return None, list(dict.fromkeys(steps))
    head = [
        "; Brings drives into the state that the scenario gives them.",
        "; IT OVERWRITES ALL THAT IS ON THE DEVICE.",
        "",
    ]
    return "\n".join([*head, *dict.fromkeys(sections)]), list(dict.fromkeys(steps))


def _fill(name: str, variable: str, volume: VolumeSpec, capacity: int, *, again: bool) -> str:
    filled = math.ceil(volume.filled * capacity / STREAM) * STREAM
    options = {
        **_writing(variable),
        "rw": "write",
        "bs": size_text(STREAM),
        "size": ENTIRE if filled >= capacity else size_text(filled),
    }
    if volume.state == "steady" and again:
        options["loops"] = "2"
    return _section(f"fill-{word_of(name)}", {**options, "stonewall": "1"})


def _wear(scenario: Scenario, name: str, variable: str, volume: VolumeSpec) -> Iterator[str]:
    """Sections that write at random as the loads do, side by side, as much as the volume holds.

    What was written in sequence leaves blocks to be freed without moving anything. Until these
    are used up no garbage is collected, however many minutes that takes; then the write
    amplification goes up, and settles before as much as the capacity is written.
    """
    if volume.state != "steady" or not kind_of(volume.card).keeps_map:
        return
    capacity = _capacity(scenario, name)
    loads = _random_writers(scenario, name)
    yield from _as_loads(loads, name, variable, capacity, capacity)


def _shingled(
    scenario: Scenario, name: str, variable: str, volume: VolumeSpec
) -> tuple[list[str], str]:
    """Sections and the step that bring shingled disks into their state: it is in media caches."""
    loads = _random_writers(scenario, name)
    if volume.state == "steady" and loads:
        capacity = _capacity(scenario, name)
        needed = shingled.until_steady(scenario, volume, loads, capacity)
        return list(_as_loads(loads, name, variable, capacity, needed.size)), (
            f"Write at random to volume {name}, as its loads do, until its shingled disks have"
            " rewritten all bands that they write to, and their media caches stay full:"
            f" `fio prepare.fio` does it. That takes about {shingled.duration(needed.seconds)}."
            " Begin the jobs at once: idle disks empty their media caches."
        )
    before = " before each job that writes at random" if loads else ""
    return [], (
        f"Leave volume {name} idle{before} until its shingled disks have emptied their media"
        " caches. Those of new disks are empty; full ones take up to"
        f" {shingled.duration(shingled.emptying_time(volume))}."
    )


def _random_writers(scenario: Scenario, name: str) -> list[LoadSpec]:
    """The loads that write to a volume at random."""
    return [
        load
        for load in scenario.loads
        if (load.volume or scenario.volumes[0].name) == name
        and any(one.read < 1 and one.random > 0 for one in load.mix)
    ]


def _as_loads(
    loads: Sequence[LoadSpec], name: str, variable: str, capacity: int, written: int
) -> Iterator[str]:
    """Sections that write so many bytes at random as some loads do, side by side."""
    for number, load in enumerate(loads):
        given, _ = options_of(load, 1, None, capacity)
        first, size = load.extent(capacity)
        if load.partitions:
            last, size = load.extent(capacity, load.workers - 1)
            size += last - first
        options = {
            **_writing(variable),
            "rw": "randwrite",
            **{key: given[key] for key in AS_THE_LOAD if key in given},
            "norandommap": "1",
            "offset": size_text(first),
            "size": ENTIRE if _is_all(load, first, size, capacity) else size_text(size),
            "io_size": size_text(written // len(loads)),
        }
        if number == 0:
            options["stonewall"] = "1"
        yield _section(f"wear-{word_of(name)}-{number + 1}", options)


def _writing(variable: str) -> dict[str, str]:
    return {
        "filename": f"${{{variable}}}",
        "direct": "1",
        "ioengine": "libaio",
        "iodepth": "32",
    }


def _capacity(scenario: Scenario, volume: str) -> int:
    return (scenario.hybrid(volume) or scenario.volume(volume)).capacity


def _volumes(scenario: Scenario, name: str) -> Iterator[VolumeSpec]:
    hybrid = scenario.hybrid(name)
    names = (name,) if hybrid is None else (hybrid.front, hybrid.back)
    return (scenario.volume(one) for one in names)


def _options(
    scenario: Scenario, load: LoadSpec, point: Point, devices: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """The options of the section of a load at a point."""
    volume = load.volume or scenario.volumes[0].name
    capacity = _capacity(scenario, volume)
    depth = point.outstanding or OPEN_DEPTH
    options, remarks = options_of(load, depth, point.rate, capacity)
    options["filename"] = f"${{{devices[volume]}}}"
    first, size = load.extent(capacity)
    if not load.partitions and _is_all(load, first, size, capacity):
        options.pop("offset", None)
        options["size"] = ENTIRE
    options.pop("latency_target", None)
    options.pop("latency_percentile", None)
    if "number_ios" not in options and "io_size" not in options:
        worn = load.read_share < 1 and any(
            kind_of(one.card).has_past(one.card) and one.state == "steady"
            for one in _volumes(scenario, volume)
        )
        options |= {
            "time_based": "1",
            "runtime": options.get("runtime", str(RUN_S)),
            "ramp_time": str(WORN_RAMP_S if worn else RAMP_S),
        }
    return options, remarks


def _is_all(load: LoadSpec, first: int, size: int, capacity: int) -> bool:
    """Return whether a part is all that a load can access of a volume."""
    parts = load.workers if load.partitions else 1
    return first == 0 and size >= capacity - load.align * parts


def _file(
    scenario: Scenario,
    number: int,
    sections: Sequence[tuple[str, int, dict[str, str]]],
    capacities: Mapping[str, int],
) -> Written:
    first = sections[0][0]
    name = f"{number:02d}-{first}.fio"
    writes = any(options["rw"] not in ("read", "randread") for _, _, options in sections)
    head = [f"; {scenario.title}: {', '.join(one for one, _, _ in sections)}".rstrip()]
    if writes:
        head.append("; IT OVERWRITES WHAT IS ON THE DEVICE.")
    shared = {
        "ioengine": "libaio",
        "direct": "1",
        "group_reporting": "1",
        "lat_percentiles": "1",
        "percentile_list": "50:95:99:99.9",
        "randseed": str(scenario.seed),
    }
    parts = [_section("global", shared)]
    parts += [_section(one, {**options, "new_group": "1"}) for one, _, options in sections]
    text = "\n".join(head) + "\n\n" + "\n".join(parts)
    jobs = {one: (place, options) for one, place, options in sections}
    return Written(name, text, jobs, capacities)


def _section(name: str, options: Mapping[str, str]) -> str:
    return "\n".join([f"[{name}]", *(f"{key}={value}" for key, value in options.items())]) + "\n"


def _name(load: LoadSpec, point: Point, taken: set[str]) -> str:
    """A name for a job that no other has, of the load and what is outstanding or offered."""
    asked = f"{point.outstanding}" if point.outstanding else f"{point.rate:.6g}-iops"
    name = base = f"{word_of(load.name)}-{asked}"
    number = 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    taken.add(name)
    return name


def word_of(name: str) -> str:
    """Return a name in letters, digits and dashes, as jobs have it."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-") or "load"

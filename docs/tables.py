"""Tables of simulated figures on the pages: write them anew: ``python docs/tables.py``.

A page marks the place with ``<!-- simulated NAME -->`` and ``<!-- end of simulated -->``. Most of
these tables take some minutes, so the tests look only at that of boot storms.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import hit_rates  # beside this script
import shingled_disks
import slc_rates

from raidsim.cards.reference import table
from raidsim.control import Environment, Host, Load, RunningLoad, Volume
from raidsim.running import run
from raidsim.scenario import load

DOCS = Path(__file__).resolve().parent
MARKED = re.compile(
    r"<!-- simulated (?P<name>[\w-]+) -->\n.*?\n(?=<!-- end of simulated -->)", flags=re.DOTALL
)

# The controller of 2008 with its disks; what its paper does not print is assumed as in
# validation/fujitsu-modular-raid-2008.toml: outstanding I/Os, the number of disks, and where the
# measurement file begins (sector 63).
DISKS_OF_2008 = "raid5-disks"
ARRAYS = {
    "RAID 0 of 2": ("raid0", 2),
    "RAID 0 of 4": ("raid0", 4),
    "RAID 1 of 2": ("raid1", 2),
    "RAID 5 of 5": ("raid5", 5),
    "RAID 6 of 5": ("raid6", 5),
    "RAID 10 of 4": ("raid10", 4),
}
THROUGH, BACK = "volume.write=through", "volume.write=back"
DISKS = "volume.disk_cache=on"
MODES = {
    "all off": (THROUGH,),
    "disk caches": (THROUGH, DISKS),
    "write-back": (BACK,),
    "both": (BACK, DISKS),
    "both, I/O cached": (BACK, DISKS, "volume.io=cached"),
    "both, adaptive": (BACK, DISKS, "volume.read_ahead=adaptive"),
    "both, read ahead": (BACK, DISKS, "volume.read_ahead=ahead"),
}
PROFILES = {  # share of reads, share of random accesses, size, outstanding
    "Streaming": ("100 %", "0 %", "64 KiB", 3),
    "Restore": ("0 %", "0 %", "64 KiB", 3),
    "Database": ("67 %", "100 %", "8 KiB", 8),
    "File server": ("67 %", "100 %", "64 KiB", 8),
}

# Array, profile, a setting and the one (or the array) it is compared with; what the paper prints.
PRINTED_IN_2008 = (
    ("RAID 0 of 2", "Restore", "both, I/O cached", "all off", "3 times; 3.4 times"),
    ("RAID 0 of 2", "Database", "both, I/O cached", "all off", "15 % more"),
    ("RAID 0 of 2", "File server", "both, I/O cached", "all off", "20 % more"),
    ("RAID 0 of 4", "Streaming", "write-back", "all off", "8 % less"),
    ("RAID 0 of 4", "Restore", "both, I/O cached", "all off", "8.7 times"),
    ("RAID 0 of 4", "Database", "disk caches", "all off", "25 % more"),
    ("RAID 0 of 4", "File server", "disk caches", "all off", "35 % more"),
    ("RAID 1 of 2", "Restore", "both", "all off", "60 % more"),
    ("RAID 1 of 2", "File server", "both", "all off", "50 % more"),
    ("RAID 5 of 5", "Streaming", "both, I/O cached", "both", "less"),
    ("RAID 5 of 5", "File server", "both", "all off", "40 % more"),
    ("RAID 5 of 5", "Streaming", "both", "RAID 6 of 5", "24 % more"),
    ("RAID 5 of 5", "Restore", "both", "RAID 6 of 5", "40 % more"),
    ("RAID 10 of 4", "Database", "both", "all off", "20 % more on average"),
    ("RAID 10 of 4", "File server", "both", "all off", "20 % more on average"),
    ("RAID 10 of 4", "Database", "both", "RAID 6 of 5", "up to 61 % more"),
    ("RAID 10 of 4", "File server", "both", "RAID 6 of 5", "up to 61 % more"),
)


@cache
def throughput(level: str, drives: int, settings: tuple[str, ...], profile: str) -> float:
    """MB/s (2^20) of a profile on an array of the disks of 2008."""
    read, random, size, outstanding = PROFILES[profile]
    changes = [f"volume.level={level}", f"volume.drives={drives}", *settings]
    changes += [f"load.read={read}", f"load.random={random}", f"load.size={size}"]
    changes += [f"load.outstanding={outstanding}", "load.area.offset=32256 B", "load.align=512 B"]
    changes += ["measure.precision=2 %"]
    (point,) = run(load(DISKS_OF_2008, overrides=changes)).points
    return point.mbps


# What software RAID notes of writes, and the area that they fall into; sampled, where it is all.
RESYNCED = (
    ("none", "64 GiB"),
    ("bitmap", "2 TB"),
    ("bitmap", "64 GiB"),
    ("journal", "2 TB"),
    ("journal", "64 GiB"),
)


def cache_modes() -> str:
    """What each cache setting does to each profile and level."""
    rows = [
        [array, mode, *(f"{throughput(*kind, settings, name):.1f}" for name in PROFILES)]
        for array, kind in ARRAYS.items()
        for mode, settings in MODES.items()
    ]
    return table(["array", "setting", *PROFILES], rows)


def ratio_in_2008(array: str, profile: str, setting: str, other: str) -> float:
    """One setting against another, or one array against another with the same setting."""
    mode, against = (setting, other) if other in ARRAYS else (other, array)
    one = throughput(*ARRAYS[array], MODES[setting], profile)
    return one / throughput(*ARRAYS[against], MODES[mode], profile)


def printed_in_2008() -> str:
    """What the paper prints of these arrays in words, and the same of the simulation."""
    rows = []
    for array, profile, setting, other, printed in PRINTED_IN_2008:
        ratio = ratio_in_2008(array, profile, setting, other)
        rows.append([array, profile, f"{setting} against {other}", printed, f"{ratio:.2f} times"])
    return table(["array", "profile", "compared", "printed", "simulated"], rows)


REBUILT = {"RAID 5": ("raid5", 8), "RAID 6": ("raid6", 8), "RAID 10": ("raid10", 8)}
RATES = ("10 %", "30 %", "60 %", "100 %")
DATABASE = Load(read="67 %", size="8 KiB", outstanding=16)
SETTLING, MEASURED = 2.0, 60.0  # s


def array_to_rebuild(level: str, drives: int, rate: str = "100 %") -> Volume:
    """A volume of eight NL-SAS disks of 2 TB, on software RAID, with a hot spare."""
    env = Environment()
    host = Host(env, "fujitsu-rx300-s7")
    keys = {"level": level, "drives": drives, "spares": 1}
    return Volume(env, "nl-sas-2tb", host, rebuild_rate=rate, rebuild_sample="0.2 %", **keys)


def under_load(volume: Volume) -> RunningLoad:
    """A load on a volume, measured from now on."""
    load = volume.start(DATABASE)
    volume.env.run(until=volume.env.now + SETTLING)
    volume.env.reset_window()
    return load


def rebuilds() -> str:
    """How long rebuilds take, and what the host has of its array meanwhile."""
    rows = []
    for name, kind in REBUILT.items():
        optimal = array_to_rebuild(*kind)
        load = under_load(optimal)
        optimal.env.run(until=optimal.env.now + MEASURED)
        rows.append([name, "no drive has failed", "", *figures(load)])
        alone = array_to_rebuild(*kind)
        rebuild = alone.fail(0)
        alone.env.run(rebuild)
        rows.append([name, "rebuild, no load", f"{rebuild.seconds / 3600:.1f}", "", "", ""])
        for rate in RATES:
            volume = array_to_rebuild(*kind, rate)
            load = under_load(volume)
            rebuild = volume.fail(0)
            volume.env.run(rebuild)
            hours = f"{rebuild.seconds / 3600:.1f}"
            rows.append([name, f"rebuild at {rate}", hours, *figures(load)])
    return table(["array", "state", "hours", "IO/s", "mean read, ms", "99 % of reads, ms"], rows)


def figures(load: RunningLoad) -> list[str]:
    """Throughput and latencies of a load over the window."""
    read = load.latency("read")
    return [f"{load.iops:.0f}", f"{read.mean:.0f}", f"{read.p99:.0f}"]


def resyncs() -> str:
    """What a resync goes through after a power cut, and how long it takes."""
    rows = []
    for intent, area in RESYNCED:
        env = Environment(seed=1)
        host = Host(env, "fujitsu-rx2540-m1")
        data = Volume(
            env, "nl-sas-2tb", host, name="data", level="raid5", drives=8, intent=intent,
            disk_cache="off", rebuild_sample="1 %",
        )  # fmt: skip
        place = {"offset": "2 TB", "size": area}
        load = data.start(
            Load(read="50 %", size="8 KiB", align="4 KiB", outstanding=32, area=place)
        )
        env.run(until=10)
        cut = env.cut_power().of("data")
        load.stop()
        on = env.run(until=env.restore_power(boot=60))
        resync = on.resyncs["data"]
        env.run(until=resync)
        size = sum(end - first for first, end in cut.resync_rows) * data.spec.strip / 1e9
        time = f"{resync.seconds:.2g} s" if resync.seconds < 1 else f"{resync.seconds:,.0f} s"
        stripes = cut.finished or len(cut.inconsistent)
        hole = sum(one.length for one in cut.write_hole) // 1024
        rows.append([intent, area, f"{stripes}", f"{hole:,}", f"{size:.4g}", time])
    titles = ["`intent`", "writes within", "stripes under update", "write hole, KiB",
              "resync, GB of each drive", "time"]  # fmt: skip
    return table(titles, rows)


# What happens in each shipped storm after 30 s, and the kind of event that is left out to compare.
STORMS = (
    ("boot-storm-drive-failure", "drive-failure", "a disk fails, a hot spare is rebuilt"),
    ("boot-storm-learn-cycle", "learn-cycle", "the battery learns, and writes wait for the disks"),
)


def boot_storms() -> str:
    """When the last desktop is ready, with what happens in each storm and without."""
    rows = []
    for name, kind, happens in STORMS:
        calm, storm = (
            run(load(name, overrides=changes)).points[0].machines.last_s
            for changes in ([f"event.{kind}="], [])
        )
        rows.append([f"`{name}`", happens, f"{calm:.0f} s", f"{storm:.0f} s"])
    titles = ["scenario", "what happens after 30 s", "ready without it", "ready with it"]
    return table(titles, rows)


TABLES: dict[str, Callable[[], str]] = {
    "cache-modes": cache_modes,
    "printed-in-2008": printed_in_2008,
    "rebuilds": rebuilds,
    "resyncs": resyncs,
    "hit-rates": hit_rates.hit_rates,
    "shingled-disk": shingled_disks.shingled,
    "slc-rates": slc_rates.slc_rates,
    "boot-storms": boot_storms,
}


def filled(text: str) -> str:
    """A page with its tables as the simulation has them now."""
    return MARKED.sub(
        lambda place: f"<!-- simulated {place['name']} -->\n\n{TABLES[place['name']]()}\n", text
    )


def main() -> None:
    for page in sorted(DOCS.rglob("*.md")):
        old = page.read_text(encoding="utf-8")
        new = filled(old)
        if new != old:
            page.write_text(new, encoding="utf-8")
            print(f"{page.relative_to(DOCS)}: refreshed")


if __name__ == "__main__":
    main()

"""Results of vdbench and Iometer as texts, from a few figures: versions differ in their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

MIB = 2**20
FLAT_503 = """
Run Interval reqrate rate MB/sec bytes/io read% resp read_resp write_resp resp_max resp_std
xfersize threads rdpct rhpct whpct seekpct lunsize version compratio dedupratio queue_depth
"""
FLAT_504 = """
timestamp Run Interval reqrate rate MB/sec bytes/io read% resp read_resp write_resp resp_max
read_max write_max resp_std read_std write_std xfersize threads rdpct rhpct whpct seekpct
lunsize version compratio dedupratio queue_depth
"""
FLAT_FILES = """
timestamp Run Interval Xfersize Threads Reqrate Rate Rate_std Rate_max Resp Resp_std Resp_max
MB/sec MB_read MB_write Read_rate Read_rate_std Read_rate_max Read_resp Read_resp_std
Read_resp_max Write_rate Write_rate_std Write_rate_max Write_resp Write_resp_std
Write_resp_max Open_rate Open_resp
"""
MAX = 9_999_988
RUN = {
    "Run": "rd1", "reqrate": MAX, "rate": 1000.0, "bytes/io": 8192, "read%": 67.0, "resp": 4.0,
    "read_resp": 5.0, "write_resp": 1.97, "resp_max": 30.0, "read_max": 30.0, "write_max": 20.0,
    "xfersize": 8192, "threads": 4, "rdpct": 67, "rhpct": 0, "whpct": 0, "seekpct": 100,
    "queue_depth": 4.0, "timestamp": "05/10/2023-21:16:11-CST",
}  # fmt: skip


def flat(*rows: Mapping[str, object], columns: str = FLAT_503, head: str = "<pre>\n*\n") -> str:
    """A flat file: each row is a second after the one before."""
    names = columns.split()
    lines = [" ".join(["         tod", *names])]
    for number, row in enumerate(rows):
        values = {**RUN, **row}
        parts = values["rate"], values["bytes/io"]
        if "MB/sec" not in row and all(isinstance(one, int | float) for one in parts):
            values["MB/sec"] = parts[0] * parts[1] / MIB
        time = f"13:{number // 60:02}:{number % 60:02}.000"
        lines.append(" ".join([time, *(str(values.get(name, "n/a")) for name in names)]))
    return head + "\n".join(lines) + "\n"


def run(last: int = 5, **figures: object) -> list[dict[str, object]]:
    """The rows of a run: intervals, of which the first is far off, and their averages."""
    first = {**figures, "Interval": 1, "rate": 1.0, "resp": 900.0}
    inside = [{**figures, "Interval": number} for number in range(2, last + 1)]
    return [first, *inside, {**figures, "Interval": f"avg_2-{last}"}]


# ---------------------------------------------------------------- Iometer

GENERATIONS = {  # what throughput is called, and bytes of its unit
    "2006": (("MBps", MIB),),
    "2008": (("MBps (Binary)", MIB), ("MBps (Decimal)", 10**6)),
    "1.1.0": (("MiBps (Binary)", MIB), ("MBps (Decimal)", 10**6)),
}
BINS = (
    "0 to 50 uS,50 to 100 uS,100 to 200 uS,200 to 500 uS,0.5 to 1 mS,1 to 2 mS,2 to 5 mS,"
    "5 to 10 mS,10 to 15 mS,15 to 20 mS,20 to 30 mS,30 to 50 mS,50 to 100 mS,100 to 200 mS,"
    "200 to 500 mS,0.5 to 1 S,1 to 2 s,2 to 4.7 s,4.7 to 5 s,5 to 10 s, >= 10 s"
)
WHOLE = {
    "Target Type": "ALL", "Target Name": "All", "Access Specification Name": "Database",
    "# Managers": 1, "# Workers": 1, "# Disks": 1, "IOps": 1000.0, "Read IOps": 670.0,
    "Write IOps": 330.0, "Average Response Time": 4.0, "Average Read Response Time": 5.0,
    "Average Write Response Time": 1.97, "Maximum Read Response Time": 30.0,
    "Maximum Write Response Time": 20.0, "Errors": 0, "Bytes Read": 670 * 60 * 8192,
    "Bytes Written": 330 * 60 * 8192, "Read I/Os": 670 * 60, "Write I/Os": 330 * 60,
    "Starting Sector": 0, "Maximum Size": 0, "Queue Depth": 4,
}  # fmt: skip
DATABASE = ("8192,100,67,100,0,1,4096,0",)


def iometer(
    generation: str = "1.1.0",
    lines: Sequence[str] = DATABASE,
    bins: Mapping[str, int] | None = None,
    targets: Sequence[str] = ("PHYSICALDRIVE:1",),
    **cells: object,
) -> str:
    """A test of Iometer, with a row of sums and one for each target."""
    rates = GENERATIONS[generation]
    rated = [f"{kind}{name}" for name, _ in rates for kind in ("", "Read ", "Write ")]
    names = [*list(WHOLE)[:9], *rated, *list(WHOLE)[9:]]
    whole: dict[str, object] = {**WHOLE, **{key.replace("_", " "): v for key, v in cells.items()}}
    moved = (float(whole["Bytes Read"]) / 60, float(whole["Bytes Written"]) / 60)
    for name, unit in rates:
        for kind, value in zip(("", "Read ", "Write "), (sum(moved), *moved), strict=True):
            whole.setdefault(f"{kind}{name}", value / unit)
    counts = ""
    if bins is not None:
        names.append(BINS)
        counts = "," + ",".join(str(bins.get(name.strip(), 0)) for name in BINS.split(","))
    row = ",".join(str(whole[name]) for name in names if name != BINS) + counts
    name = whole["Access Specification Name"]
    disks = "".join(f"DISK,{one},{name}{',' * (row.count(',') - 2)}\n" for one in targets)
    return (
        "'Test Type,Test Description\n0,made for a test\n'Version\n"
        f"{generation}\n'Time Stamp\n2012-03-01 10:11:12:123\n'Access specifications\n"
        f"'Access specification name,default assignment\n{name},0\n"
        "'size,% of size,% reads,% random,delay,burst,align,reply\n"
        + "".join(f"{line}\n" for line in lines)
        + f"'End access specifications\n'Results\n'{','.join(names)}\n{row}\n{disks}"
        "'Time Stamp\n2012-03-01 10:12:12:123\n"
    )

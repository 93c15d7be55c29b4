"""The table of the how-to for crash tests: run all of them anew: ``python docs/crashes.py``.

It takes about ten minutes, so the tests repeat a few rounds. All rounds are kept in
``docs/crashes.json``; ``python docs/crashes.py --write`` puts the table of those onto the page.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from raidsim.attach.crash import Wanted, crash_test

DOCS = Path(__file__).resolve().parent
KEPT = DOCS / "crashes.json"
PAGE = DOCS / "how-to" / "crash-test.md"
SCRIPT = DOCS / "how-to" / "crash_sqlite.py"
SCENARIO = DOCS / "how-to" / "crash_sqlite.toml"
MARKED = re.compile(r"(<!-- crash tests -->\n).*?(?=<!-- end of crash tests -->)", flags=re.DOTALL)
ROUNDS = 20
THINK = 0.002  # s

BACK = ("volume.write=back",)
ARRAYS = {
    "write-through, disk caches off": (),
    "write-through, disk caches on": ("volume.disk_cache=on",),
    "write-back with battery, disk caches off": BACK,
    "write-back with battery, disk caches on": (*BACK, "volume.disk_cache=on"),
    "write-back without battery, disk caches off": (
        "volume.write=back-bad-battery",
        "controller.battery=absent",
    ),
}
DATABASES = {
    "rollback journal": "--journal delete",
    "WAL": "--journal wal",
    "no journal": "--journal off",
    "rollback journal, no barrier": "--journal delete --no-barrier",
    "WAL, no barrier": "--journal wal --no-barrier",
    "no journal, no barrier": "--journal off --no-barrier",
}

Found = dict[str, dict[str, list[str]]]
"""What the check said after each cut, by array and database."""


def wanted(array: str, database: str, rounds: int = ROUNDS) -> Wanted:
    """One cell of the table."""
    command = f"{sys.executable} {SCRIPT}"
    return Wanted(
        scenario=str(SCENARIO),
        write=f"{command} write {DATABASES[database]}",
        check=f"{command} check {DATABASES[database]}",
        rounds=rounds,
        think=THINK,
        overrides=ARRAYS[array],
    )


def run(array: str, database: str, rounds: int = ROUNDS) -> list[str]:
    """What the check said after each cut."""
    test = crash_test(wanted(array, database, rounds))
    return [one.words for one in test.rounds if one.cut is not None]


def cell(words: list[str]) -> str:
    """The rounds of one cell, counted."""
    lost = sum(one.startswith("lost") for one in words)
    damaged = sum(one.startswith("damaged") for one in words)
    counted = [f"{n} {what}" for n, what in ((lost, "lost"), (damaged, "damaged")) if n]
    return ", ".join(counted) or "-"


def table(found: Found) -> str:
    """The table of the page."""
    lines = [
        f"| {' | '.join(['array', *DATABASES])} |",
        f"|{'---|' * (1 + len(DATABASES))}",
    ]
    for array in ARRAYS:
        cells = [cell(found[array][database]) for database in DATABASES]
        lines.append(f"| {' | '.join([array, *cells])} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what is asked for, and write the table."""
    if sys.argv[1:] != ["--write"]:
        found = {}
        for array in ARRAYS:
            found[array] = {}
            for database in DATABASES:
                found[array][database] = run(array, database)
                print(f"{array}, {database}: {cell(found[array][database])}", flush=True)
        KEPT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    found = json.loads(KEPT.read_text(encoding="utf-8"))
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(MARKED.sub(lambda at: at[1] + table(found), text), encoding="utf-8")


if __name__ == "__main__":
    main()

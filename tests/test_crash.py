"""Power cuts under a real database: which settings keep what it has confirmed."""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from pathlib import Path

import pytest
from command_line import output_of

DOCS = Path(__file__).resolve().parents[1] / "docs"
KEPT = json.loads((DOCS / "crashes.json").read_text(encoding="utf-8"))
SAFE = [
    "write-through, disk caches off",
    "write-through, disk caches on",
    "write-back with battery, disk caches off",
]

place = importlib.util.spec_from_file_location("crashes", DOCS / "crashes.py")
crashes = importlib.util.module_from_spec(place)
place.loader.exec_module(crashes)


def run(capfd, *words, status=0):
    return output_of(capfd, "crash-test", crashes.SCENARIO, *words, expected=status)


# ---- what databases keep


@pytest.mark.parametrize("array", SAFE)
@pytest.mark.parametrize("database", ["rollback journal", "WAL"])
def test_a_journal_and_flushes_keep_all_that_was_confirmed(array, database):
    """Where flushed data outlasts a cut SQLite promises its commits (sqlite.org/atomiccommit)."""
    assert len(KEPT[array][database]) == crashes.ROUNDS
    assert crashes.cell(KEPT[array][database]) == "-"


@pytest.mark.parametrize("database", crashes.DATABASES)
@pytest.mark.parametrize("array", crashes.ARRAYS)
def test_only_what_is_volatile_or_has_no_journal_loses(array, database):
    """Nothing else may be damaged: an array that keeps its promises needs no barrier."""
    unsafe = array not in SAFE or ("caches on" in array and "no barrier" in database)
    if crashes.cell(KEPT[array][database]) != "-":
        assert unsafe or "no journal" in database


def test_commits_are_lost_without_a_barrier_in_front_of_disk_caches():
    for database in ("rollback journal, no barrier", "WAL, no barrier"):
        assert crashes.cell(KEPT["write-through, disk caches on"][database]) != "-"


@pytest.mark.parametrize(
    ("array", "database", "keeps"),
    [
        ("write-through, disk caches on", "WAL", True),
        ("write-back with battery, disk caches on", "rollback journal, no barrier", False),
        ("write-back without battery, disk caches off", "rollback journal", False),
    ],
)
def test_a_few_rounds_say_what_the_page_says(array, database, keeps):
    words = crashes.run(array, database, rounds=5)
    print(words)
    assert (crashes.cell(words) == "-") == keeps == (crashes.cell(KEPT[array][database]) == "-")


def test_the_page_shows_the_rounds_that_are_kept():
    assert crashes.table(KEPT) in crashes.PAGE.read_text(encoding="utf-8")


# ---- the command, with programs of a few lines

WRITER = """
import os, sys
sys.path.insert(0, {folder!r})
from crash_sqlite import Volume
volume = Volume(os.environ["RAIDSIM_SOCKET"])
for number in range(1, 41):
    volume.write(number * 2**20, b"x" * 512)
    with open(os.environ["RAIDSIM_FOLDER"] + "/n", "w") as notes:
        notes.write(str(number))
"""
READER = """
import os, sys
sys.path.insert(0, {folder!r})
from crash_sqlite import Volume
volume = Volume(os.environ["RAIDSIM_SOCKET"])
with open(os.environ["RAIDSIM_FOLDER"] + "/n") as notes:
    noted = int(notes.read())
there = [volume.read(n * 2**20, 512) == b"x" * 512 for n in range(1, 41)]
print(noted, "noted,", sum(there), "there")
sys.exit(not all(there[:noted]))
"""


@pytest.fixture
def commands(tmp_path):
    """A program that notes each write that was answered, and one that looks for them."""
    words = []
    for option, text in (("--write", WRITER), ("--check", READER)):
        program = tmp_path / f"{option.strip('-')}.py"
        program.write_text(text.format(folder=str(DOCS / "how-to")))
        words += [option, f"{shlex.quote(sys.executable)} {shlex.quote(str(program))}"]
    return words


def test_what_was_answered_is_there_after_a_cut_at_a_chosen_time(commands, tmp_path, capfd):
    """Writes of one sector on idle disks take a few ms each: some are answered within 60 ms."""
    kept = tmp_path / "kept"
    printed = run(capfd, *commands, "--at", "60 ms", "--keep", str(kept), "--json", "-")
    found = json.loads(printed)
    without, cut = found["rounds"]
    assert found["schema"] == "raidsim.crash-test/1"
    assert without == {
        "number": 0, "cut": None, "lost": 0, "passed": True, "words": "40 noted, 40 there",
    }  # fmt: skip
    assert cut["cut"] == pytest.approx(0.060, abs=1e-9)
    assert 1 < int((kept / "round-1" / "n").read_text()) < 40
    assert (kept / "round-1" / "check.txt").read_text().strip() == cut["words"]


def test_one_seed_gives_the_same_rounds_again_and_another_one_does_not(commands, capfd):
    words = [*commands, "--times", "2"]
    printed = run(capfd, *words)
    assert "all is well after 2 of 2 power cuts" in printed
    assert run(capfd, *words) == printed
    assert run(capfd, *words, "--seed", "77") != printed


@pytest.mark.parametrize(
    ("write", "check", "more", "message"),
    [
        ("echo no disk; exit 3", "true", [],
         "--write: ends with status 3 though no power was cut: no disk"),
        ("true", "echo it is empty; false", [],
         "--check: it reports an error although no power was cut: it is empty"),
        ("true", "sleep 30", ["--patience", "200 ms"],
         "--check: has not ended after 0.2 s of real time; give more --patience"),
        ("true", "true", ["--at", "soon"], "--at: "),
        ("true", "true", ["--think", "-1 s"], "--think: "),
    ],
)  # fmt: skip
def test_commands_that_fail_by_themselves_are_told_of(write, check, more, message, capfd):
    printed = run(capfd, "--write", write, "--check", check, *more, status=2)
    assert printed.startswith(message)
    assert "Traceback" not in printed

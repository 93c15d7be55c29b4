"""The kernel's machine code on disk: an edit anywhere compiles anew, and no cache is no error.

Processes of their own compile one small entry of the kernel, which takes half a second. This
is about compiled code, so it says nothing when the kernel runs interpreted.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from raidsim import kernel
from raidsim.kernel import source_hash

PACKAGE = Path(kernel.__file__).parents[1]
HASHED = sorted(
    path.relative_to(PACKAGE).as_posix()
    for folder in ("kernel", "layout", "stats")
    for path in (PACKAGE / folder).glob("*.py")
)

# Sets the speed of a station to a half: a callee of an entry, in a file of its own.
PROGRAM = """
import json
import numba
before = numba.config.CACHE_DIR
from raidsim import kernel
from raidsim.build.system import System
system = System()
cpu = system.add_station("cpu", "host CPU")
system.set_speed(cpu, 0.5)
print(json.dumps({
    "folder": str(kernel.CACHE_FOLDER),
    "speed": float(system.world.stations[cpu]["speed"]),
    "cache_dir": [before, numba.config.CACHE_DIR],
    "compiled": kernel.is_compiled(),
}))
"""
NO_HOME = """
import pwd
def getpwuid(uid):
    raise KeyError(uid)
pwd.getpwuid = getpwuid
"""


class Ran:
    """What a process printed: the object of PROGRAM, and whether it had to compile."""

    def __init__(self, root: Path, program: str = PROGRAM, **settings: str | None) -> None:
        environment = os.environ | {"PYTHONPATH": str(root), "NUMBA_DEBUG_CACHE": "1"}
        environment |= {"NUMBA_DISABLE_JIT": "0"} | settings
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            env={key: value for key, value in environment.items() if value is not None},
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        *notes, last = done.stdout.splitlines()
        self.found = json.loads(last)
        self.loaded = any("data loaded" in note for note in notes)
        self.saved = any("data saved" in note for note in notes)
        self.folder = Path(self.found["folder"])
        self.speed = self.found["speed"]


@pytest.fixture
def copy(tmp_path):
    """A copy of the package that a test may edit; the folder that holds it."""
    shutil.copytree(
        PACKAGE, tmp_path / "raidsim", ignore=shutil.ignore_patterns("__pycache__", "data")
    )
    return tmp_path


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


# -- the name of the folder --------------------------------------------------------------------


def hash_of(copy):
    return source_hash(*(copy / "raidsim" / folder for folder in ("kernel", "layout", "stats")))


def test_the_folder_is_named_after_the_sources(copy):
    assert hash_of(copy) == kernel.SOURCE_HASH
    assert kernel.CACHE_FOLDER.name == kernel.SOURCE_HASH


@pytest.mark.parametrize("name", HASHED)
def test_an_edit_in_any_file_that_is_compiled_gives_another_folder(copy, name):
    path = copy / "raidsim" / name
    path.write_text(path.read_text() + "\n")
    assert hash_of(copy) != kernel.SOURCE_HASH


def test_a_new_file_and_another_name_give_another_folder(copy):
    folder = copy / "raidsim" / "kernel"
    (folder / "new.py").write_text("")
    added = hash_of(copy)
    (folder / "new.py").rename(folder / "renamed.py")
    assert len({kernel.SOURCE_HASH, added, hash_of(copy)}) == 3


def test_what_lies_beside_the_sources_does_not_matter(copy):
    (copy / "raidsim" / "kernel" / "notes.txt").write_text("")
    (copy / "raidsim" / "cli.py").write_text("")
    assert hash_of(copy) == kernel.SOURCE_HASH


def test_another_numba_gives_another_folder(copy, monkeypatch):
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert hash_of(copy) != kernel.SOURCE_HASH


# -- what runs ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_edit_of_a_callee_is_what_runs_next_and_undoing_it_finds_the_old_code(copy):
    cache = str(copy / "cache")
    station = copy / "raidsim" / "kernel" / "station.py"
    first = Ran(copy, RAIDSIM_CACHE=cache)
    assert first.speed == 0.5
    assert first.saved
    assert first.folder.parent == Path(cache)
    assert not first.found["compiled"]  # the event loop itself: nobody has called it yet

    warm = Ran(copy, RAIDSIM_CACHE=cache)
    assert warm.speed == 0.5
    assert warm.loaded
    assert not warm.saved
    assert warm.folder == first.folder

    edit(station, 'station["speed"] = speed\n', 'station["speed"] = 3 * speed\n')
    edited = Ran(copy, RAIDSIM_CACHE=cache)
    assert edited.speed == 1.5
    assert edited.saved
    assert edited.folder != first.folder

    edit(station, 'station["speed"] = 3 * speed\n', 'station["speed"] = speed\n')
    undone = Ran(copy, RAIDSIM_CACHE=cache)
    assert undone.speed == 0.5
    assert undone.folder == first.folder
    assert not undone.saved


def test_the_setting_of_others_is_left_as_it_was(copy):
    mine = str(copy / "mine")
    ran = Ran(copy, RAIDSIM_CACHE=str(copy / "cache"), NUMBA_CACHE_DIR=mine)
    assert ran.found["cache_dir"] == [mine, mine]
    assert ran.folder.parent == copy / "cache"
    assert not Path(mine).exists()
    assert any(ran.folder.rglob("*.nbc"))


@pytest.mark.parametrize("place", ["/proc/x", "/dev/null/x", "file/x"])
def test_a_cache_that_cannot_be_written_is_no_error_and_no_warning(copy, place):
    (copy / "file").write_text("")
    ran = Ran(copy, RAIDSIM_CACHE=str(copy / place))
    assert ran.speed == 0.5
    assert not ran.folder.exists()  # it was for that process only


def test_a_user_without_a_home_can_run(copy):
    homeless = {"RAIDSIM_CACHE": None, "XDG_CACHE_HOME": None, "HOME": None}
    ran = Ran(copy, NO_HOME + PROGRAM, **homeless)
    assert ran.speed == 0.5
    assert not ran.folder.exists()


def test_the_cache_lies_where_the_user_has_caches(copy):
    ran = Ran(copy, RAIDSIM_CACHE=None, XDG_CACHE_HOME=str(copy / "xdg"))
    assert ran.folder.parent == copy / "xdg" / "raidsim"


def test_the_import_restores_the_setting_here_too():
    import raidsim.kernel.engine  # noqa: F401

    assert str(kernel.CACHE_FOLDER) != numba.config.CACHE_DIR

"""The kernel's machine code on disk: an edit anywhere compiles anew, and no cache is no error.

Processes of their own compile one small entry of the kernel, which takes half a second. This
is about compiled code, so it says nothing when the kernel runs interpreted.
"""

from __future__ import annotations

import errno
import json
import os
import pickle
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import pytest

from raidsim import kernel
from raidsim.kernel import code_cache, source_hash

PACKAGE = Path(kernel.__file__).parents[1]
HASHED = sorted(
    path.relative_to(PACKAGE).as_posix()
    for folder in ("kernel", "layout", "stats")
    for path in (PACKAGE / folder).rglob("*.py")
)

# Sets the speed of a station to a half: a callee of an entry, in a file of its own.
PROGRAM = """
import json
import numba
before = numba.config.CACHE_DIR
from raidsim import kernel
from raidsim.system.system import System
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
    shutil.copytree(PACKAGE, tmp_path / "raidsim", ignore=shutil.ignore_patterns("data"))
    return tmp_path


@pytest.fixture(scope="module")
def first_run(tmp_path_factory):
    """A copy of the package that has run once: its folder, and the one that the cache lies in."""
    folder = tmp_path_factory.mktemp("first")
    shutil.copytree(PACKAGE, folder / "raidsim", ignore=shutil.ignore_patterns("data"))
    first = Ran(folder, RAIDSIM_CACHE=str(folder / "cache"))
    assert first.speed == 0.5
    assert first.saved
    assert not first.found["compiled"]  # the event loop itself: nobody has called it yet
    assert first.folder.parent == folder / "cache"
    return folder, first.folder.name


@pytest.fixture
def filled(first_run, tmp_path):
    """The same to work on: the folder that holds the package, the cache, and its folder of code."""
    folder, name = first_run
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return tmp_path, str(tmp_path / "cache"), tmp_path / "cache" / name


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


# -- the name of the folder --------------------------------------------------------------------


def hash_of(copy):
    return source_hash(
        *(copy / "raidsim" / folder for folder in ("kernel", "layout", "stats", "records.py"))
    )


def test_the_folder_is_named_after_the_sources(copy):
    assert hash_of(copy) == kernel.SOURCE_HASH
    assert kernel.CACHE_FOLDER.name == kernel.SOURCE_HASH


def test_an_edit_in_any_file_that_is_compiled_gives_another_folder(copy):
    found = set()
    for name in HASHED:
        path = copy / "raidsim" / name
        before = path.read_text()
        path.write_text(before + "\n")
        found.add(hash_of(copy))
        path.write_text(before)
    assert len(found - {kernel.SOURCE_HASH}) == len(HASHED) > 50


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


def test_an_edit_of_a_callee_is_what_runs_next_and_undoing_it_finds_the_old_code(filled):
    copy, cache, folder = filled
    station = copy / "raidsim" / "kernel" / "station.py"
    warm = Ran(copy, RAIDSIM_CACHE=cache)
    assert warm.speed == 0.5
    assert warm.loaded
    assert not warm.saved
    assert warm.folder == folder

    edit(station, 'station["speed"] = speed\n', 'station["speed"] = 3 * speed\n')
    edited = Ran(copy, RAIDSIM_CACHE=cache)
    assert edited.speed == 1.5
    assert edited.saved
    assert edited.folder != folder

    edit(station, 'station["speed"] = 3 * speed\n', 'station["speed"] = speed\n')
    undone = Ran(copy, RAIDSIM_CACHE=cache)
    assert undone.speed == 0.5
    assert undone.folder == folder
    assert not undone.saved


def test_the_setting_of_others_is_left_as_it_was(copy):
    mine = str(copy / "mine")
    ran = Ran(copy, RAIDSIM_CACHE=str(copy / "cache"), NUMBA_CACHE_DIR=mine)
    assert ran.found["cache_dir"] == [mine, mine]
    assert ran.folder.parent == copy / "cache"
    assert not Path(mine).exists()
    assert any(ran.folder.rglob("*.nbc"))


def test_a_cache_that_cannot_be_written_is_no_error_and_no_warning(copy):
    (copy / "file").write_text("")
    ran = Ran(copy, RAIDSIM_CACHE=str(copy / "file" / "x"))
    assert ran.speed == 0.5
    assert not ran.folder.exists()  # it was for that process only


@pytest.mark.parametrize("place", ["/proc/x", "/dev/null/x"])
def test_where_nothing_can_be_written_code_lies_elsewhere(place, monkeypatch):
    monkeypatch.setenv("RAIDSIM_CACHE", place)
    found = code_cache.cache_folder("name")
    assert Path(place) not in found.parents
    assert code_cache.write(found / "run.nbc", CODE)


def test_a_user_without_a_home_can_run(copy):
    homeless = {"RAIDSIM_CACHE": None, "XDG_CACHE_HOME": None, "HOME": None}
    ran = Ran(copy, NO_HOME + PROGRAM, **homeless)
    assert ran.speed == 0.5
    assert not ran.folder.exists()


def test_the_cache_lies_where_the_user_has_caches(tmp_path, monkeypatch):
    monkeypatch.delenv("RAIDSIM_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert code_cache.cache_folder("name") == tmp_path / "raidsim" / "name"


def test_two_first_runs_side_by_side_both_run_and_leave_code_that_is_found(copy):
    cache = str(copy / "cache")
    with ThreadPoolExecutor() as threads:
        both = list(threads.map(lambda _: Ran(copy, RAIDSIM_CACHE=cache), range(2)))
    assert [ran.speed for ran in both] == [0.5, 0.5]
    assert len(code_in(both[0].folder)) == 1
    assert Ran(copy, RAIDSIM_CACHE=cache).loaded


def code_in(folder):
    """The files of machine code, and nothing else is in the folder."""
    found = sorted(folder.iterdir())
    assert all(path.suffix == ".nbc" for path in found)
    return found


def test_code_that_was_cut_short_is_made_anew(filled):
    copy, cache, folder = filled
    (code,) = code_in(folder)
    whole = code.read_bytes()
    code.write_bytes(whole[: len(whole) // 2])
    again = Ran(copy, RAIDSIM_CACHE=cache)
    assert again.speed == 0.5
    assert again.saved
    assert code_cache.read(code) is not None


class Trap:
    """A pickle of this runs code of somebody else's choice when it is loaded."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


@pytest.mark.parametrize("rights", [0o700, 0o770], ids=oct)
def test_code_that_another_user_may_have_written_is_not_loaded(filled, rights):
    copy, cache, folder = filled
    (code,) = code_in(folder)
    trapped = copy / "trapped"
    assert code_cache.write(code, pickle.dumps(Trap(trapped)))
    folder.chmod(rights)
    ran = Ran(copy, RAIDSIM_CACHE=cache)
    assert ran.speed == 0.5
    assert ran.saved
    assert trapped.exists() == (rights == 0o700)  # the trap works, where it is one's own
    assert (ran.folder == folder) == (rights == 0o700)


# -- one file of it ----------------------------------------------------------------------------

CODE = bytes(range(256)) * 4


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "run.nbc"
    assert code_cache.write(path, CODE)
    return path


def test_what_was_written_is_read(file):
    assert code_cache.read(file) == CODE
    assert file.stat().st_mode & 0o077 == 0


def test_a_file_cut_short_anywhere_is_thrown_away(file):
    whole = file.read_bytes()
    for length in range(0, len(whole), 7):
        file.write_bytes(whole[:length])
        assert code_cache.read(file) is None
        assert not file.exists()


def test_a_file_with_a_wrong_bit_or_too_many_bytes_is_thrown_away(file):
    whole = file.read_bytes()
    for place in range(0, len(whole), 7):
        wrong = bytearray(whole)
        wrong[place] ^= 1 << place % 8
        file.write_bytes(wrong)
        assert code_cache.read(file) is None
        assert not file.exists()
    file.write_bytes(whole + b"\0")
    assert code_cache.read(file) is None


def test_a_full_disk_leaves_the_file_that_there_was_and_no_other(file, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert not code_cache.write(file, b"other code")
    assert not code_cache.write(file.with_name("new.nbc"), b"other code")
    assert list(file.parent.iterdir()) == [file]
    assert code_cache.read(file) == CODE


def test_a_folder_in_its_place_or_none_is_no_error(file):
    file.unlink()
    assert code_cache.read(file) is None
    file.mkdir()
    assert code_cache.read(file) is None
    assert not code_cache.write(file, CODE)
    assert not code_cache.write(file.parent / "none" / "run.nbc", CODE)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
def test_a_file_of_another_user_or_open_to_others_is_not_read(file, monkeypatch):
    file.chmod(0o620)
    assert code_cache.read(file) is None
    file.chmod(0o644)
    assert code_cache.read(file) == CODE
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    assert code_cache.read(file) is None
    assert file.exists()


# -- one folder --------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder that is in use."""
    monkeypatch.setenv("RAIDSIM_CACHE", str(tmp_path))
    found = code_cache.cache_folder("name")
    assert found == tmp_path / "name"
    assert found.stat().st_mode & 0o077 == 0
    assert code_cache.write(found / "run.nbc", CODE)
    return found


def test_a_folder_that_is_ours_is_used_again(folder):
    assert code_cache.cache_folder("name") == folder


def test_code_in_a_folder_that_can_only_be_read_is_used(folder, monkeypatch):
    monkeypatch.setattr(code_cache, "is_writable", lambda _: False)
    assert code_cache.cache_folder("name") == folder
    (folder / "run.nbc").unlink()
    assert code_cache.cache_folder("name") != folder


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no rights here")
@pytest.mark.parametrize("rights", [0o720, 0o702, 0o777], ids=oct)
def test_a_folder_that_others_may_write_to_is_not_used(folder, rights):
    folder.chmod(rights)
    assert code_cache.cache_folder("name") != folder


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no owners here")
def test_the_folder_of_another_user_is_not_used(folder, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert code_cache.cache_folder("name") != folder


@pytest.fixture
def home(without_root, monkeypatch):
    """Where a user without root's rights has caches."""
    monkeypatch.setenv("RAIDSIM_CACHE", str(without_root))
    yield without_root
    without_root.chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no rights here")
def test_in_a_home_that_can_only_be_read_code_is_read_and_none_is_written(home):
    kept = code_cache.cache_folder("name")
    assert code_cache.write(kept / "run.nbc", CODE)
    kept.chmod(0o500)
    home.chmod(0o500)
    assert code_cache.cache_folder("name") == kept
    assert code_cache.read(kept / "run.nbc") == CODE
    assert not code_cache.write(kept / "other.nbc", CODE)
    assert home not in code_cache.cache_folder("of another version").parents
    kept.chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no rights here")
@pytest.mark.parametrize("rights", [0o000, 0o300], ids=oct)
def test_code_that_may_not_be_read_is_made_anew_elsewhere(home, rights):
    kept = code_cache.cache_folder("name")
    assert code_cache.write(kept / "run.nbc", CODE)
    (kept / "run.nbc").chmod(0)
    assert code_cache.read(kept / "run.nbc") is None
    kept.chmod(rights)
    found = code_cache.cache_folder("name")
    assert code_cache.write(found / "run.nbc", CODE)
    kept.chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs two users")
@pytest.mark.parametrize("rights", [0o700, 0o755, 0o777], ids=oct)
def test_code_in_a_folder_of_roots_is_not_loaded_by_another_user(home, rights):
    os.seteuid(0)
    kept = home / "name"
    kept.mkdir()
    assert code_cache.write(kept / "run.nbc", CODE)
    (kept / "run.nbc").chmod(0o644)
    kept.chmod(rights)
    os.seteuid(home.stat().st_uid)
    assert code_cache.cache_folder("name") != kept
    assert code_cache.read(kept / "run.nbc") is None


def test_the_checked_kernel_has_a_folder_of_its_own(filled):
    copy, cache, folder = filled
    checked = Ran(copy, RAIDSIM_CACHE=cache, RAIDSIM_CHECKED="1")
    assert checked.folder == folder.with_name(folder.name + "-checked")
    assert checked.saved

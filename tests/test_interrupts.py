"""Ctrl-C is obeyed in the middle of a run, and where the kernel comes back changes no result."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import cached_array
import pytest
from conftest import compiled_only

from raidsim.report.json_file import render
from raidsim.running import run
from raidsim.scenario import Scenario
from raidsim.system import ticks

KIB = 1024
PATIENCE = 900  # s, in which the kernel may have to be compiled; what does not end takes years
ENDLESS = """\
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "intel-p3700-800gb"
[[load]]
read = "100 %"
size = "8 KiB"
outstanding = 1
[measure]
min_ios = 10_000_000_000
max_ios = 10_000_000_000
max_time = "24 h"
"""
PRESS_CTRL_C = """
import os, signal, sys, threading
from raidsim.system import ticks

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
running = threading.Event()  # the kernel has been loaded, and has come back once
go_on = ticks.go_on
ticks.go_on = lambda: running.set() or go_on()

def press():
    running.wait()
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press, daemon=True).start()
"""
COMMAND = "from raidsim.cli import main; main(['run', sys.argv[1]])"
ENVIRONMENT = """
from raidsim import Environment, Host, Load, Volume
env = Environment()
volume = Volume(env, "intel-p3700-800gb", Host(env, "fujitsu-rx2540-m1"))
volume.start(Load(read="100 %", size="8 KiB", outstanding=1))
"""
PROCESS = (
    ENVIRONMENT
    + """
try:
    env.run(until=1e7)
except KeyboardInterrupt:
    print(env.system.now / 1e9)
"""
)
SIDE_BY_SIDE = (
    ENVIRONMENT
    + """
from raidsim.workers.engine import execute
from raidsim.validate.jobs import Job
try:
    execute([Job("without an end")], lambda _: env.run(until=1e7), workers=1)
except KeyboardInterrupt:
    print(env.system.now / 1e9)
"""
)
COMPILE_FOR_MINUTES = """
import hashlib, os, signal, sys, threading
from numba.core.registry import CPUDispatcher

signal.signal(signal.SIGINT, signal.default_int_handler)

def compile(self, types):
    threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
    hashlib.pbkdf2_hmac("sha256", b"as in LLVM,", b"no step of Python is taken", 2**31 - 1)

CPUDispatcher.compile = compile
"""


@pytest.fixture
def endless(tmp_path: Path) -> str:
    path = tmp_path / "endless.toml"
    path.write_text(ENDLESS)
    return str(path)


def interrupted(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A program of which Ctrl-C is pressed soon after it has begun to simulate."""
    return subprocess.run(
        [sys.executable, "-c", PRESS_CTRL_C + program, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_a_run_that_is_interrupted_says_so_and_ends_with_130(endless: str) -> None:
    ended = interrupted(COMMAND, endless)
    assert ended.returncode == 130, ended.stderr
    assert ended.stdout == ""
    assert ended.stderr.endswith("Interrupted.\n")
    assert "Traceback" not in ended.stderr


@compiled_only
@pytest.mark.parametrize("outstanding", ["1", "[1, 2]"], ids=["a point", "points side by side"])
def test_ctrl_c_is_obeyed_at_once_while_the_kernel_is_compiled(
    endless: str, outstanding: str
) -> None:
    path = Path(endless)
    path.write_text(ENDLESS.replace("outstanding = 1", f"outstanding = {outstanding}"))
    ended = subprocess.run(
        [sys.executable, "-c", COMPILE_FOR_MINUTES + COMMAND, endless],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 130, ended.stderr
    assert ended.stderr.endswith("Interrupted.\n")


@compiled_only
def test_a_program_that_is_interrupted_while_the_kernel_is_compiled_ends_at_once() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", COMPILE_FOR_MINUTES + ENVIRONMENT + "env.run(until=1)"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode != 0
    assert ended.stderr.endswith("KeyboardInterrupt\n")


IN_WORKERS = """
import os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
from importlib import import_module
work = getattr(import_module(sys.argv[4]), sys.argv[4])
from raidsim.workers.engine import execute
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever began it may have ignored that
begun = sys.argv[3]

def press():
    while not os.path.exists(begun):
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press, daemon=True).start()
execute([(sys.argv[2], begun)] * 60, work, workers=2, processes=True)
"""


@pytest.mark.parametrize(
    "work",
    [pytest.param("compiled_for_minutes", marks=compiled_only), "busy_for_minutes"],
)
def test_ctrl_c_ends_workers_that_do_not_look(endless: str, tmp_path: Path, work: str) -> None:
    here, begun = str(Path(__file__).parent), str(tmp_path / "begun")
    process = subprocess.Popen(
        [sys.executable, "-c", IN_WORKERS, here, endless, begun, work],
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    _, said = process.communicate(timeout=60)
    assert Path(begun).exists()
    assert process.returncode != 0
    assert said.endswith("KeyboardInterrupt\n")
    look = ["pgrep", "-g", str(process.pid), "-f", "LokyProcess"]
    assert subprocess.run(look, check=False, capture_output=True).returncode == 1


PRESSED_ON_ALL = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from busy_for_minutes import busy_for_minutes
from raidsim.workers.engine import execute
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    execute([("", sys.argv[2])] * 60, busy_for_minutes, workers=2, processes=True)
except KeyboardInterrupt:
    print("interrupted")
"""
PRESSED_BY_THE_FIRST_WORKER = """
import os, signal, sys
if any("loky_posix" in word for word in sys.orig_argv):
    try:
        os.mkdir(os.environ["PRESSED"])
        os.killpg(0, signal.SIGINT)
    except FileExistsError:
        pass
"""


def test_workers_that_are_just_beginning_say_nothing_at_ctrl_c(tmp_path: Path) -> None:
    """A terminal sends Ctrl-C to all processes of a command, and only one of them shall answer."""
    (tmp_path / "sitecustomize.py").write_text(PRESSED_BY_THE_FIRST_WORKER)
    paths = [str(tmp_path), str(Path(__file__).parent.parent)]
    environment = {"PYTHONPATH": os.pathsep.join(paths), "PRESSED": str(tmp_path / "pressed")}
    arguments = [str(Path(__file__).parent), str(tmp_path / "begun")]
    ended = subprocess.run(
        [sys.executable, "-c", PRESSED_ON_ALL, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        start_new_session=True,
        env=os.environ | environment,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "interrupted\n", "")


@pytest.mark.parametrize("program", [PROCESS, SIDE_BY_SIDE], ids=["here", "on another thread"])
def test_an_environment_is_interrupted_long_before_the_time_that_it_runs_to(program: str) -> None:
    ended = interrupted(program)
    assert ended.returncode == 0, ended.stderr
    assert 0 < float(ended.stdout) < 1e6


PRESSED_WHILE_LOADED = """
import os, signal, sys

class Pressed:
    def find_spec(self, name, path, target=None):
        if name == "raidsim.commands.run":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Pressed())
from raidsim.__main__ import main
main()
"""
PRESSED_IN_A_TEXT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from raidsim import cli

def app(**options):
    exec("os.kill(os.getpid(), signal.SIGINT)", globals())

cli.app = app
cli.main()
"""


@pytest.mark.parametrize(
    "program",
    [PRESSED_WHILE_LOADED, PRESSED_IN_A_TEXT],
    ids=["while modules are loaded", "in code that was made from a text, as dataclasses make it"],
)
def test_a_command_ends_with_130_whenever_ctrl_c_is_pressed(program: str) -> None:
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (130, "Interrupted.\n")


def busy_array() -> Scenario:
    """A cache that writes back to RAID 5: events, and much that they set off at once."""
    return cached_array.scenario(
        {"read": "50 %", "size": "16 KiB", "outstanding": 16},
        volume={"level": "raid5"},
        measure={"min_ios": 4_000, "max_ios": 4_000},
    )


def test_where_the_kernel_comes_up_for_air_changes_no_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    undisturbed = render(run(busy_array()).to_dict())
    taken = 0

    def take() -> None:
        nonlocal taken
        taken += 1

    monkeypatch.setattr(ticks, "go_on", take)
    monkeypatch.setattr(ticks, "PERIOD", 1e-5)
    ticks._ticking.cache_clear()
    disturbed = render(run(busy_array()).to_dict())
    ticks._ticking.cache_clear()
    assert taken > 20
    assert disturbed == undisturbed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_the_clock_ticks_in_a_process_that_was_forked() -> None:
    ticks.count()
    child = os.fork()
    if child == 0:
        count = ticks.count()
        for _ in range(PATIENCE * 100):
            time.sleep(0.01)
            if count[0] > 0:
                os._exit(0)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

"""Crash tests of programs: they write to an attached volume, its power is cut, they check it.

A round is a new attached system. One command writes to it, and its power is cut at some simulated
time. The command is killed at that instant, since its computer has lost its power too. When the
power is back, another command checks the data. The first round has no power cut: it shows how long
the writing takes, and that both commands work.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import os
import random
import signal
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from raidsim import units
from raidsim.attach.server import Server
from raidsim.attach.stepped import SteppedSystem
from raidsim.errors import InputError, Problem
from raidsim.scenario import load

LOG = logging.getLogger("raidsim.attach")

MOST_READ: Final = 64 * 2**10  # bytes of what a command printed that are looked at
LONGEST: Final = 1e6  # s that any time may be
LONGEST_WORDS: Final = 200  # characters of its last line that are shown


@dataclass(frozen=True)
class Wanted:
    """The settings of a crash test.

    Attributes
    ----------
    scenario, overrides, seed
        The array.
    write, check
        Commands of a shell.
    rounds
        How often the power is cut.
    think
        Simulated time between an answer and the next request, s.
    at
        Simulated times of the cuts, s; empty for times that chance decides.
    patience
        Real time that a command may take, s.
    keep
        A folder that gets what the commands leave and print; None for one that is gone later.
    """

    scenario: str
    write: str
    check: str
    rounds: int = 20
    think: float = 0.0
    at: tuple[float, ...] = ()
    patience: float = 600.0
    keep: Path | None = None
    overrides: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True)
class Round:
    """One round.

    Attributes
    ----------
    number
        From 0, the one without a cut.
    cut
        Simulated time of the cut, s; None for none.
    lost
        Bytes that the volumes had acknowledged, and that the cut has cost.
    passed
        Whether the check ended with status 0.
    words
        The last line that it printed.
    """

    number: int
    cut: float | None
    lost: int
    passed: bool
    words: str


@dataclass(frozen=True)
class CrashTest:
    """All rounds; ``length`` is how long the writing takes without a cut, simulated s."""

    length: float
    rounds: tuple[Round, ...]

    @property
    def passed(self) -> bool:
        """Whether every check has."""
        return all(one.passed for one in self.rounds)

    def to_dict(self) -> dict[str, Any]:
        """The test as plain data; times in s, sizes in bytes."""
        rounds = [asdict(one) for one in self.rounds]
        return {"schema": "raidsim.crash-test/1", "length": self.length, "rounds": rounds}


def wanted(
    scenario: str,
    write: str,
    check: str,
    *,
    rounds: int,
    at: Sequence[str],
    think: str,
    patience: str,
    keep: Path | None,
    overrides: tuple[str, ...],
    seed: int | None,
) -> Wanted:
    """Return the settings of a crash test from the words of a command line.

    Raises
    ------
    InputError
        With each time that is none.
    """
    problems: list[Problem] = []

    def time(option: str, text: str) -> float:
        try:
            found = units.parse(text, "time")
        except ValueError as error:
            problems.append(Problem(None, None, option, str(error), None))
            return 0.0
        if not 0.0 <= found <= LONGEST:
            cause = f'"{text}" is not from 0 s to {LONGEST:g} s'
            problems.append(Problem(None, None, option, cause, None))
        return found

    cuts = tuple(time("--at", one) for one in at)
    found = Wanted(
        scenario=scenario,
        write=write,
        check=check,
        rounds=len(cuts) or rounds,
        at=cuts,
        think=time("--think", think),
        patience=time("--patience", patience),
        keep=keep,
        overrides=overrides,
        seed=seed,
    )
    if problems:
        raise InputError(problems)
    return found


def crash_test(wanted: Wanted, tell: Callable[[Round], None] = lambda _: None) -> CrashTest:
    """Cut the power of a program's array again and again; ``tell`` hears of each round.

    Raises
    ------
    InputError
        If the scenario is wrong, or the commands fail without any cut.
    """
    quiet = logging.NullHandler()  # that clients are cut off is what is wanted here
    LOG.addHandler(quiet)
    try:
        return asyncio.run(_all(wanted, tell))
    finally:
        LOG.removeHandler(quiet)


async def _all(wanted: Wanted, tell: Callable[[Round], None]) -> CrashTest:
    # Whoever ends this ends the commands, too.
    asyncio.get_running_loop().add_signal_handler(
        signal.SIGTERM, signal.raise_signal, signal.SIGINT
    )
    with tempfile.TemporaryDirectory(prefix="raidsim-crash-") as nameless:
        above = Path(nameless) if wanted.keep is None else wanted.keep
        first, length = await _round(wanted, Path(nameless), above, 0, None)
        if not first.passed:
            cause = f"it reports an error although no power was cut: {first.words}"
            raise InputError([Problem(None, None, "--check", cause, None)])
        tell(first)
        rounds = [first]
        chance = random.Random(f"{load(wanted.scenario, wanted.overrides, wanted.seed).seed} cuts")
        times: Sequence[float] = wanted.at or [
            chance.uniform(0.0, length) for _ in range(wanted.rounds)
        ]
        for number, cut in enumerate(times, 1):
            one, _ = await _round(wanted, Path(nameless), above, number, cut)
            tell(one)
            rounds.append(one)
    return CrashTest(length, tuple(rounds))


async def _round(
    wanted: Wanted, sockets: Path, above: Path, number: int, cut: float | None
) -> tuple[Round, float]:
    """One round, and how long the writing took, simulated s."""
    scenario = load(wanted.scenario, wanted.overrides, wanted.seed)
    scenario = load(wanted.scenario, wanted.overrides, scenario.seed + number)
    folder = above / f"round-{number}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        cause = f'cannot be made: "{folder}": {error.strerror}'
        raise InputError([Problem(None, None, "--keep", cause, "give a new folder")]) from None
    writing = _Command("--write", wanted.write, folder / "write.txt")
    checking = _Command("--check", wanted.check, folder / "check.txt")
    attached = SteppedSystem(scenario, wanted.think, math.inf if cut is None else cut, writing.kill)
    server = Server(attached)
    path = sockets / "nbd"
    surroundings = {
        "RAIDSIM_SOCKET": str(path),
        "RAIDSIM_URI": f"nbd+unix:///{next(iter(server.exports))}?socket={path}",
        "RAIDSIM_FOLDER": str(folder.absolute()),
        "RAIDSIM_ROUND": str(number),
        "RAIDSIM_SEED": str(scenario.seed),
    }
    try:
        await server.listen_at(path)
        server.start()
        status = await writing.run(surroundings, wanted.patience)
        length = attached.latest
        if attached.cut is None:
            if status != 0:
                raise writing.failed(status)
            if cut is not None:
                attached.cut_power()
        if attached.cut is not None:
            length = attached.cut_time
            attached.come_back()
        status = await checking.run(surroundings, wanted.patience)
    finally:
        await server.stop()
    lost = sum(one.lost_bytes for one in (attached.cut or {}).values())
    words = checking.last_line() or f"status {status}"
    return Round(number, None if cut is None else length, lost, status == 0, words), length


class _Command:
    """A command of a shell, and all that it starts."""

    def __init__(self, option: str, text: str, output: Path) -> None:
        self.option = option
        self.text = text
        self.output = output
        self._process: asyncio.subprocess.Process | None = None

    async def run(self, surroundings: dict[str, str], patience: float) -> int:
        """Run it to its end, or to :meth:`kill`; its status."""
        with self.output.open("wb") as output:
            self._process = await asyncio.create_subprocess_shell(
                self.text,
                env={**os.environ, **surroundings},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            return await asyncio.wait_for(self._process.wait(), patience)
        except TimeoutError:
            cause = f"has not ended after {patience:g} s of real time"
            raise InputError(
                [Problem(None, None, self.option, cause, "give more --patience")]
            ) from None
        finally:
            self.kill()
            await self._process.wait()

    def kill(self) -> None:
        """End it at once, with all that it has started."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def last_line(self) -> str:
        """The last line that it printed."""
        with self.output.open("rb") as file:
            file.seek(max(0, self.output.stat().st_size - MOST_READ))
            lines = file.read().decode(errors="replace").split("\n")
        words = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return "".join(c if c.isprintable() else "?" for c in words)[:LONGEST_WORDS]

    def failed(self, status: int) -> InputError:
        """Return the message for a command that fails by itself."""
        cause = f"ends with status {status} though no power was cut: {self.last_line()}"
        return InputError([Problem(None, None, self.option, cause, None)])


def words_of(test: CrashTest) -> str:
    """All rounds in lines, and how many were well."""
    lines = [f"{'round':>5}  {'cut at':>12}  {'lost by the array':>17}  what the check says"]
    for one in test.rounds:
        cut = "not cut" if one.cut is None else f"{one.cut:.6f} s"
        lost = f"{one.lost} bytes"
        lines.append(f"{one.number:>5}  {cut:>12}  {lost:>17}  {one.words}")
    cuts = [one for one in test.rounds if one.cut is not None]
    passed = sum(one.passed for one in cuts)
    lines.append(f"all is well after {passed} of {len(cuts)} power cuts")
    return "\n".join(lines)

"""Whole command lines, right and wrong, in a folder with files that can and that cannot be read.

Every command but validations and fits, of which only what is refused at once is asked for; options
with right and wrong values, scenarios by name and path, outputs to places where nothing can be
written. What is simulated is tiny. What must hold: the exit status is 0, 1 or 2, with a message
for each 2; there is no traceback and no warning of Python's; files asked for are there after a 0,
and nothing is left that was not asked for.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from raidsim import cli, scenario
from raidsim.cards.places import names as card_names
from raidsim.commands.options import DOES_NOT_HOLD, DONE, INPUT_WRONG
from raidsim.errors import InputError, Problem
from raidsim.system import memory
from tests.fuzz import Fault, bases, complaints, mistakes
from tests.fuzz.targets import operations

MOST = 2**30  # bytes of tables: less than an attempt may take
TINY = (
    "measure.max_ios=300", "measure.min_ios=100", "measure.max_time=2 ms", "measure.precision=50 %",
)  # fmt: skip
SMALL = {"max_ios": 300, "min_ios": 100, "max_time": "2 ms", "precision": "50 %"}
READ = (
    "good.toml", "good.toml", "good.toml", "./good.toml", "right.toml", "right.toml", "any.toml",
    "result.json",
)  # fmt: skip
UNREADABLE = (
    "", " ", ".", "..", "/", "-", "--", "folder", "folder/", "folder.toml", "empty.toml",
    "binary.toml", "text.toml", "text.json", "list.json", "empty.json", "card.toml", "loop.toml",
    "gone.toml", "not-there.toml", "not-there/x.toml", "good.toml/x.toml", "no-such-scenario",
    "a" * 300, "a" * 300 + ".toml", "\udcff.toml", "ü", "/dev/null", "/proc/self/mem", "~", "*",
    "x.toml\n", "\x1b[31m.toml", "GOOD.TOML", "file:good.toml", "good", "/dev/full",
)  # fmt: skip
PLACES = (
    "out.json", "out.csv", "out.html", "out.svg", "out.png", "out.htm", "OUT.SVG", "out", "-", "",
    ".", "folder", "folder/out.svg", "not-there/out.html", "good.toml", "good.toml/out.csv",
    "loop.toml", "gone.toml", "/dev/null", "/dev/full", "/proc/out.html", "/out/of/here.png",
    "a" * 300 + ".html", "\udcff.csv", "ü.json", "./out.json", "folder/../out.json", ".svg",
)  # fmt: skip
RIGHT = {
    "--json": ("out.json", "-", "/dev/null"), "--csv": ("out.csv",), "--html": ("out.html",),
    "--plot": ("out.svg", "out.png"),
}  # fmt: skip
WORDS = ("", "x", "-1", "0", "1", "3", "1e3", "nan", "9" * 30, "ü", "\udcff", "--", "-", "read")
BYTES = (
    "4096", "4 KiB", "512", "1 MiB", "0", "513", "-512", "4 kib", "1 GiB", "1 TB", "8192 PiB", "",
    "x", "1e3", "9" * 30, "0 B", "0.5 KiB", "4096 B ", "nan", "inf B", "٣",
)  # fmt: skip
STREAMS = ("utf-8", "utf-8", "ascii", "latin-1")


def prepare() -> None:
    """Read what is shipped, and compile all of the kernel; maps of flash drives are small."""
    bases.keep_cards()
    operations.prepare()
    memory.most = lambda: MOST


def attempt(random: random.Random) -> None:
    """One command line."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _furnish(random)
        there = _names()
        words = [str(word) for word in _drawn(random)]
        try:
            status, out, err = called(words, random.choice(STREAMS))
            _check(status, out, err)
            _check_files(there, words, status)
        except Exception as error:
            error.add_note(f"raidsim {words}")
            raise


# -- the folder that it is called in --------------------------------------------------------------


def _furnish(random: random.Random) -> None:
    """Files of all kinds."""
    good, right = (
        mistakes.copied(data) | {"measure": SMALL}
        for data in (random.choice(bases.SMALL), bases.scenario(random))
    )
    for data in (good, right):
        bases.soon(random, data)
    resolved = scenario.from_data(good).resolved()
    texts = {
        "good.toml": mistakes.text_of(good),
        "right.toml": mistakes.text_of(right),
        "any.toml": mistakes.text_of(mistakes.several(random, right)),
        "card.toml": mistakes.text_of(bases.card(random)),
        "claims/any.toml": mistakes.text_of(mistakes.several(random, bases.claim_file(random))),
        "result.json": json.dumps({"scenario": resolved}),
        "list.json": "[]",
        "text.json": "no JSON",
        "text.toml": "no TOML",
        "empty.toml": "",
        "empty.json": "",
    }
    for name in ("folder", "folder.toml", "claims"):
        Path(name).mkdir()
    for name, text in texts.items():
        Path(name).write_text(text, errors="replace")
    Path("binary.toml").write_bytes(random.randbytes(300))
    Path("loop.toml").symlink_to("loop.toml")
    Path("gone.toml").symlink_to("folder/nowhere")


# -- what is typed --------------------------------------------------------------------------------


def _drawn(random: random.Random) -> list[str]:
    """The words of a command line, seldom with one too many or too few."""
    words: list[str] = random.choice(_COMMANDS)(random)
    if random.random() < 0.15:
        at = random.randrange(len(words) + 1)
        words[at : at + random.choice([0, 0, 1])] = random.choice(
            [[], [random.choice(WORDS)], words[at : at + 1] * 2, ["--help"], ["--nonsense"], ["-x"]]
        )
    return words + _tiny(words)


def _tiny(words: Sequence[str]) -> list[str]:
    """What lets a run be over soon, whatever else is asked for."""
    if not words or words[0] not in ("run", "check", "explain") or "--" in words:
        return []
    return [word for one in TINY for word in ("--set", one)]


def _scenario(random: random.Random) -> str:
    kind = random.random()
    if kind < 0.75:
        return random.choice(READ)
    return random.choice(scenario.names() if kind < 0.85 else UNREADABLE)


def _overrides(random: random.Random) -> list[str]:
    number = random.choice([0, 0, 0, 0, 0, 1, 1, 2])
    made = [bases.override(random, random.choice(bases.SMALL)) for _ in range(number)]
    return [word for one in made for word in ("--set", one)]


def _outputs(random: random.Random, *options: str) -> list[str]:
    chosen = [option for option in options if random.random() < 0.3]
    return [
        word
        for option in chosen
        for word in (option, random.choice(PLACES if random.random() < 0.4 else RIGHT[option]))
    ]


def _run(random: random.Random) -> list[str]:
    seed = ["--seed", random.choice(WORDS)] if random.random() < 0.1 else []
    outputs = _outputs(random, "--json", "--csv", "--html", "--plot")
    return ["run", _scenario(random), *_overrides(random), *seed, *outputs]


def _check_scenario(random: random.Random) -> list[str]:
    return ["check", _scenario(random), *_overrides(random)]


def _explain(random: random.Random) -> list[str]:
    op = random.choice([*["read", "write"] * 6, "trim", "", "READ"])
    volume = ["--volume", random.choice(["data", "fast", "large", "", "x"])]
    return [
        "explain", _scenario(random), op, _bytes(random), _bytes(random),
        *(volume if random.random() < 0.2 else []), *_overrides(random),
    ]  # fmt: skip


def _bytes(random: random.Random) -> str:
    return random.choice(BYTES if random.random() < 0.3 else BYTES[:4])


def _models(random: random.Random) -> list[str]:
    name = random.choice([*card_names(), *UNREADABLE, "card.toml", "./card.toml", "good.toml"])
    return ["models", name] if random.random() < 0.95 else ["models"]


def _validate(random: random.Random) -> list[str]:
    role = ["--role", random.choice(["calibration", "", "x"])] if random.random() < 0.3 else []
    names = random.sample([*WORDS, "no-such-claim", "p3700.no-such"], random.choice([1, 1, 2]))
    return ["validate", *names, *role, *_claims(random, 0.6), *_outputs(random, "--json", "--html")]


def _calibrate(random: random.Random) -> list[str]:
    card = random.choice(["nl-sas-2tb", "card.toml", "good.toml", *UNREADABLE])
    starts = ["--starts", random.choice(WORDS)] if random.random() < 0.3 else []
    jointly = ["--jointly", random.choice(UNREADABLE)] if random.random() < 0.3 else []
    claims = _claims(random, 1.0)
    return ["calibrate", card, "--dry-run", *claims, *starts, *jointly, *_outputs(random, "--json")]


def _claims(random: random.Random, chance: float) -> list[str]:
    folder = random.choice(
        ["claims", "folder", "not-there", "good.toml", "", "loop.toml", "\udcff"]
    )
    return ["--claims", folder] if random.random() < chance else []


def _other(random: random.Random) -> list[str]:
    return random.choice(
        [[], ["--help"], ["-h"], ["--version"], ["help"], ["--version", "run"], ["RUN", "x.toml"],
         ["simulate", "good.toml"], [""], ["--"], ["run"], ["run", "--help"], ["explain", "-h"],
         ["check"], ["-v"], ["run", "good.toml", "right.toml"], ["--json", "-", "run", "good.toml"],
         ["\udcff"], ["explain", "good.toml"], ["run", "--", "good.toml", "--set"], ["calibrate"]]
    )  # fmt: skip


_COMMANDS: tuple[Callable[[random.Random], list[str]], ...] = (
    _run, _run, _run, _check_scenario, _explain, _explain, _models, _validate, _calibrate, _other,
)  # fmt: skip


# -- what came of it ------------------------------------------------------------------------------


def called(words: list[str], encoding: str = "utf-8") -> tuple[Any, str, str]:
    """Exit status, standard output and standard error of a command line in this process."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    status: Any = None
    out, err = (contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]))
    with out, err, _not_for_real():
        try:
            cli.main(words)
        except SystemExit as end:
            status = end.code
    return status, _text(streams[0]), _text(streams[1])


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    found: bytes = stream.buffer.getvalue()  # type: ignore[attr-defined]
    return found.decode(stream.encoding, errors="replace")


def _not_for_real() -> Any:
    """No validation and no fit comes to its runs: what would begin them says that it will not."""
    stack = contextlib.ExitStack()
    refused = InputError([Problem(None, None, None, "is not run here", None)])
    for place in ("raidsim.validate.main.execute", "raidsim.calibrate.main.fit"):
        stack.enter_context(mock.patch(place, side_effect=refused))
    return stack


def _check(status: Any, out: str, err: str) -> None:
    """The contract of the command."""
    if status not in (DONE, DOES_NOT_HOLD, INPUT_WRONG):
        raise Fault(f"exit status {status}\n{err}")
    for sign in ("Traceback", "Warning:", "This is a bug", "internal error"):
        if sign in err:
            raise Fault(f"{sign} on standard error\n{err}")
    if status == INPUT_WRONG and not (err + out).strip():
        raise Fault("exit status 2 without a message")
    for line in err.splitlines():
        if len(line) > complaints.LONGEST or not line.replace("\t", "").isprintable():
            raise Fault(f"a message of {len(line)} characters\n{line[:500]!r}")


def _names() -> set[str]:
    return {path.name for path in Path().iterdir()}


def _check_files(there: set[str], words: list[str], status: int) -> None:
    """What was asked for is there, and nothing else."""
    new = _names() - there
    if status == INPUT_WRONG and new:
        raise Fault(f"refused, and yet there are {sorted(new)}")
    if any(name.startswith(".raidsim") for _, _, names in os.walk(".") for name in names):
        raise Fault("a temporary file is left")
    if status == DONE and "--help" not in words and "-h" not in words:
        for option in ("--json", "--csv", "--html", "--plot"):
            place = words[words.index(option) + 1] if words.count(option) == 1 else "-"
            if place != "-" and not Path(place).exists():
                raise Fault(f"{place} is not there")

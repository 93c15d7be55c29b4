"""Files that a command writes: checked before the run starts, and written completely or not at all.

Everything is rendered first, then written under temporary names beside the targets. Only when all
of it is on the disk is it renamed. A full disk or Ctrl-C leaves the old files unchanged.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from raidsim.errors import InputError, Problem, quote
from raidsim.report import json_file

STDOUT = "-"


@dataclass(frozen=True)
class Target:
    """A file asked for on the command line.

    Parameters
    ----------
    option
        The option that asked for it, such as "--json".
    path
        As typed; "-" is standard output where ``stdout`` allows it.
    suffixes
        Endings it may have, lower case with the dot; empty for any.
    stdout
        Whether "-" may be given.
    """

    option: str
    path: str
    suffixes: tuple[str, ...] = ()
    stdout: bool = False

    @property
    def to_stdout(self) -> bool:
        """Whether this goes to standard output rather than to a file."""
        return self.stdout and self.path == STDOUT

    @property
    def suffix(self) -> str:
        """Ending of the file's name in lower case, with its dot."""
        return Path(self.path).suffix.lower()


def check(targets: Iterable[Target], inputs: Iterable[Path | str | None] = ()) -> None:
    """Refuse outputs that could not be written, before any work is done.

    Parameters
    ----------
    targets
        Every file that the command was asked to write.
    inputs
        Files that the command reads, which no output may replace.

    Raises
    ------
    InputError
        One problem for each output with a wrong ending, a missing or unwritable
        folder, a folder in its place, or a name that another output or an input has.
    """
    problems: list[Problem] = []
    taken: dict[Path, str] = {
        _real(Path(path)): "the input of this command" for path in inputs if path is not None
    }
    printed: str | None = None
    for target in targets:
        if target.to_stdout:
            if printed is not None:
                problems.append(
                    _problem(target, f"{printed} already goes to standard output", "name a file")
                )
            printed = target.option
            continue
        problem = _obstacle(target)
        if problem is None:
            real = _real(Path(target.path))
            if real in taken and not _is_device(real):
                problem = _problem(target, f"this file is {taken[real]}", "choose another name")
            taken[real] = f"also the output of {target.option}"
        if problem is not None:
            problems.append(problem)
    if problems:
        raise InputError(problems)


def as_json(document: Mapping[str, Any], path: str | os.PathLike[str] | None) -> str | None:
    """Write a document as JSON, whole or not at all; without a path return the text.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    rendered = json_file.render(document)
    if path is None:
        return rendered.decode("utf-8")
    write({target_of(path, "to_json()"): rendered})
    return None


def target_of(path: Any, method: str) -> Target:
    """The file of a path that a program gives to a method.

    Raises
    ------
    InputError
        It is no path, or nothing can be written there.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError([Problem(method, None, "path", f"{quote(path)} is not a path of a file")])
    target = Target(method, str(path))
    check([target])
    return target


@dataclass(frozen=True)
class Folder:
    """A folder asked for on the command line, for files whose names come of the run."""

    option: str
    path: str

    def file(self, name: str) -> Target:
        """A file in it."""
        return Target(self.option, str(Path(self.path) / name))

    def check(self, targets: Iterable[Target]) -> None:
        """Refuse it before any work is done, if no file could be written into it.

        ``targets`` are the other outputs of the command: none may lie in it, for a file of it may
        come to have the same name.

        Raises
        ------
        InputError
            It is no folder, or cannot be written, or another output lies in it.
        """
        path = _real(Path(self.path))
        probe = Target(self.option, str(path if path.is_dir() else path.parent) + "/.raidsim")
        if not self.path or "\0" in self.path:
            raise InputError(
                [Problem(self.path, None, self.option, "is not a valid name of a folder")]
            )
        if path.exists() and not path.is_dir():
            cause, remedy = "is a file", "name a folder"
            raise InputError([Problem(self.path, None, self.option, cause, remedy)])
        if (problem := _obstacle(probe)) is not None:
            raise InputError([replace(problem, file=self.path)])
        for target in targets:
            if not target.to_stdout and _real(Path(target.path)).parent == path:
                cause = f"this file is in the folder of {self.option}"
                raise InputError([_problem(target, cause, "choose another folder")])

    def make(self) -> None:
        """Create it, if it is not there.

        Raises
        ------
        InputError
            It cannot be created.
        """
        try:
            Path(self.path).mkdir(exist_ok=True)
        except OSError as error:
            cause = f"cannot be created: {_why(error)}"
            raise InputError([Problem(self.path, None, self.option, cause)]) from None


def write(contents: Mapping[Target, bytes]) -> None:
    """Write all of the outputs, or none of them.

    Raises
    ------
    InputError
        A file cannot be written (disk full, folder gone). Nothing is half-written
        and no temporary file is left.
    """
    staged: list[tuple[Path, Path]] = []
    try:
        for target, data in contents.items():
            if target.to_stdout:
                continue
            path = _real(Path(target.path))
            try:
                if _is_device(path):
                    path.write_bytes(data)
                else:
                    staged.append((_stage(path, data), path))
            except OSError as error:
                raise InputError([_problem(target, f"cannot be written: {_why(error)}")]) from None
        while staged:
            temporary, path = staged[0]
            try:
                temporary.replace(path)
            except OSError as error:
                cause = f"cannot be written: {_why(error)}"
                raise InputError([Problem(str(path), None, None, cause, None)]) from None
            staged.pop(0)
    finally:
        for temporary, _ in staged:
            with contextlib.suppress(OSError):
                temporary.unlink()
    for target, data in contents.items():
        if target.to_stdout:
            print_bytes(data)


def deliver(contents: Mapping[Target, bytes], show: Callable[[], None]) -> None:
    """Write all of the outputs, and show on the terminal what they say.

    Nothing is shown where one of the outputs goes to standard output. If the outputs cannot be
    written it is shown all the same: a full disk does not take the figures from the user.

    Raises
    ------
    InputError
        As of :func:`write`.
    """
    try:
        write(contents)
    finally:
        if not any(target.to_stdout for target in contents):
            show()


def print_bytes(data: bytes) -> None:
    """Send bytes to standard output as they are, behind what was printed before."""
    sys.stdout.flush()
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:  # standard output was replaced by a text stream
        sys.stdout.write(data.decode("utf-8"))
    else:
        binary.write(data)
    sys.stdout.flush()


def _stage(path: Path, data: bytes) -> Path:
    """Write a temporary file beside ``path``, ready to be renamed; returns it."""
    number, name = tempfile.mkstemp(prefix=".raidsim-", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode(path))
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    return temporary


def _mode(path: Path) -> int:
    """Permissions for the finished file: those of the old one, else the user's usual ones."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _obstacle(target: Target) -> Problem | None:
    path = Path(target.path)
    if not target.path or target.path == STDOUT or "\0" in target.path:
        return _problem(target, "is not a valid name of a file", "name a file")
    if target.suffixes and target.suffix not in target.suffixes:
        cause = f"ends in {target.suffix!r}" if target.suffix else "has no ending"
        return _problem(target, cause, f"write a name that ends in {' or '.join(target.suffixes)}")
    try:
        real = _real(path)
        if real.is_dir():
            return _problem(target, "is a folder", "name a file in it")
        if _is_device(real):
            return None
        if not real.parent.is_dir():
            return _problem(target, f"there is no folder {real.parent}", "create it first")
        if real.exists() and not os.access(real, os.W_OK):
            return _problem(target, "is write-protected", "choose another name")
        _stage(real, b"").unlink()
    except OSError as error:
        return _problem(target, f"cannot be written: {_why(error)}", "choose another folder")
    return None


def _real(path: Path) -> Path:
    """The file behind symbolic links: renaming must replace that one, not the link."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop of links
        return path.absolute()


def _is_device(path: Path) -> bool:
    """Return whether ``path`` is there but no regular file, such as /dev/null or a pipe."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _problem(target: Target, cause: str, remedy: str | None = None) -> Problem:
    return Problem(target.path, None, target.option, cause, remedy)

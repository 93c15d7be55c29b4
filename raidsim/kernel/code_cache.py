"""The kernel's machine code on disk: where it is, and which of it is used.

Numba only notices edits in the file of an entry point, not in the functions that it calls. So the
name of the folder is a hash of all sources together with the versions that compile them. An edit in
any kernel file compiles again, and several versions keep separate code.

There is one file for each entry point and kind of processor. It is written as a whole or not at
all, and has a checksum: a truncated or damaged file is removed and made again. Its content is
executed, so no file is read that another user may have written.

A cache that cannot be written is no error: the kernel is then compiled in each process.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import inspect
import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import serialize
from numba.core.caching import _Cache, _cache_log
from numba.core.compiler import CompileResult

from raidsim import progress
from raidsim.kernel.checked import CHECKED

COMPILING = "compiling the kernel"
"""How that begins which is told when there is no machine code of a function."""

_PARTS = {
    "engine.run": "for all kinds of systems",
    "engine.run_flash": "for single flash drives",
}
_SMALL = "in its small parts"

MAGIC = b"raidsim machine code 1\n"
DIGEST = hashlib.sha256
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
SUFFIX = ".nbc"


# -- its place ----------------------------------------------------------------------------------


def source_hash(*sources: Path) -> str:
    """Hash of Python sources, files or folders of them, with the versions they compile under."""
    digest = hashlib.sha256()
    digest.update(f"numba {numba.__version__} numpy {np.__version__}".encode())
    digest.update(f"llvmlite {llvmlite.__version__} python {sys.version_info[:2]}".encode())
    for source in sources:
        for path in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
            digest.update(path.relative_to(source.parent).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Folder under which the user's caches lie, as the platform has it."""
    if given := os.environ.get("RAIDSIM_CACHE"):
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "raidsim"


def cache_folder(name: str) -> Path:
    """Cache folder ``name``, or one that lasts as long as this process.

    The latter if it belongs to somebody else, if others may write to it, or if it can't be
    written and there is nothing in it to read.
    """
    try:
        folder = cache_root() / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_ours(folder.stat()) and (any(folder.glob(f"*{SUFFIX}")) or is_writable(folder)):
            return folder
    except (OSError, RuntimeError):
        pass
    temporary = tempfile.TemporaryDirectory(prefix="raidsim-kernel-")
    atexit.register(temporary.cleanup)
    return Path(temporary.name)


def is_writable(folder: Path) -> bool:
    """Return whether a file can be made in a folder."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def is_ours(status: os.stat_result) -> bool:
    """Return whether a file or folder belongs to this user, and nobody else may write to it."""
    if not hasattr(os, "geteuid"):  # Windows: the user's folders are the user's
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & OTHERS_WRITE


_here = Path(__file__).parent
SOURCE_HASH: str = source_hash(
    _here, *(_here.parent / name for name in ("layout", "stats", "records.py"))
)
CACHE_FOLDER: Path = cache_folder(SOURCE_HASH + ("-checked" if CHECKED else ""))


# -- files --------------------------------------------------------------------------------------


def read(path: Path) -> bytes | None:
    """The content that :func:`write` put into a file; None if there is none, or none to be trusted.

    A damaged file is removed.
    """
    try:
        with path.open("rb") as file:
            if not is_ours(os.fstat(file.fileno())):
                return None
            found = file.read()
    except OSError:
        return None
    start = len(MAGIC) + DIGEST().digest_size
    content = found[start:]
    if found[:start] == MAGIC + DIGEST(content).digest():
        return content
    discard(path)
    return None


def write(path: Path, content: bytes) -> bool:
    """Put bytes into a file, whole or not at all; whether that could be done."""
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            temporary = Path(file.name)
            file.write(MAGIC + DIGEST(content).digest() + content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        if temporary is not None:
            discard(temporary)
        return False
    return True


def discard(path: Path) -> None:
    """Remove a file, if it is there and can be removed."""
    with contextlib.suppress(OSError):
        path.unlink()


# -- what Numba keeps in them -------------------------------------------------------------------


class CodeCache(_Cache):
    """Machine code of one function in files: the cache that Numba's dispatcher reads and fills."""

    def __init__(
        self, function: Callable[..., Any], name: str | None = None, folder: Path = CACHE_FOLDER
    ) -> None:
        self._folder = folder
        module = function.__module__.rpartition(".")[2]
        self._name = f"{module}.{name or function.__name__}"
        # The folder's name covers functions of the kernel; others are in separate files.
        self._source = DIGEST(Path(inspect.getfile(function)).read_bytes()).hexdigest()

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def is_on_disk(self) -> bool:
        """Return whether there is code of this function, for whatever processor."""
        return any(read(path) is not None for path in self._folder.glob(f"{self._name}-*{SUFFIX}"))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for arguments of these types; None if it is to be compiled."""
        found = self._loaded(sig, target_context)
        if found is None:
            progress.tell(f"{COMPILING} {_PARTS.get(self._name, _SMALL)} (once)")
        return found

    def _loaded(self, sig: Any, target_context: Any) -> Any:
        key = self._key(sig, target_context.codegen())
        path = self._path(key)
        content = read(path)
        if content is None:
            return None
        try:
            kept, code = pickle.loads(content)
            if kept != key:
                return None
            found = CompileResult._rebuild(target_context, *code)
        except Exception:  # noqa: BLE001 - whatever is wrong with it, it can be made anew
            discard(path)
            return None
        _cache_log("[cache] data loaded from %r", str(path))
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep code for arguments of these types."""
        if data.library.has_dynamic_globals:  # addresses of this process
            return
        key = self._key(sig, data.codegen)
        if write(self._path(key), serialize.dumps((key, data._reduce()))):
            _cache_log("[cache] data saved to %r", str(self._path(key)))

    def enable(self) -> None:
        """Do nothing: it always is."""

    def disable(self) -> None:
        """Do nothing: nobody asks for it."""

    def flush(self) -> None:
        """Throw the code of this function away."""
        for path in self._folder.glob(f"{self._name}-*{SUFFIX}"):
            discard(path)

    def _key(self, sig: Any, codegen: Any) -> tuple[str, ...]:
        processor = codegen.magic_tuple()
        return (self._name, self._source, str(CHECKED), str(sig), *map(str, processor))

    def _path(self, key: tuple[str, ...]) -> Path:
        name = DIGEST("\n".join(key).encode()).hexdigest()[:16]
        return self._folder / f"{self._name}-{name}{SUFFIX}"

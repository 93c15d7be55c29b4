"""The compiled data plane: fast events on tables of records.

Numba keeps compiled code on disk but notices only edits in the file that holds an entry
point, not in what it calls. So this package hashes all its sources together with the
versions of Numba and NumPy, and points Numba's cache at a folder of that name: an edit in
any kernel file compiles anew, and versions side by side keep their own code. A cache
that can't be written is no error: the kernel is then compiled in each process.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import sys
import tempfile
from pathlib import Path

import numba
import numpy as np

from raidsim.kernel.checked import CHECKED

__all__ = ["CACHE_FOLDER", "SOURCE_HASH", "is_compiled", "source_hash"]


def source_hash(*folders: Path) -> str:
    """Hash of all Python sources below ``folders`` with the versions they compile under."""
    digest = hashlib.sha256()
    digest.update(f"numba {numba.__version__} numpy {np.__version__}".encode())
    digest.update(f"python {sys.version_info[:2]}{' checked' * CHECKED}".encode())
    for folder in folders:
        for path in sorted(folder.glob("*.py")):
            digest.update(f"{folder.name}/{path.name}".encode())
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


def writable_cache(name: str) -> Path:
    """Cache folder ``name``, or one that lasts as long as this process if it can't be written."""
    try:
        folder = cache_root() / name
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError):
        temporary = tempfile.TemporaryDirectory(prefix="raidsim-kernel-")
        atexit.register(temporary.cleanup)
        folder = Path(temporary.name)
    return folder


_here = Path(__file__).parent
SOURCE_HASH: str = source_hash(_here, _here.parent / "layout", _here.parent / "stats")
CACHE_FOLDER: Path = writable_cache(SOURCE_HASH)


def is_compiled() -> bool:
    """Whether the machine code of the event loop is already on disk (or not needed)."""
    return bool(numba.config.DISABLE_JIT) or engine.run.is_on_disk()


# Numba reads the setting when a cached function is declared, so only while importing.
_setting = numba.config.CACHE_DIR
numba.config.CACHE_DIR = str(CACHE_FOLDER)
try:
    from raidsim.kernel import ageing as ageing
    from raidsim.kernel import engine as engine
finally:
    numba.config.CACHE_DIR = _setting

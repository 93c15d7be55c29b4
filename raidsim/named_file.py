"""The bytes of a file that a user has named; a name that gives none is an :class:`InputError`."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from raidsim.errors import refuse, why


def read_bytes(
    name: str | PathLike[str],
    most: int = -1,
    *,
    shown: str | None = None,
    if_folder: str = "name a file in it",
    if_irregular: str | None = None,
) -> bytes:
    """Read a file from its beginning, at most so many bytes of it; -1: all.

    Parameters
    ----------
    shown
        What messages call the file; None: its name.
    if_folder, if_irregular
        The remedy if it is a folder, or a device or pipe.

    Raises
    ------
    InputError
        There is no such file, it is no regular file, or it cannot be read.
    """
    shown = str(name) if shown is None else shown
    if not shown:
        refuse('""', "is not a valid name of a file", "name a file")
    try:
        path = Path(name)
        if path.is_dir():
            refuse(shown, "is a folder", if_folder)
        if path.exists() and not path.is_file():
            refuse(shown, "is not a regular file", if_irregular)
        with path.open("rb") as file:
            return file.read(most)
    except FileNotFoundError:
        is_link = Path(name).is_symlink()
        refuse(shown, "is a link to a file that does not exist" if is_link else "no such file")
    except ValueError:  # a NUL or surrogates: no file has such a name
        refuse(shown, "no such file")
    except (OSError, TypeError) as error:
        refuse(shown, f"cannot be read: {why(error)}")

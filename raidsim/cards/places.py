"""Where cards are: those that come with raidsim, and the user's own files."""

from __future__ import annotations

from pathlib import Path

from raidsim.errors import InputError, Problem, quote, suggest
from raidsim.resources import data_folder


def names() -> list[str]:
    """Names of all cards, sorted."""
    return sorted(path.stem for path in data_folder("models").rglob("*.toml"))


def find(name: str, folder: Path | None = None) -> Path:
    """File of a card.

    Parameters
    ----------
    name : a name of the catalogue, or a path: something with a slash or ending in ``.toml``.
    folder : where a relative path is looked for if it is not in the current folder.

    Raises
    ------
    InputError : there is none; with the nearest name.
    """
    if looks_like_path(name):
        beside = (folder or Path()) / name
        return beside if exists(beside) and not exists(Path(name)) else Path(name)
    folder = data_folder("models")
    if exists(folder / f"{name}.toml"):
        return folder / f"{name}.toml"
    for path in folder.rglob("*.toml"):
        if path.stem == name:
            return path
    remedy = suggest(name, names()) or "raidsim models lists the known ones"
    raise InputError([Problem(None, None, None, f"no model is called {quote(name)}", remedy)])


def shown_as(path: Path, name: str | Path) -> str | None:
    """Return the name of a requested card for messages; None for its path."""
    return None if path.is_absolute() else str(name)


def looks_like_path(name: str) -> bool:
    """Return whether a text is meant as the path of a file rather than as a name."""
    return name.endswith(".toml") or "/" in name or "\\" in name


def exists(path: Path) -> bool:
    """Return whether there is such a file; a name that no file can have is none.

    A link that leads nowhere is there: reading it says what is wrong with it.
    """
    try:
        return path.exists() or path.is_symlink()
    except (OSError, ValueError):
        return False

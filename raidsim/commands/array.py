"""The commands ``raidsim array ...``: images of members of Linux md arrays, looked at and read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from raidsim.commands.options import DOES_NOT_HOLD, stdout
from raidsim.errors import InputError, Problem

if TYPE_CHECKING:
    from pathlib import Path

app = typer.Typer(
    name="array",
    help="Examine, read and check a Linux md array, from images of its members.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Folder = Annotated[
    str,
    typer.Argument(
        metavar="FOLDER",
        help="Files that are the members of one array; or a folder for each array of a RAID 0 of"
        " arrays.",
    ),
]
Out = Annotated[
    str,
    typer.Option("--out", metavar="FILE", help="A new file; - is standard output."),
]


@app.command("examine")
def examine_command(folder: Folder) -> None:
    """Say what the members are, which of them can be used, and the state of the array."""
    from raidsim.attach import image_work, nested

    stdout().print(image_work.words_of(nested.find_any(_path(folder))))


@app.command("read")
def read_command(
    folder: Folder,
    out: Out,
    offset: Annotated[str, typer.Option(metavar="SIZE", help="First byte.")] = "0 B",
    length: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Number of bytes; by default all up to the end."),
    ] = None,
) -> None:
    """Read the array, also with missing members; nothing is written to them."""
    from raidsim.attach import image_work, nested

    image_work.copy(
        nested.find_any(_path(folder)),
        out,
        image_work.size_of("--offset", offset),
        None if length is None else image_work.size_of("--length", length),
    )


@app.command("scrub")
def scrub_command(
    folder: Folder,
    repair: Annotated[
        bool, typer.Option("--repair", help="Rewrite parity and copies that do not agree.")
    ] = False,
) -> None:
    """Compare data with parity and copies; status 1 if something does not agree."""
    from raidsim.attach import image_work, nested

    words, agrees = image_work.scrub(nested.find_any(_path(folder)), repair=repair)
    stdout().print(words)
    if not agrees:
        raise typer.Exit(DOES_NOT_HOLD)


@app.command("reconstruct")
def reconstruct_command(
    folder: Folder,
    drive: Annotated[int, typer.Option("--drive", metavar="N", min=0, help="Which drive, from 0.")],
    out: Out,
) -> None:
    """Compute the data of a missing drive into a new member file."""
    from raidsim.attach import image_work, nested

    image_work.reconstruct(nested.find_any(_path(folder)), drive, out)


def _path(folder: str) -> Path:
    from pathlib import Path

    if not folder:
        raise InputError(
            [Problem(None, None, "FOLDER", "is not a valid name of a folder", "name one")]
        )
    return Path(folder)

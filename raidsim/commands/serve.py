"""The command ``raidsim serve``: a page on this computer on which scenarios are run."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None)

Host = Annotated[
    str,
    typer.Option(
        "--host",
        metavar="ADDRESS",
        help="Address to listen on; visitors from other computers need a token.",
    ),
]
Port = Annotated[
    int, typer.Option(min=0, max=65535, metavar="N", help="The port; 0 for any free port.")
]
Name = Annotated[
    list[str] | None,
    typer.Option(
        "--name",
        metavar="HOST",
        help="A name that visitors use for this computer. May be repeated.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1, max=256, metavar="N", help="Processes that simulate; by default one per processor."
    ),
]
Limit = Annotated[
    str | None,
    typer.Option("--limit", metavar="TIME", help="Longest time that a run may take [2 min]."),
]

Attached = Annotated[
    str | None,
    typer.Option(
        "--attached",
        metavar="SOCKET",
        help="Also show the system that raidsim attach --control SOCKET serves.",
    ),
]


@app.command("serve")
def serve_command(
    host: Host = "127.0.0.1",
    port: Port = 8642,
    name: Name = None,
    workers: Workers = None,
    limit: Limit = None,
    attached: Attached = None,
) -> None:
    """Serve a web page to write, change, run and compare scenarios, until Ctrl-C."""
    from raidsim.errors import InputError, Problem

    try:
        from raidsim.page.serving import Wishes, serve
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        cause = f"needs {error.name}, which is not installed"
        remedy = 'pip install "raidsim[page]"'
        raise InputError([Problem(None, None, "serve", cause, remedy)]) from None
    serve(Wishes(host, port, tuple(name or ()), workers, limit, attached))

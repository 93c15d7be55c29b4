"""The command ``raidsim attach``: volumes of a scenario as block devices of this computer."""

# ruff: noqa: PLC0415 - imports of weight are inside of the commands, as in raidsim.cli

from __future__ import annotations

from typing import Annotated

import typer

from raidsim.cli_options import INPUT_WRONG, Overrides, ScenarioName, Seed

app = typer.Typer(rich_markup_mode=None)

SocketFile = Annotated[
    str | None,
    typer.Option("--socket", metavar="FILE", help="Unix socket for clients [raidsim.sock]."),
]
Port = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=65535,
        metavar="N",
        help="A port of TCP in place of it, for clients on this computer only; 0 for any.",
    ),
]
Speed = Annotated[
    float,
    typer.Option(
        min=1e-4,
        max=1e4,
        metavar="X",
        help="Simulated seconds in a second: 1 is real time, 0.1 ten times slower.",
    ),
]
Control = Annotated[
    str | None,
    typer.Option("--control", metavar="FILE", help="Unix socket at which events are asked for."),
]
EventFile = Annotated[
    str | None,
    typer.Option(
        "--events", metavar="FILE", help="[[event]] tables in place of the scenario's own."
    ),
]
Loads = Annotated[
    bool, typer.Option("--loads", help="Let the scenario's loads run beside the clients.")
]
MembersFolder = Annotated[
    str | None,
    typer.Option(
        "--members", metavar="FOLDER", help="Keep the drives there, as members of Linux md."
    ),
]
For = Annotated[
    str | None,
    typer.Option("--for", metavar="TIME", help="End after so much real time, as in 10 min."),
]


@app.command("attach")
def attach_command(
    scenario: ScenarioName,
    socket: SocketFile = None,
    port: Port = None,
    speed: Speed = 1.0,
    control: Control = None,
    events: EventFile = None,
    loads: Loads = False,
    members: MembersFolder = None,
    lasting: For = None,
    overrides: Overrides = None,
    seed: Seed = None,
) -> None:
    """Serve each volume as a block device (NBD), with the times that the simulation says."""
    from raidsim.attach.serving import Wishes, serve

    serve(
        Wishes(
            scenario=scenario,
            socket=socket,
            port=port,
            speed=speed,
            control=control,
            events=events,
            loads=loads,
            members=members,
            lasting=lasting,
            overrides=tuple(overrides or ()),
            seed=seed,
        )
    )


@app.command("tell")
def tell_command(
    socket: Annotated[str, typer.Argument(metavar="SOCKET", help="That of attach --control.")],
    what: Annotated[str, typer.Argument(metavar="WHAT", help="A kind of event, or status.")],
    keys: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE ...]", show_default=False, help="Keys of the event."),
    ] = None,
) -> None:
    """Let an event happen in a machine that is attached, or ask how it is."""
    from raidsim.attach.asking import ask, wish_of

    told = ask(socket, wish_of(what, keys or []))
    if not told["ok"]:
        for problem in told["problems"]:
            typer.echo(problem, err=True)
        raise typer.Exit(INPUT_WRONG)
    typer.echo(told["text"])

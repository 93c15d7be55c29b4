"""Volumes of a scenario as block devices: ``raidsim attach``, ``tell`` and ``crash-test``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from raidsim.commands.options import (
    DOES_NOT_HOLD,
    INPUT_WRONG,
    JsonFile,
    Overrides,
    ScenarioName,
    Seed,
    folder_of,
    stdout,
    target_of,
)

app = typer.Typer(rich_markup_mode=None)


class Version(StrEnum):
    """Metadata of Linux md."""

    new = "1.2"
    old = "0.90"


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
        help="TCP port instead of the socket, for clients on this computer only; 0 for any free"
        " port.",
    ),
]
Speed = Annotated[
    float,
    typer.Option(
        min=1e-4,
        max=1e4,
        metavar="X",
        help="Simulated seconds per second: 1 is real time, 0.1 is ten times slower.",
    ),
]
Control = Annotated[
    str | None,
    typer.Option("--control", metavar="FILE", help="Unix socket that takes events."),
]
EventFile = Annotated[
    str | None,
    typer.Option(
        "--events", metavar="FILE", help="[[event]] tables instead of the scenario's own."
    ),
]
Loads = Annotated[
    bool, typer.Option("--loads", help="Let the scenario's loads run beside the clients.")
]
MembersFolder = Annotated[
    str | None,
    typer.Option(
        "--members",
        metavar="FOLDER",
        help="Keep the drives in this folder, as members of Linux md.",
    ),
]
Metadata = Annotated[
    Version | None,
    typer.Option(
        help="Metadata of new members: 1.2, or 0.90 with the superblock at the end [1.2]."
    ),
]
For = Annotated[
    str | None,
    typer.Option("--for", metavar="TIME", help="End after this real time, such as 10 min."),
]


def _name(option: str, path: str | None, what: str) -> str | None:
    folder_of(option, path, what)
    return path


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
    metadata: Metadata = None,
    lasting: For = None,
    overrides: Overrides = None,
    seed: Seed = None,
) -> None:
    """Serve each volume as a block device (NBD) that answers after the simulated times."""
    from raidsim.attach.serving import Wishes, serve

    serve(
        Wishes(
            scenario=scenario,
            socket=_name("--socket", socket, "file"),
            port=port,
            speed=speed,
            control=_name("--control", control, "file"),
            events=events,
            loads=loads,
            members=_name("--members", members, "folder"),
            metadata=None if metadata is None else metadata.value,
            lasting=lasting,
            overrides=tuple(overrides or ()),
            seed=seed,
        )
    )


@app.command("tell")
def tell_command(
    socket: Annotated[
        str, typer.Argument(metavar="SOCKET", help="The socket of attach --control.")
    ],
    what: Annotated[str, typer.Argument(metavar="WHAT", help="A kind of event, or status.")],
    keys: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE ...]", show_default=False, help="Keys of the event."),
    ] = None,
) -> None:
    """Let an event happen in an attached system, or ask for its state."""
    from raidsim.attach.asking import ask, wish_of

    told = ask(socket, wish_of(what, keys or []))
    if not told["ok"]:
        for problem in told["problems"]:
            typer.echo(problem, err=True)
        raise typer.Exit(INPUT_WRONG)
    typer.echo(told["text"])


@app.command("crash-test")
def crash_test_command(
    scenario: ScenarioName,
    write: Annotated[
        str,
        typer.Option(
            "--write", metavar="COMMAND", help="Command that writes to the volume, and ends."
        ),
    ],
    check: Annotated[
        str,
        typer.Option(
            "--check",
            metavar="COMMAND",
            help="Command that checks the volume; status 0 if all data is correct.",
        ),
    ],
    times: Annotated[
        int, typer.Option(min=1, max=100_000, metavar="N", help="Number of power cuts.")
    ] = 20,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TIME", help="Time of a power cut, instead of random times. May be repeated."
        ),
    ] = None,
    think: Annotated[
        str,
        typer.Option(metavar="TIME", help="Time that passes from an answer to the next request."),
    ] = "0 s",
    patience: Annotated[
        str, typer.Option(metavar="TIME", help="Real time that a command may take.")
    ] = "10 min",
    keep: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Keep notes and output of the commands there."),
    ] = None,
    json: JsonFile = None,
    overrides: Overrides = None,
    seed: Seed = None,
) -> None:
    """Cut the power again and again while a program writes, and check each time what is lost."""
    from raidsim.attach import crash
    from raidsim.report import json_file, output
    from raidsim.report.progress import Bar

    target = target_of("--json", json, stdout=True)
    output.check([target] if target else [], inputs=[scenario])
    wanted = crash.wanted(
        scenario,
        write,
        check,
        rounds=times,
        at=tuple(at or ()),
        think=think,
        patience=patience,
        keep=folder_of("--keep", keep),
        overrides=tuple(overrides or ()),
        seed=seed,
    )
    with Bar() as bar:
        bar.on_share("without a power cut", 0.0)
        found = crash.crash_test(
            wanted, lambda one: bar.on_share(one.words, (one.number + 1) / (wanted.rounds + 1))
        )
    contents = {} if target is None else {target: json_file.render(found.to_dict())}
    output.deliver(contents, lambda: stdout().print(crash.words_of(found), markup=False))
    if not found.passed:
        raise typer.Exit(DOES_NOT_HOLD)

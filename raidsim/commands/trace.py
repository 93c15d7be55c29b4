"""The commands ``raidsim trace ...``: figures of traces, and traces in other formats."""

from __future__ import annotations

import sys
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from raidsim.commands.options import HtmlFile, JsonFile, target_of, targets_of

if TYPE_CHECKING:
    from raidsim.report.output import Target
    from raidsim.trace.trace import Trace

app = typer.Typer(
    name="trace",
    help="Analyse traces of block I/Os, and write them in other formats.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Action(StrEnum):
    """Which event of blktrace is a request."""

    queued = "Q"
    issued = "D"


TraceName = Annotated[str, typer.Argument(metavar="FILE", show_default=False, help="A trace.")]
FormatName = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="FORMAT", help="Format of the trace, if the file could have several."
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMNS",
        help="For a CSV: time=NAME [us], op=NAME, offset=NAME [sectors], size=NAME [B].",
    ),
]
ActionName = Annotated[
    Action | None,
    typer.Option("--action", help="For blktrace: I/Os as requested (Q) or as issued (D)."),
]
SectorSize = Annotated[
    int | None,
    typer.Option(
        "--sector", metavar="BYTES", help="For formats that count in sectors; 512 by default."
    ),
]
VolumeName = Annotated[
    str | None, typer.Option(metavar="NAME", help="Only requests to this volume of the trace.")
]


@app.command("info")
def info_command(
    file: TraceName,
    format_name: FormatName = None,
    columns: Columns = None,
    volume: VolumeName = None,
    action: ActionName = None,
    sector: SectorSize = None,
    json: JsonFile = None,
    html: HtmlFile = None,
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE", help="Draw it; FILE ends in .png or .svg."),
    ] = None,
) -> None:
    """Show what is in a trace: rates, sizes, footprint, latency, and what caches would do."""
    from raidsim.report import output
    from raidsim.report.console import ReportConsole
    from raidsim.report.progress import Bar
    from raidsim.report.trace_table import print_info

    targets = targets_of(json, html, plot)
    output.check((target for target in targets.values() if target), inputs=[file])
    trace = _trace(file, format_name, columns, volume, action, sector)
    with Bar() as bar:
        info = trace.info(partial(bar.on_share, "reading"))
    contents: dict[Target, bytes] = {}
    if target := targets["json"]:
        from raidsim.report import json_file

        contents[target] = json_file.render(info.to_dict())
    if target := targets["html"]:
        from raidsim.report import trace_page

        contents[target] = trace_page.render(info, trace.title)
    if target := targets["plot"]:
        from raidsim.report import trace_plot

        contents[target] = trace_plot.render(info, target.suffix)
    output.deliver(contents, lambda: print_info(info, trace.title, ReportConsole(sys.stdout)))


@app.command("convert")
def convert_command(
    file: TraceName,
    output_file: Annotated[
        str, typer.Argument(metavar="OUT", show_default=False, help="Compressed if it ends in .gz.")
    ],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="Format to write.")],
    format_name: FormatName = None,
    columns: Columns = None,
    volume: VolumeName = None,
    action: ActionName = None,
    sector: SectorSize = None,
) -> None:
    """Write a trace in another format, and say what that format cannot represent."""
    from raidsim.report import output
    from raidsim.report.output import Target
    from raidsim.trace import write

    output.check([Target("OUT", output_file)], inputs=[file])
    trace = _trace(file, format_name, columns, volume, action, sector)
    page = write(output_file, trace.blocks(), to, lambda: trace.volumes)
    for sentence in [*trace.counts.sentences(), *page.sentences()]:
        typer.echo(sentence, err=True)
    typer.echo(f"{output_file}: {page.written:,} of {trace.counts.requests:,} requests.")


@app.command("fit")
def fit_command(
    file: TraceName,
    output_file: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write there; ends in .toml."),
    ] = None,
    format_name: FormatName = None,
    columns: Columns = None,
    volume: VolumeName = None,
    action: ActionName = None,
    sector: SectorSize = None,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="SCENARIO",
            help="Simulate trace and load on the hardware of a scenario, and show how much they"
            " differ.",
        ),
    ] = None,
) -> None:
    """Write the synthetic [[load]] nearest to a trace, and how near its figures are."""
    from raidsim import scenario as scenarios
    from raidsim.report import output, toml_text
    from raidsim.report.console import ReportConsole
    from raidsim.report.progress import Bar
    from raidsim.report.trace_fit import heading, print_differences, print_fit
    from raidsim.running import run
    from raidsim.synthesis.distance import run_both
    from raidsim.synthesis.fit import fit

    target = target_of("--output", output_file, (".toml",))
    hardware = None if on is None else scenarios.load(on)
    output.check([target] if target else [], inputs=[file, hardware.path if hardware else None])
    with Bar() as bar:
        trace = _trace(file, format_name, columns, volume, action, sector)
        info = trace.info(partial(bar.on_share, "reading"))
        found = fit(info)
    for remark in [*info.remarks, *found.remarks]:
        typer.echo(remark, err=True)
    text = heading(info, found) + toml_text.render({"load": [found.table]})
    if target:
        output.write({target: text.encode()})
        print_fit(found, ReportConsole(sys.stdout))
    else:
        typer.echo(text, nl=False)
    if hardware is not None:
        keys: dict[str, Any] = {
            "file": file,
            "format": info.format,
            "columns": columns,
            "action": action and action.value,
            "sector": sector and f"{sector} B",
            "volumes": [one.name for one in info.volumes],
        }
        replay = {"trace": {key: value for key, value in keys.items() if value is not None}}
        differences = run_both(hardware, found.table, replay, partial(run, progress=True))
        print_differences(differences, ReportConsole(sys.stdout if target else sys.stderr))


def _trace(
    file: str,
    format_name: str | None,
    columns: str | None,
    volume: str | None,
    action: Action | None,
    sector: int | None,
) -> Trace:
    from raidsim.trace.trace import Trace

    event: Literal["Q", "D"] | None = None
    if action is not None:
        event = "Q" if action is Action.queued else "D"
    return Trace.read(
        file, format_name, columns=columns, action=event, sector=sector, volume=volume
    )

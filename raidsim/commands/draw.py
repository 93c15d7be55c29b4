"""The command ``raidsim draw``: where the strips of arrays lie."""

from __future__ import annotations

from typing import Annotated

import typer

from raidsim.commands.options import Overrides, ScenarioName, target_of

app = typer.Typer(rich_markup_mode=None)


@app.command("draw")
def draw_command(
    scenario: ScenarioName,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write an .svg file there; by default to standard output.",
        ),
    ] = None,
    volume: Annotated[str | None, typer.Option(metavar="NAME", help="Only this volume.")] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            show_default=False,
            help="Rows of strips; by default one full rotation of the parity.",
        ),
    ] = None,
    overrides: Overrides = None,
) -> None:
    """Draw where the strips of a scenario's arrays lie, as SVG."""
    from raidsim import scenario as scenarios
    from raidsim.report import output as written
    from raidsim.report.layout_drawing import drawing

    target = target_of("--output", output, (".svg",))
    loaded = scenarios.load(scenario, overrides=overrides or [])
    written.check([target] if target else [], inputs=[loaded.path])
    picture = drawing(loaded, volume, rows)
    if target:
        written.write({target: picture})
    else:
        written.print_bytes(picture)

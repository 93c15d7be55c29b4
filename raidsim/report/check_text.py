"""What ``raidsim check`` prints: the hardware and the loads of a scenario, then the findings."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim import units
from raidsim.report import numbers
from raidsim.report.findings import findings
from raidsim.report.summary import air_sentence, load_sentence
from raidsim.scenario import LoadSpec, Scenario


def print_check(scenario: Scenario, console: Console) -> None:
    """Print what a scenario holds and everything that is found in it."""
    console.print(Text(scenario.title, style="bold"), soft_wrap=True)
    if scenario.description:
        console.print(Text(scenario.description), soft_wrap=not console.is_terminal)
    console.print()
    console.print(_contents(scenario))
    console.print()
    found = findings(scenario)
    if not found:
        console.print("Nothing was found.")
        return
    console.print("1 finding:" if len(found) == 1 else f"{len(found)} findings:")
    listed = Table.grid(padding=(0, 1, 0, 0))
    for finding in found:
        listed.add_row("-", Text(str(finding)))
    console.print(listed)


def _contents(scenario: Scenario) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    host = scenario.host.card
    clock = units.text(scenario.host.clock or host.number("cpu.clock"), "frequency")
    table.add_row("host", Text(f"{host.title}, {host.integer('cpu.cores')} cores at {clock}"))
    for volume in scenario.volumes:
        capacity = numbers.capacity(volume.capacity)
        changed = (
            f", with {len(volume.set)} {'value' if len(volume.set) == 1 else 'values'} of its own"
            if volume.set
            else ""
        )
        text = f"{volume.name}: {volume.level} drive, {volume.card.title}, {capacity}{changed}"
        table.add_row("volume", Text(text))
    resolved = scenario.resolved()
    if any(volume.card.has("heat.case_capacity") for volume in scenario.volumes):
        table.add_row("air", Text(air_sentence(resolved)))
    for load in scenario.loads:
        text = f"{load.name}: {load_sentence(resolved, load.name)}"
        table.add_row("load", Text(f"{text}; {_intensity(load)}; {_touched(scenario, load)}"))
    measure = scenario.measure
    table.add_row(
        "measure",
        Text(f"to {100 * measure.precision:g} % at {100 * measure.confidence:g} % confidence"),
    )
    return table


def _intensity(load: LoadSpec) -> str:
    if load.outstanding is not None:
        return f"{', '.join(str(n) for n in load.outstanding)} outstanding"
    if load.rate is not None:
        return f"{', '.join(f'{rate:,.6g}' for rate in load.rate)} IO/s offered"
    return f"{len(load.arrivals or ()):,} given arrivals"


def _touched(scenario: Scenario, load: LoadSpec) -> str:
    capacity = scenario.volume(load.volume or scenario.volumes[0].name).capacity
    _, size = load.extent(capacity)
    share = size * (load.workers if load.partitions else 1) / capacity
    return f"touches {numbers.percent(share)} of the volume"

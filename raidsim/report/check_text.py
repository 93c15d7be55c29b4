"""What ``raidsim check`` prints: hardware and loads of a scenario, risk of data loss, findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim import units
from raidsim.cards import plausible
from raidsim.errors import InputError
from raidsim.facts import LinkFacts
from raidsim.observe import inventory
from raidsim.observe.inventory import hybrid_facts
from raidsim.report import event_words, hardware, hybrids, numbers, risk_table
from raidsim.report.finding import cards_of
from raidsim.report.findings import findings
from raidsim.report.summary import air_sentence, load_sentence, machine_sentence
from raidsim.report.table import RULED
from raidsim.risk.assess import Risk
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec
from raidsim.scenario.intensity import label
from raidsim.scenario.replays import plan

if TYPE_CHECKING:
    from raidsim.studies.risks import RiskUnknowns


def print_check(scenario: Scenario, risks: Sequence[Risk], console: Console) -> None:
    """Print what a scenario holds, what its volumes risk, and everything that is found in it."""
    console.print(Text(scenario.title, style="bold"), soft_wrap=True)
    if scenario.description:
        console.print(Text(scenario.description), soft_wrap=not console.is_terminal)
    console.print()
    console.print(_contents(scenario))
    links = inventory.links(scenario)
    if links:
        console.print()
        console.print(_links(links), crop=False)
    console.print()
    _print_risk(scenario, risks, console)
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


def refuse_without_ranges(scenario: Scenario) -> None:
    """Raise an InputError with every uncertain value of a card that has no plausible range."""
    wrong = [problem for card in cards_of(scenario) for problem in plausible.problems(card)]
    if wrong:
        raise InputError(wrong)


def print_unknowns(drawn: Sequence[RiskUnknowns], console: Console) -> None:
    """Print how far the risks would move if cards were as they might be too."""
    console.print()
    for one in drawn:
        console.print(Text(risk_table.unknowns_line(one)), soft_wrap=True)


def _print_risk(scenario: Scenario, risks: Sequence[Risk], console: Console) -> None:
    """How likely each volume loses data, and what that rests on."""
    console.print(risk_table.table(risks, inventory.volumes(scenario)), crop=False)
    console.print()
    listed = Table.grid(padding=(0, 1, 0, 0))
    for note in (
        *(risk_table.hybrid_note(hybrid, risks) for hybrid in scenario.hybrids),
        *risk_table.notes(
            risks,
            [volume.card.name for volume in scenario.volumes],
            lambda point: ", ".join(f"{load.name} {label(load, point)}" for load in scenario.loads),
        ),
    ):
        listed.add_row("-", Text(note))
    console.print(listed)


def _contents(scenario: Scenario) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    host = scenario.host.card
    clock = units.text(scenario.host.clock or host.number("cpu.clock"), "frequency")
    table.add_row("host", Text(f"{host.title}, {host.integer('cpu.cores')} cores at {clock}"))
    for controller in scenario.controllers:
        text = f"{controller.name}: {hardware.controller_words(controller)}"
        table.add_row("controller", Text(text + _changed(controller.set)))
    for volume in scenario.volumes:
        for heading, text in zip(("volume", "", ""), _volume(scenario, volume), strict=False):
            table.add_row(heading, Text(text))
    for hybrid in scenario.hybrids:
        table.add_row("hybrid", Text(hybrids.facts_line(hybrid_facts(hybrid))))
    power = inventory.system_power(scenario)
    table.add_row("power", Text(hardware.system_power_words(power)))
    resolved = scenario.resolved()
    if any(volume.card.has("heat.case_capacity") for volume in scenario.volumes):
        table.add_row("air", Text(air_sentence(resolved)))
    for load in scenario.loads:
        text = f"{load.name}: {load_sentence(resolved, load.name)}"
        table.add_row("load", Text(f"{text}; {_intensity(load)}; {_touched(scenario, load)}"))
    for machine in resolved.get("machine", []):
        table.add_row("machines", Text(f"{machine['name']}: {machine_sentence(machine)}"))
    for line in event_words.lines(scenario):
        table.add_row("event", Text(line))
    table.add_row("measure", Text(_measure(scenario)))
    return table


def _measure(scenario: Scenario) -> str:
    """How long, or how precisely, is measured."""
    measure = scenario.measure
    if not scenario.events and not scenario.machines:
        return f"to {100 * measure.precision:g} % at {100 * measure.confidence:g} % confidence"
    most = units.text(measure.max_time, "time")
    if not scenario.events:
        return f"until all machines are ready, {most} at most"
    if measure.duration is not None:
        return units.text(measure.duration, "time")
    first = min(event.at for event in scenario.events)
    tail = f", and {units.text(first, 'time')} more" if first > 0 else ""
    if scenario.machines:
        tail = ", and all machines are ready"
    return f"until all that the events begin is over{tail}, {most} at most"


def _volume(scenario: Scenario, volume: VolumeSpec) -> Iterator[str]:
    """A volume: what it is, what it is on, and what it holds, survives and takes."""
    facts = inventory.volume_facts(volume)
    drives = hardware.drives_words(volume.level, volume.drives, volume.card.title)
    where = hardware.where_words(volume, scenario.controller(volume))
    failures = hardware.failures_words(facts)
    spans = 1 if volume.layout is None else int(volume.layout["spans"])
    if spans > 1 and facts.failures_tolerated:
        failures += f", up to {spans * facts.failures_tolerated} in different spans"
    power = hardware.power_words(facts.power_w)
    capacity = hardware.capacity_words(facts)
    yield f"{volume.name}: {drives}, {capacity}{_changed(volume.set)}"
    if where:
        yield where
    if facts.failed:
        failures += f"; {hardware.numbered(facts.failed)} failed before"
    yield f"{failures}; {power}"


def _changed(values: Mapping[str, object]) -> str:
    if not values:
        return ""
    return f", with {hardware.some(len(values), 'value')} of its own"


def _links(links: Iterable[LinkFacts]) -> Table:
    """Every controller and link with what it carries and what can arrive at it."""
    table = Table(box=RULED, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for header in ("link", "to", "lanes"):
        table.add_column(f"\n{header}", no_wrap=True)
    for header in ("carries,\nMB/s", "\ndrives", "can deliver,\nMB/s", "load\nfactor"):
        table.add_column(header, justify="right", no_wrap=True)
    for link in links:
        factor = Text(f"{link.oversubscription:.2f}")
        if link.oversubscription > 1:
            factor.stylize("bold")
        table.add_row(
            Text(link.name),
            Text(link.to),
            hardware.lanes_words(link.speed, link.lanes),
            numbers.mbps(link.mbps),
            str(link.drives),
            numbers.mbps(link.arriving_mbps),
            factor,
        )
    return table


def _intensity(load: LoadSpec) -> str:
    if load.outstanding is not None:
        return f"{', '.join(str(n) for n in load.outstanding)} outstanding"
    if load.rate is not None:
        return f"{', '.join(f'{rate:,.6g}' for rate in load.rate)} IO/s offered"
    if load.trace is not None:
        found = plan(load.trace).survey
        return f"{found.requests:,} requests of a trace over {found.last - found.first:,.6g} s"
    return f"{len(load.arrivals or ()):,} given arrivals"


def _touched(scenario: Scenario, load: LoadSpec) -> str:
    where = scenario.hybrid(load.volume)
    capacity = (where or scenario.volume(load.volume or scenario.volumes[0].name)).capacity
    _, size = load.extent(capacity)
    share = size * (load.workers if load.partitions else 1) / capacity
    return f"touches {numbers.percent(share)} of the volume"

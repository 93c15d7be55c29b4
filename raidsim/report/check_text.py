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
from raidsim.observe import inventory
from raidsim.observe.inventory import hybrid_facts
from raidsim.report import (
    capacity_table,
    event_words,
    hardware,
    hybrids,
    numbers,
    power_table,
    risk_table,
)
from raidsim.report.checked import Checked
from raidsim.report.finding import Severity, cards_of
from raidsim.report.ruled import ruled
from raidsim.report.summary import air_sentence, load_sentence, machine_sentence
from raidsim.result.facts import LinkFacts
from raidsim.risk.assess import Risk
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec
from raidsim.scenario.intensity import label
from raidsim.scenario.replays import plan
from raidsim.units import capacity_for_people

if TYPE_CHECKING:
    from raidsim.studies.risks import RiskUnknowns
    from raidsim.studies.room import Room

SEVERITY_STYLES = {Severity.critical: "bold red", Severity.warning: "yellow", Severity.info: ""}


def print_checked(checked: Checked, console: Console, *, every: bool = False) -> None:
    """Print all that is known of a scenario before it is run.

    ``every`` lists the values that findings are about, which are only counted otherwise.
    """
    scenario = checked.scenario
    console.print(Text(scenario.title, style="bold"), soft_wrap=True)
    if scenario.description:
        console.print(Text(scenario.description), soft_wrap=not console.is_terminal)
    console.print()
    console.print(_contents(scenario, checked.room))
    console.print()
    console.print(capacity_table.table(checked.waterfalls), crop=False)
    for note in capacity_table.notes(checked.waterfalls):
        console.print(Text(note), soft_wrap=not console.is_terminal)
    console.print()
    console.print(power_table.table(checked.power), crop=False)
    for note in power_table.notes(checked.power):
        console.print(Text(note), soft_wrap=not console.is_terminal)
    links = inventory.links(scenario)
    if links:
        console.print()
        console.print(_links(links), crop=False)
        console.print(numbers.MB_PER_S)
    if checked.risks:
        console.print()
        _print_risk(scenario, checked.risks, console)
    console.print()
    print_findings(checked, console, every=every)


def print_brief(checked: Checked, console: Console, *, every: bool = False) -> None:
    """Print what is found, the most severe first, and the main figures of each volume."""
    scenario = checked.scenario
    console.print(Text(scenario.title, style="bold"), soft_wrap=True)
    console.print()
    print_findings(checked, console, every=every, of_values=every)
    console.print()
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(no_wrap=True)
    for volume, fall in zip(scenario.volumes, checked.waterfalls, strict=True):
        facts = inventory.volume_facts(volume)
        files = f"{capacity_for_people(fall['files'])} for files"
        words = [hardware.capacity_words(facts), files, hardware.failures_words(facts)]
        words += [_brief_risk(one) for one in checked.risks if one.volume == volume.name]
        rows.add_row("volume", Text(f"{volume.name}: {', '.join(words)}"))
    power = inventory.system_power(scenario)
    rows.add_row("power", Text(hardware.system_power_words(power)))
    if checked.room is not None:
        rows.add_row("memory", Text(_room(checked.room)))
    console.print(rows)


def _brief_risk(risk: Risk) -> str:
    """The rebuild of a volume and its chance to lose data, under load where that is known."""
    used = risk.loaded or risk
    words = f"loses any data in {risk.mission_years:g} years: {risk_table.chance(used.any)}"
    if not risk.rebuild:
        return words
    when = " under load" if risk.loaded else ""
    return f"rebuild of a drive{when} {risk_table.duration(used.rebuild)}, {words}"


def print_findings(
    checked: Checked, console: Console, *, every: bool = False, of_values: bool = True
) -> None:
    """Print the findings, each with its severity.

    ``every`` lists the values that findings are about. Without ``of_values``, the numbers of
    assumed and default values of each card are left out.
    """
    found = [one for one in checked.findings if of_values or not one.of_values]
    more = (
        "; --all lists values that are assumed"
        if any(one.named for one in checked.findings)
        else ""
    )
    if not found:
        console.print(f"Nothing was found{more}.")
        return
    counted = ", ".join(
        f"{number} {severity.value}"
        for severity in Severity
        if (number := sum(one.severity is severity for one in found))
    )
    hidden = "" if every else more
    heading = "1 finding" if len(found) == 1 else f"{len(found)} findings"
    console.print(f"{heading} ({counted}{hidden}):")
    listed = Table.grid(padding=(0, 1, 0, 0))
    for one in found:
        label = Text(one.severity.value, style=SEVERITY_STYLES[one.severity])
        listed.add_row("-", label, Text(str(one) if every else one.brief))
    console.print(listed)


def refuse_without_ranges(scenario: Scenario) -> None:
    """Raise an InputError with every unknown value of a card that has no plausible range."""
    wrong = [problem for card in cards_of(scenario) for problem in plausible.problems(card)]
    if wrong:
        raise InputError(wrong)


def print_unknowns(drawn: Sequence[RiskUnknowns], console: Console) -> None:
    """Print how far the risks would move if cards were as they might be too."""
    console.print()
    for one in drawn:
        console.print(Text(risk_table.unknowns_line(one)), soft_wrap=True)


def _print_risk(scenario: Scenario, risks: Sequence[Risk], console: Console) -> None:
    """Print the risk of data loss of each volume, and its basis."""
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


def _contents(scenario: Scenario, room: Room | None = None) -> Table:
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
    if room is not None:
        table.add_row("memory", Text(_room(room)))
    return table


def _room(room: Room) -> str:
    """The memory that a run takes before its first I/O."""
    if room.needed is None:
        return f"a run would be refused: there are {units.plain(room.most / 2**30, 3)} GiB for it"
    return f"a run takes {room.needed / 2**20:,.0f} MiB when it begins"


def _measure(scenario: Scenario) -> str:
    """Return the length of the measurement, or its precision."""
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
    if spans > 1 and facts.failures_tolerated and not facts.failed:
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
    table = ruled(3)
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
        return f"{', '.join(units.plain(rate, 6) for rate in load.rate)} IO/s offered"
    if load.trace is not None:
        found = plan(load.trace).survey
        return f"{found.requests:,} requests of a trace over {found.last - found.first:,.6g} s"
    return f"{len(load.arrivals or ()):,} given arrivals"


def _touched(scenario: Scenario, load: LoadSpec) -> str:
    where = scenario.hybrid(load.volume)
    capacity = (where or scenario.volume(load.volume or scenario.volumes[0].name)).capacity
    return f"touches {numbers.percent(load.touched(capacity) / capacity)} of the volume"

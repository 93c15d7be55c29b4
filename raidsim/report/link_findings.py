"""Links, ports and slots that carry less than their drives, or are too few: one function for each.

What has too few ports or lanes cannot be built (:func:`cannot_be_built`), whatever its figures are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from raidsim.assembly.drives import kind_of
from raidsim.assembly.drives.kind import rate_of_link
from raidsim.observe import inventory
from raidsim.report import demands
from raidsim.report.finding import Checks, Finding, Severity
from raidsim.report.hardware import oversubscription_words, some
from raidsim.report.numbers import count
from raidsim.scenario import Scenario, arrays


def oversubscribed_links(scenario: Scenario) -> Iterator[Finding]:
    """Links that carry less than their drives deliver."""
    for link in inventory.links(scenario):
        if link.oversubscription > 1:
            kind = "controller" if _is_controller(scenario, link.name) else "link"
            yield Finding(f"{kind} {link.name}", oversubscription_words(link))


def slower_ports(scenario: Scenario) -> Iterator[Finding]:
    """SATA solid state drives on ports that are slower than their own link."""
    for volume in scenario.volumes:
        card = volume.card
        if not arrays.is_on_slower_port(card):
            continue
        byte = card.number("link.time_per_byte")
        command = (4096 + card.integer("link.command_size")) * byte
        yield Finding(
            f"volume {volume.name}",
            f"{card.name} is on a port that is slower than its own link: of each drive it carries"
            f" {1e-6 / byte:,.0f} MB/s (of 10^6 bytes) at most, and"
            f" {count(float(f'{1 / command:.2g}'))} reads of 4 KiB a second",
        )


def slower_slots(scenario: Scenario) -> Iterator[Finding]:
    """Slots of the host that carry less than drives in them would."""
    host = scenario.host.card
    for volume in scenario.volumes:
        if scenario.controller(volume) is not None:
            continue
        carried = (demands.rate_of_slot(scenario, "read"), demands.rate_of_slot(scenario, "write"))
        wanted = kind_of(volume.card).mean_rates(volume.card)
        if any(slot < own for slot, own in zip(carried, wanted, strict=True)):
            reads, writes, link = (
                "any" if math.isinf(rate) else f"{rate / 1e6:,.0f}"
                for rate in (*carried, rate_of_link(volume.card))
            )
            yield Finding(
                f"volume {volume.name}",
                f"a slot of {host.name} carries {reads} MB/s of reads and {writes} MB/s of writes,"
                f" the link of {volume.card.name} in it {link} (MB/s of 10^6 bytes)",
            )


def too_few_ports(scenario: Scenario) -> Iterator[Finding]:
    """More drives and spares, and lanes of expanders, than a controller has ports, or supports."""
    for controller in scenario.controllers:
        ports, most = (controller.card.integer(key) for key in ("ports.lanes", "drives.max"))
        on_it = [one for one in scenario.volumes if one.controller == controller.name]
        direct = [volume for volume in on_it if not volume.behind]
        taking = [
            (volume.drives + volume.spares, arrays.ports_of_one(controller.card, volume.card))
            for volume in direct
        ]
        straight = sum(drives for drives, each in taking if each)
        their_lanes = sum(drives * each for drives, each in taking)
        lanes = sum(link.lanes for link in scenario.links if link.to == controller.name)
        where = f"controller {controller.name}"
        if their_lanes + lanes > ports:
            taken = [some(straight, "drive")] if straight else []
            if their_lanes > straight:
                taken = [f"{some(straight, 'drive')} with {some(their_lanes, 'lane')} in all"]
            taken += [f"{some(lanes, 'lane')} of links"] if lanes else []
            nvme = any(arrays.is_on_lanes_of(controller.card, one.card) for one in direct)
            needed = "a PCIe switch" if nvme else "an expander"
            yield Finding(
                where,
                f"{' and '.join(taken)} on {some(ports, 'port')}: it cannot be built without"
                f" {needed}, and what the lanes of one carry is not simulated",
                f"put drives behind {needed}: a [[link]]",
                Severity.critical,
            )
        total = sum(volume.drives + volume.spares for volume in on_it)
        if total > most:
            what = f"{total} drives in all, and it supports {most}"
            yield Finding(where, what, severity=Severity.critical)


def no_ports_for_sas(scenario: Scenario) -> Iterator[Finding]:
    """SAS drives on the server itself, whose chipset has ports for SATA and slots for PCIe."""
    for volume in scenario.volumes:
        if scenario.controller(volume) or volume.card.word("link.interface") != "sas":
            continue
        sas = {link.name for link in scenario.links if link.speed.startswith("sas")}
        if sas.intersection(volume.behind):
            continue
        drives = volume.drives + volume.spares
        yield Finding(
            f"volume {volume.name}",
            f"{some(drives, 'SAS drive')} on the host itself, which has no ports for SAS: it"
            " cannot be built without an HBA, and what its ports and link carry is not simulated",
            "add a [[controller]], such as cisco-12g-sas-hba, or for software RAID a [[link]] with"
            ' speed = "sas-12g" and lanes = 8 that its drives are behind',
            Severity.critical,
        )


def too_few_of_the_server(scenario: Scenario) -> Iterator[Finding]:
    """More drives on the server itself than it has lanes of PCIe, or ports for SATA."""
    host = scenario.host.card
    straight = [
        volume
        for volume in scenario.volumes
        if not scenario.controller(volume) and not volume.behind
    ]
    on_pcie = [one for one in straight if one.card.word("link.interface") in ("nvme", "pcie")]
    lanes = sum((one.drives + one.spares) * one.card.integer("link.lanes") for one in on_pcie)
    lanes += sum(controller.card.integer("link.lanes") for controller in scenario.controllers)
    if on_pcie and host.has("pcie.lanes") and lanes > host.integer("pcie.lanes"):
        needing = [some(sum(one.drives + one.spares for one in on_pcie), "drive")]
        needing += [some(len(scenario.controllers), "controller")] if scenario.controllers else []
        yield Finding(
            "host",
            f"{' and '.join(needing)} need {some(lanes, 'lane')} of PCIe,"
            f" and {host.name} has {host.integer('pcie.lanes')}: it cannot be built without a PCIe"
            " switch, and what the lanes of one carry is not simulated",
            "put drives behind a PCIe switch: a [[link]]",
            Severity.critical,
        )
    on_sata = [one for one in straight if one.card.word("link.interface") == "sata"]
    disks = sum(one.drives + one.spares for one in on_sata)
    if host.has("disks.sata_ports") and disks > host.integer("disks.sata_ports"):
        yield Finding(
            "host",
            f"{some(disks, 'SATA drive')} on the host itself, and {host.name} has"
            f" {some(host.integer('disks.sata_ports'), 'port')} for SATA: it cannot be built"
            " without an HBA, and what its ports and link carry is not simulated",
            "add a [[controller]], such as cisco-12g-sas-hba, or for software RAID a [[link]] with"
            ' speed = "sas-12g" and lanes = 8 that its drives are behind',
            Severity.critical,
        )


def cannot_be_built(scenario: Scenario) -> Iterator[Finding]:
    """Find reasons why a system cannot be built: nobody can buy what its figures are of."""
    yield from too_few_ports(scenario)
    yield from no_ports_for_sas(scenario)
    yield from too_few_of_the_server(scenario)


def _is_controller(scenario: Scenario, name: str) -> bool:
    return any(controller.name == name for controller in scenario.controllers)


CHECKS: Checks = (oversubscribed_links, slower_ports, slower_slots, cannot_be_built)

"""Which claims are about the parts of a system: its drives, controllers, and software RAID.

Measurements of the parts of a system show how far its figures can be trusted. A part without
published measurements rests on its data sheet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from raidsim.errors import InputError
from raidsim.scenario import Scenario, load
from raidsim.unknowns.compared import parts
from raidsim.validate.claims import Claim
from raidsim.validate.systems import Systems


def named(
    claims: Sequence[Claim], selection: Sequence[str], systems: Systems
) -> tuple[list[str], tuple[str, ...]]:
    """Put the claims that concern it in the place of each file of a scenario in a selection.

    Returns
    -------
    tuple
        The selection, in which no word is a file any more; and the parts of these scenarios that
        no claim is about, by the names of their cards.

    Raises
    ------
    InputError
        A file holds no scenario.
    """
    words: list[str] = []
    untested: dict[str, None] = {}
    for word in selection:
        if not _is_file(word):
            words.append(word)
            continue
        wanted = names(load(Path(word)))
        found = {claim.id: parts_of(claim, systems) & set(wanted) for claim in claims}
        words += [name for name, shared in found.items() if shared]
        tested = set().union(*found.values())
        untested |= dict.fromkeys(name for name in wanted if name not in tested)
    return words, tuple(untested)


def names(scenario: Scenario) -> list[str]:
    """Names of the cards of its drives and controllers, and of a host that does RAID itself."""
    return [part.card.name for part in parts(scenario)]


def parts_of(claim: Claim, systems: Systems) -> set[str]:
    """Names of the cards of the parts that a claim is about."""
    return {name for scenario in _scenarios_of(claim, systems) for name in names(scenario)}


def hosts_of(claim: Claim, systems: Systems) -> set[str]:
    """Names of the cards of the hosts on which the figures of a claim were measured."""
    return {scenario.host.card.name for scenario in _scenarios_of(claim, systems)}


def _scenarios_of(claim: Claim, systems: Systems) -> Iterator[Scenario]:
    for job in claim.jobs():
        with suppress(InputError):  # it is reported when the claim is run
            yield systems.of(job.scenario, job.overrides)


def _is_file(word: str) -> bool:
    return word.endswith(".toml") and Path(word).is_file()

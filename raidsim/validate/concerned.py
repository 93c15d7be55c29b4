"""Which claims say something of a system: those about its drives, controllers, and software RAID.

What has been measured of the parts of a system tells how far its figures can be trusted; a part of
which nothing was printed rests on its data sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raidsim.cards import Card
from raidsim.errors import InputError
from raidsim.scenario import Scenario, load
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
        wanted = parts(load(Path(word)))
        found = {claim.id: _parts_of(claim, systems) & set(wanted) for claim in claims}
        words += [name for name, shared in found.items() if shared]
        tested = set().union(*found.values())
        untested |= dict.fromkeys(name for name in wanted if name not in tested)
    return words, tuple(untested)


def parts(scenario: Scenario) -> list[str]:
    """Names of the cards of its drives and controllers, and of a host that does RAID itself."""
    cards: list[Card] = [volume.card for volume in scenario.volumes]
    cards += [controller.card for controller in scenario.controllers]
    if any(volume.controller == "host" and volume.drives > 1 for volume in scenario.volumes):
        cards.append(scenario.host.card)
    return list(dict.fromkeys(card.name for card in cards))


def _parts_of(claim: Claim, systems: Systems) -> set[str]:
    found: set[str] = set()
    for job in claim.jobs():
        try:
            found.update(parts(systems.of(job.scenario, job.overrides)))
        except InputError:  # it is told when the claim is looked at
            continue
    return found


def _is_file(word: str) -> bool:
    return word.endswith(".toml") and Path(word).is_file()

"""Problems of the cards of a scenario that do not prevent a run: one function for each."""

from __future__ import annotations

from collections.abc import Iterator

from raidsim.cards import Card
from raidsim.cards.arithmetic import contradictions
from raidsim.cards.bases import stores_in_flash
from raidsim.cards.inherited import other_makers
from raidsim.cards.rated import SHAPES, State
from raidsim.report.finding import Checks, Finding, Severity, cards_of, loads_of
from raidsim.report.numbers import percent
from raidsim.scenario import LoadSpec, Scenario

FAR_OFF = 0.15
"""Error of a rated figure from which on a card is said to miss it: 10 % is what a fit aims at."""


def does_not_add_up(scenario: Scenario) -> Iterator[Finding]:
    """Values or rated figures of a card contradict each other."""
    cards = [*cards_of(scenario), *(volume.card for volume in scenario.volumes)]
    found = [
        Finding(f"model {card.name}", str(one), "one of them is wrong")
        for card in cards  # volumes may set other values for the same card
        for one in contradictions(card)
    ]
    yield from dict.fromkeys(found)


def of_another_maker(scenario: Scenario) -> Iterator[Finding]:
    """A card states only what differs from a card of something that another maker sells.

    Of a controller that is all that decides on a figure, if its card states nothing of its own
    about what it takes and how fast it is.
    """
    for card in cards_of(scenario):
        severity = Severity.warning if _borrows_all(card) else Severity.info
        for sentence in other_makers(card):
            remedy = "state what is known of this one"
            yield Finding(f"model {card.name}", sentence, remedy, severity)


def _borrows_all(card: Card) -> bool:
    """Return whether limits, timing and levels of a controller are all of another maker's card."""
    others = card.of_others()
    own = (
        name
        for name, source in card.sources.items()
        if name.partition(".")[0] in _OF_CONTROLLERS
        and source.source != "default"
        and name not in others
    )
    return bool(others) and card.kind == "controller" and not any(own)


def not_on_its_sheet(scenario: Scenario) -> Iterator[Finding]:
    """A load does what the card of its solid state drives has no rate of from a sheet.

    A sheet without random I/Os is often that of a drive that is slow at them. Writes in a burst,
    or to a drive as it comes, say little of those that go on, which a steady volume measures.
    """
    found = []
    for volume in scenario.volumes:
        printed = _printed(volume.card)
        lasting = _printed(volume.card, "sustained") if volume.state == "steady" else printed
        for load in loads_of(scenario, volume) if printed else ():
            missing = " and ".join(
                f"sustained {kind}" if kind in printed else kind
                for kind in _KINDS
                if kind in _does(load) - lasting
            )
            if missing:
                of = f"those of {volume.card.base}" if volume.card.base else "assumed"
                found.append(
                    Finding(
                        f"model {volume.card.name}",
                        f"its card has no printed rate of {missing}, which load {load.name} does:"
                        f" the values that decide on it are {of}, and the drive may be far slower",
                        "look for a measured rate and add it to [rated]; raidsim run --unknowns"
                        " says how far the figure may be off",
                    )
                )
    yield from dict.fromkeys(found)


def misses_its_sheet(scenario: Scenario) -> Iterator[Finding]:
    """A fit has left a rate of a card's own sheet far away: what a run says of it is as far.

    Nothing is said of a card that rests on figures of documents, which do not always agree with it.
    """
    for card in cards_of(scenario):
        rates = (
            [one for one in card.rated.performance if one.what != "latency"] if card.rated else []
        )
        printed = {} if _rests_on_documents(card) else {f"rated.{one.name}": one for one in rates}
        far = [
            f"{printed[name].name} {printed[name]}, {percent(abs(error))} {_side(error)}"
            for name, error in card.residuals.items()
            if name in printed and abs(error) > FAR_OFF
        ]
        if far:
            yield Finding(
                f"model {card.name}",
                f"its values do not meet its own sheet: {'; '.join(far)} here",
                f"raidsim models {card.name} shows them; put right what cannot be so, and fit it"
                " again",
            )


def sorts_all_commands(scenario: Scenario) -> Iterator[Finding]:
    """A disk whose card does not give how many commands it sorts: then it sorts all of them."""
    for card in cards_of(scenario):
        silent = {entry.name for entry in card.entries() if entry.source.source == "default"}
        if "queue.window" not in silent:
            continue
        taken = card.integer("command.queue_depth")
        if taken > 1 and card.word("queue.discipline") != "fifo":
            yield Finding(
                f"model {card.name}",
                f"queue.window is not given, so that all {taken:,} commands which it takes are"
                " sorted: with many outstanding random I/Os it is faster than real drives",
                "give the number that it sorts, or queue.choose_time, the time of each choice",
            )


def unknown_values(scenario: Scenario) -> Iterator[Finding]:
    """Values of the cards that nothing printed or measured stands behind."""
    for card in cards_of(scenario):
        assumed, silent = (
            tuple(entry.name for entry in card.entries() if entry.source.source == source)
            for source in ("assumed", "default")
        )
        total = f"of {len(card.values)} values are"
        words = [f"{len(assumed)} {total} assumed"] if assumed else []
        if silent:
            are = "are" if assumed else total
            words.append(f"{len(silent)} {are} defaults for which its card has no value")
        listed = [f"assumed {', '.join(assumed)}"] if assumed else []
        listed += [f"by default {', '.join(silent)}"] if silent else []
        if words:
            yield Finding(
                f"model {card.name}",
                ", ".join(words),
                severity=Severity.info,
                named=(*assumed, *silent),
                listed="; ".join(listed),
                of_values=True,
            )


def _side(error: float) -> str:
    return "more" if error > 0 else "less"


_OF_CONTROLLERS = ("command", "levels", "drives")
"""Sections of a controller's card with what it may take, and how fast it is."""

_KINDS = ("random reads", "random writes", "sequential reads", "sequential writes")


def _printed(card: Card, state: State | None = None) -> set[str]:
    """Kinds of I/O whose rate is printed, also on the sheet of a drive of the same maker, its base.

    Of writes, if a state of the drive is given, in that state. None of a card that rests on
    figures of documents as well.
    """
    if not stores_in_flash(card.kind) or card.rated is None or _rests_on_documents(card):
        return set()
    claims = _claims(card)
    own = {f"rated.{one.name}" for one in card.rated.performance}
    usual = (one for one in SHAPES[card.kind] if f"rated.{one.name}" in claims - own)
    return {
        kind
        for one in (*card.rated.performance, *usual)
        if one.workers * one.outstanding > 1
        and (state is None or one.read == 1 or one.state == state)
        for kind in _kinds(one.read, 1 - one.read, one.random)
    }


def _claims(card: Card) -> set[str]:
    """Names of the figures that its values rest on, and none of another maker's card."""
    others = card.of_others()
    sources = (source for name, source in card.sources.items() if name not in others)
    return {claim for source in sources for claim in source.claims}


def _rests_on_documents(card: Card) -> bool:
    return any(one[:6] != "rated." for one in _claims(card))


def _does(load: LoadSpec) -> set[str]:
    """Kinds of I/O that a load has."""
    kinds: set[str] = set()
    for one in load.mix if load.trace is None else ():
        kinds |= _kinds(one.read, 1 - one.read - one.trim, one.random)
    return kinds


def _kinds(reads: float, writes: float, random: float) -> set[str]:
    ways = [way for way, share in (("random", random), ("sequential", 1 - random)) if share > 0]
    ops = [op for op, share in (("reads", reads), ("writes", writes)) if share > 1e-9]
    return {f"{way} {op}" for way in ways for op in ops}


CHECKS: Checks = (
    does_not_add_up,
    of_another_maker,
    misses_its_sheet,
    not_on_its_sheet,
    sorts_all_commands,
    unknown_values,
)

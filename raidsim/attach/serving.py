"""What ``raidsim attach`` does, from its options to its end."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raidsim import units
from raidsim.attach.attached import LATEST, AttachedSystem
from raidsim.attach.making import METADATA
from raidsim.attach.server import Server
from raidsim.attach.steering import Steering
from raidsim.cards.toml_file import parse, read_text
from raidsim.errors import InputError, Problem
from raidsim.scenario import Scenario, load

LOG = logging.getLogger("raidsim.attach")
SOCKET = "raidsim.sock"


@dataclass(frozen=True)
class Wishes:
    """The options of the command, as they were typed."""

    scenario: str
    socket: str | None = None
    port: int | None = None
    speed: float = 1.0
    control: str | None = None
    events: str | None = None
    loads: bool = False
    lasting: str | None = None
    members: str | None = None
    metadata: str | None = None
    overrides: tuple[str, ...] = ()
    seed: int | None = None


def serve(wishes: Wishes) -> None:
    """Serve until Ctrl-C, SIGTERM, or the time is over.

    Raises
    ------
    InputError
        With what is wrong with scenario, events or options.
    """
    if wishes.socket is not None and wishes.port is not None:
        cause = "is given beside --port"
        raise InputError([Problem(None, None, "--socket", cause, "give one of the two")])
    if wishes.metadata is not None and wishes.members is None:
        cause = "is about the files of --members, which is not given"
        raise InputError([Problem(None, None, METADATA, cause, "give both, or none")])
    lasting = None if wishes.lasting is None else _time("--for", wishes.lasting)
    scenario = load(wishes.scenario, wishes.overrides, wishes.seed)
    if wishes.events is not None:
        scenario = scenario.with_events(_events_of(wishes.events), wishes.events)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    try:
        asyncio.run(_serve(wishes, scenario, lasting))
    finally:
        LOG.removeHandler(handler)


async def _serve(wishes: Wishes, scenario: Scenario, lasting: float | None) -> None:
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    # The command line ends quietly when its reader goes away; a server does not with a client.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, over.set)
    members = None if wishes.members is None else Path(wishes.members)
    attached = AttachedSystem(
        scenario, wishes.speed, loads=wishes.loads, members=members, metadata=wishes.metadata
    )
    server, steering = Server(attached), Steering(scenario, attached)

    def end() -> None:
        years = LATEST / units.CALENDAR_YEAR_S
        LOG.error("the simulated clock ends here, after %.0f years: so does the server", years)
        over.set()

    attached.on_end = end
    try:
        if wishes.port is None:
            path = Path(wishes.socket or SOCKET)
            await server.listen_at(path)
            uris = [f"nbd+unix:///{name}?socket={path.absolute()}" for name in server.exports]
        else:
            port = await server.listen_on(wishes.port)
            uris = [f"nbd://127.0.0.1:{port}/{name}" for name in server.exports]
        if wishes.control is not None:
            await steering.listen_at(Path(wishes.control))
        server.start()
        for uri, export in zip(uris, server.exports.values(), strict=True):
            LOG.info("%s: %s", uri, export.description)
        try:
            await asyncio.wait_for(over.wait(), lasting)
        except TimeoutError:
            LOG.info("the time is over")
    finally:
        await steering.stop()
        await server.stop()


def _time(option: str, text: str) -> float:
    try:
        return units.parse(text, "time")
    except ValueError as error:
        raise InputError([Problem(None, None, option, str(error), None)]) from None


def _events_of(path: str) -> list[Any]:
    """The [[event]] tables of a file."""
    file = parse(read_text(Path(path), path), path)
    problems = list(file.problems)
    for key in file.data:
        if key not in ("event", "schema"):
            cause = "is not for a file of events"
            problems.append(Problem(path, file.line((key,)), key, cause, "write [[event]] tables"))
    events = file.data.get("event")
    if not problems and not isinstance(events, list):
        problems.append(Problem(path, None, "event", "is missing", "write [[event]] tables"))
    if problems or events is None:
        raise InputError(problems)
    return list(events)

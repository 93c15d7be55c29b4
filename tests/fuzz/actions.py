"""What can be done to a random model: each action once, to something drawn at random.

An action that is refused with an InputError has done nothing, which is as good as any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raidsim import Controller, Volume
from raidsim.control.operation import Operation
from tests.fuzz import Fault
from tests.fuzz.model import RandomModel, load, place

Action = Callable[[RandomModel], None]
TIMES = [0.0, 1e-9, 1e-9, 1e-6, 1e-4, 1e-3, 5e-3, 0.05, 0.5]


def drawn(m: RandomModel) -> Action:
    """One of all actions."""
    chosen: Action = m.random.choices(list(ACTIONS), list(ACTIONS.values()))[0]
    return chosen


def _volume(m: RandomModel) -> Volume:
    return m.random.choice(m.every)


def _controller(m: RandomModel) -> Controller | None:
    return m.random.choice(m.controllers) if m.controllers else None


def _drive(m: RandomModel, volume: Volume) -> int:
    """A drive, seldom one that isn't there; often the same ones."""
    return m.random.choice([0, 0, 1, m.random.randrange(volume.spec.drives), volume.spec.drives])


def _pace(m: RandomModel) -> dict[str, Any]:
    r = m.random
    return {"rate": r.choice([None, "1 %", "50 %", "100 %"])} if r.random() < 0.3 else {}


# -- time, and what is asked for ---------------------------------------------------------------


def wait(m: RandomModel) -> None:
    """Let some time pass, or wait for something that is under way."""
    r = m.random
    pending = [one for one in (*m.awaited, *m.others, *m.loads) if not one.processed]
    if pending and r.random() < 0.3:
        event = r.choice(pending)
        m.note(f"wait for {event}")
        m.env.run(until=event | m.env.timeout(0.05))
        return
    seconds = r.choice(TIMES) * r.choice([1, 1, r.random()])
    if any(load.spec.has_end is False and not load.triggered for load in m.loads):
        seconds = min(seconds, 0.02)
    m.note(f"wait {seconds} s")
    m.env.run(until=m.env.timeout(seconds))


def read_or_write(m: RandomModel) -> None:
    """Some I/Os at once."""
    r, volume = m.random, _volume(m)
    for _ in range(r.choice([1, 1, 2, 12])):
        offset, length = place(m, volume)
        op = r.choice(["read", "write", "write"])
        words = {"timeout": r.choice([1e-9, 1e-3, 0.1])} if r.random() < 0.1 else {}
        m.note(f"{volume.name}.{op}({offset}, {length}, {words})")
        m.awaited.append(getattr(volume, op)(offset, length, priority=r.choice([0, 0, 3]), **words))


def flush(m: RandomModel) -> None:
    """A flush, or some at once."""
    r, volume = m.random, _volume(m)
    for _ in range(r.choice([1, 1, 3])):
        words = {"timeout": r.choice([1e-9, 1e-3, 0.1])} if r.random() < 0.1 else {}
        m.note(f"{volume.name}.flush({words})")
        m.awaited.append(volume.flush(**words))


def start(m: RandomModel) -> None:
    """A load."""
    volume = _volume(m)
    given = load(m, volume)
    m.note(f"{volume.name}.start({given})")
    m.loads.append(volume.start(given))


def stop(m: RandomModel) -> None:
    """A load, which may be over."""
    if m.loads:
        running = m.random.choice(m.loads)
        m.note(f"stop {running.name}")
        running.stop()


def trim(m: RandomModel) -> None:
    """Some bytes."""
    volume = _volume(m)
    offset, length = place(m, volume)
    m.note(f"{volume.name}.trim({offset}, {length})")
    volume.trim(offset, length)


# -- drives -----------------------------------------------------------------------------------


def fail(m: RandomModel) -> None:
    """A drive."""
    volume = _volume(m)
    drive = _drive(m, volume)
    m.note(f"{volume.name}.fail({drive})")
    volume.fail(drive)


def mend(m: RandomModel) -> None:
    """A drive, one way or another."""
    volume = _volume(m)
    drive, pace = _drive(m, volume), _pace(m)
    call = m.random.choice(["replace", "replace", "rebuild", "copy_back", "repair"])
    m.note(f"{volume.name}.{call}({drive}, {pace})")
    getattr(volume, call)(drive, **(pace if call != "repair" else {}))


def mend_several(m: RandomModel) -> None:
    """All drives of a volume that have failed, at a time: software RAID fills them in one pass."""
    volume = _volume(m)
    m.note(f"{volume.name}.replace() of {volume.failed}")
    for drive in volume.failed:
        volume.replace(drive)


def go_through(m: RandomModel) -> None:
    """All of an array, in the background."""
    r, volume = m.random, _volume(m)
    call = r.choice(["check", "patrol", "initialise", "resync"])
    words = _pace(m)
    if call == "initialise":
        words["full"] = r.random() < 0.5
    if call == "resync" and r.random() < 0.5:
        words["rows"] = [(0, 4), (8, 9)]
    m.note(f"{volume.name}.{call}({words})")
    getattr(volume, call)(**words)


def change_operation(m: RandomModel) -> None:
    """Background work under way, or over."""
    r = m.random
    found: list[Operation] = [one for volume in m.volumes for one in volume.operations]
    if found:
        one = r.choice([r.choice(found), found[-1]])
        call = r.choice(["pause", "resume", "stop", "set_rate"])
        m.note(f"{one!r}.{call}()")
        getattr(one, call)(*(["40 %"] if call == "set_rate" else []))


def add_defects(m: RandomModel) -> None:
    """Some sectors of a drive become unreadable."""
    r, volume = m.random, _volume(m)
    drive, sector = _drive(m, volume), volume._sector
    places = [r.randrange(4096) * 512 // sector * sector for _ in range(r.choice([1, 3, 40]))]
    m.note(f"{volume.name}.add_defects({drive}, {places})")
    volume.add_defects(drive, places)
    m.has_defects = True


def slow_down(m: RandomModel) -> None:
    """A drive takes longer, or as long as ever."""
    volume = _volume(m)
    seconds = m.random.choice([0.0, 1e-9, 1e-3, 0.3])
    drive = m.random.choice([None, 0, 1])
    m.note(f"{volume.name}.set_delay({seconds}, drive={drive})")
    volume.set_delay(seconds, drive=drive)


def set_speed(m: RandomModel) -> None:
    """Of some part."""
    r = m.random
    kinds = ["front end", "data path", "link", "flash channel", "flash die", "disk controller"]
    part: Any = r.choice([*m.every, *m.controllers, *m.links])
    if isinstance(part, Controller):
        kinds = ["controller core", "parity engine", "host link"]
    speed = r.choice([0.01, 0.5, 1.0, 7.0])
    words = (speed,) if part in m.links else (r.choice(kinds), speed)
    m.note(f"{part.name}.set_speed{words}")
    part.set_speed(*words)


def set_air(m: RandomModel) -> None:
    """The room becomes warm, or cool."""
    ambient, airflow = m.random.choice(["5 C", "60 C", "85 C"]), m.random.choice(["1 %", "100 %"])
    target: Any = m.random.choice([m.env, _volume(m)])
    m.note(f"set_air({ambient}, {airflow})")
    target.set_air(ambient, airflow)


def set_clock(m: RandomModel) -> None:
    """Of the host's CPUs."""
    clock = m.random.choice(["0.2 GHz", "2 GHz", "3.5 GHz"])
    m.note(f"set_clock({clock})")
    m.hosts[0].set_clock(clock)


# -- power, controllers, links ---------------------------------------------------------------


def cut(m: RandomModel) -> None:
    """The power."""
    m.note("cut_power()")
    m.env.cut_power()


def restore(m: RandomModel) -> None:
    """The power."""
    boot = m.random.choice([0.0, 0.0, 1e-9, 0.01, 20.0])
    m.note(f"restore_power({boot})")
    m.others.append(m.env.restore_power(boot))


def change_battery(m: RandomModel) -> None:
    """Of a controller."""
    if (one := _controller(m)) is not None:
        state = m.random.choice(["good", "low", "learning", "absent"])
        m.note(f"{one.name}.set_battery({state})")
        one.set_battery(state)


def use_battery(m: RandomModel) -> None:
    """Of a controller: it is discharged for a while."""
    if (one := _controller(m)) is not None:
        call = m.random.choice(["learn", "drain"])
        m.note(f"{one.name}.{call}()")
        m.others.append(getattr(one, call)(m.random.choice([0.0, 1e-3, 0.1])))


def stop_controller(m: RandomModel) -> None:
    """At once, with or without a partner."""
    if (one := _controller(m)) is None:
        return
    if m.random.random() < 0.5:
        m.note(f"{one.name}.fail()")
        one.fail()
        return
    partner = m.random.choice(m.controllers)
    outage, mirrored = m.random.choice([0.0, 1e-9, 1e-3, 0.05]), m.random.random() < 0.5
    m.note(f"{one.name}.fail_over({partner.name}, {outage}, {mirrored})")
    m.others.append(one.fail_over(partner, outage, mirrored))


def mend_controller(m: RandomModel) -> None:
    """What was failed, or failed over."""
    if (one := _controller(m)) is not None:
        call = m.random.choice(["repair", "fail_back"])
        m.note(f"{one.name}.{call}()")
        getattr(one, call)()


def deal_with_pinned(m: RandomModel) -> None:
    """What waits for an array that was lost."""
    if (one := _controller(m)) is not None:
        call = m.random.choice(["import_cache", "discard_cache"])
        m.note(f"{one.name}.{call}()")
        getattr(one, call)()


def change_link(m: RandomModel) -> None:
    """It is lost, or there again."""
    if m.links:
        link, call = m.random.choice(m.links), m.random.choice(["lose", "restore"])
        m.note(f"{link.name}.{call}()")
        getattr(link, call)()


def use_front(m: RandomModel) -> None:
    """Of a hybrid, again."""
    if m.hybrids:
        hybrid, empty = m.random.choice(m.hybrids), m.random.random() < 0.5
        m.note(f"{hybrid.name}.use_front({empty})")
        hybrid.use_front(empty=empty)


# -- what is looked at -------------------------------------------------------------------------


def look(m: RandomModel) -> None:
    """All figures, which must be possible ones."""
    m.note("look")
    for use in m.env.stations:
        if not -1e-9 <= use.utilisation <= 1 + 1e-9:
            raise Fault(f"{use.name} is used {use.utilisation}")
    assert m.env.window >= 0
    assert m.env.power in ("on", "off", "coming")
    m.env.limited_by  # noqa: B018
    for volume in m.every:
        found = volume.iops, volume.mbps, volume.latency("read"), volume.power, volume.throttled
        assert found[0] >= 0
        assert repr(volume)
        assert volume.health in ("optimal", "degraded", "rebuilding", "failed")
        assert volume.stations is not None
        for drive in volume.drives:
            assert drive is not None
        for operation in volume.operations:
            if not 0 <= operation.progress <= 1:
                raise Fault(f"{operation!r} is through {operation.progress}")
            assert repr(operation)
            assert operation.simulated_seconds >= 0
            assert operation.found >= operation.repaired >= 0
    for hybrid in m.hybrids:
        assert hybrid.figures is not None
        assert hybrid.dirty >= 0
    for controller in m.controllers:
        assert controller.use is not None
        assert all(size > 0 for size in controller.pinned.values())
    for running in m.loads:
        assert running.iops >= 0
        assert repr(running)
    if m.random.random() < 0.3:
        m.env.reset_window()


ACTIONS: dict[Action, int] = {
    wait: 40, read_or_write: 25, flush: 4, start: 8, stop: 4, trim: 2, fail: 8, mend: 10,
    mend_several: 5, go_through: 8, change_operation: 8, add_defects: 3, slow_down: 2,
    set_speed: 2, set_air: 1, set_clock: 1, cut: 5, restore: 9, change_battery: 3, use_battery: 2,
    stop_controller: 4, mend_controller: 6, deal_with_pinned: 3, change_link: 5, use_front: 2,
    look: 4,
}  # fmt: skip
"""All actions, and how often each is done among the others."""

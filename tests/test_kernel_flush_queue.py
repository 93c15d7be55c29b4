"""Flushes of drives on SATA and SAS: one at a time, which serves many, and on SATA alone."""

from __future__ import annotations

import random

import pytest
from small_array import KIB, MS, TOY, US, SmallArray, takes

from raidsim import Environment, Host, Load, Volume
from raidsim.kernel import tables as t

GATHERED = {"disks.flushes": "gathered"}
EACH = {"disks.flushes": "each"}
FLUSH = takes(0)
WRITE = takes(4 * KIB)
SEED = 20261126
FORCED = {"read": "0 %", "fua": True, "limit": {"ios": 10}}


def drives(interface="sas", host=GATHERED, *loads, level="jbod", number=1, depth=8, cores=8):
    """A drive whose every command takes 1 ms of one of its cores, or an array of such drives."""
    card = {"link.interface": interface, "command.queue_depth": depth, "front_end.cores": cores}
    return SmallArray(level, number, *loads, host=host, drive=TOY | card)


def ended(array, *tickets):
    """When each ended, in ns; all have."""
    array.rest()
    array.assert_at_rest()
    found = [array.back[ticket] for ticket in tickets]
    assert all(one.status == t.DONE for one in found)
    return [one.completed for one in found]


def write(array, block=0):
    return array.start(t.WRITE, block * 4 * KIB, 4 * KIB)


def flush(array):
    return array.start(t.FLUSH, 0, 0)


@pytest.mark.parametrize("interface", ["sas", "sata"])
def test_flushes_that_come_during_one_share_the_next(interface):
    """Ten are asked for at the same instant: the first goes alone, the second serves nine."""
    array = drives(interface)
    found = ended(array, *(flush(array) for _ in range(10)))
    assert found == [FLUSH] + [2 * FLUSH] * 9


def test_without_that_each_is_a_command():
    array = drives(host=EACH, cores=1)
    found = ended(array, *(flush(array) for _ in range(4)))
    assert found == [FLUSH + number * MS for number in range(4)]


def test_a_flush_is_never_answered_by_one_that_began_before_it():
    """What was written after the first one began is safe with the second one only."""
    array = drives()
    first = flush(array)
    array.until(FLUSH // 2)
    second = flush(array)
    assert ended(array, first, second) == [FLUSH, 2 * FLUSH]


def test_a_sas_drive_takes_other_commands_during_a_flush():
    array = drives("sas")
    found = ended(array, flush(array), write(array))
    assert found == [FLUSH, WRITE]


def test_a_sata_drive_takes_none():
    """The write waits for the flush, and a flush for the writes that are in the drive."""
    array = drives("sata")
    assert ended(array, flush(array), write(array)) == [FLUSH, FLUSH + WRITE]
    array = drives("sata")
    found = ended(array, write(array), flush(array), write(array, 1))
    assert found == [WRITE, WRITE + FLUSH, WRITE + FLUSH + WRITE]


@pytest.mark.parametrize("host", [GATHERED, EACH])
def test_that_is_so_whatever_the_host(host):
    """With others than Linux each flush is a command, and a write comes behind the first."""
    array = drives("sata", host=host)
    found = ended(array, *(flush(array) for _ in range(3)), write(array))
    first, *others, written = found
    assert (first, written) == (FLUSH, FLUSH + WRITE)
    rounds = [1, 1] if host is GATHERED else [1, 2]
    assert others == [FLUSH + WRITE + number * FLUSH for number in rounds]


def test_commands_that_stood_aside_go_before_the_next_flush():
    """So that flushes without end keep no write from its turn."""
    array = drives("sata")
    first = flush(array)
    second = flush(array)
    found = ended(array, first, write(array), second)
    assert found == [FLUSH, FLUSH + WRITE, FLUSH + WRITE + FLUSH]


def test_after_a_flush_all_slots_are_used_again():
    """Eight slots, sixteen writes that came during a flush: two rounds of eight."""
    array = drives("sata")
    first = flush(array)
    found = ended(array, first, *(write(array, block) for block in range(16)))
    link = 4 * KIB  # ns, one write after the other
    assert found[1:9] == [FLUSH + WRITE + place * link for place in range(8)]
    assert found[-1] < FLUSH + 2 * WRITE + 16 * link


def test_a_drive_that_fails_meanwhile_answers_no_flush():
    array = drives()
    tickets = [flush(array) for _ in range(3)]
    array.until(FLUSH + 1)
    array.fail(0)
    array.rest()
    array.assert_at_rest()
    assert [array.back[ticket].status for ticket in tickets] == [t.DONE, t.FAILED, t.FAILED]


def test_an_array_gathers_the_flushes_of_each_member():
    array = drives("sata", level="raid1", number=2)
    found = ended(array, *(flush(array) for _ in range(5)))
    assert found == [FLUSH] + [2 * FLUSH] * 4


def test_an_nvme_drive_has_as_many_queues_as_there_are_cores():
    """Nothing is gathered there."""
    array = SmallArray("jbod", 1, host=GATHERED, model="samsung-970-evo-plus-500gb", drive={})
    assert array.drives["flush_queue"][0] == t.NONE


@pytest.mark.parametrize(
    ("interface", "host", "flushes"),
    [("sata", GATHERED, 1), ("sas", GATHERED, 0), ("sata", EACH, 0)],
)
def test_linux_flushes_after_each_forced_write_to_a_sata_drive_of_its_own(interface, host, flushes):
    """Such a drive is sent no forced writes by default (libata.fua)."""
    array = drives(interface, host, FORCED)
    array.begin()
    array.rest()
    array.assert_at_rest()
    assert array.device_ios() == [10 * (1 + flushes)]
    assert array.system.now == 10 * (WRITE + flushes * FLUSH)
    assert array.system.state["completed"] == 10
    assert array.drives["host_written"][0] == 10 * 4 * KIB


def test_a_forced_write_fails_with_the_drive_that_was_to_flush_it():
    array = drives("sata", GATHERED, FORCED)
    array.begin()
    array.until(10 * WRITE + 9 * FLUSH + FLUSH // 2)
    array.fail(0)
    array.rest()
    array.assert_at_rest()
    assert array.system.world.streams["failed"].sum() == 1


@pytest.mark.parametrize("interface", ["sas", "sata"])
def test_any_mix_comes_to_an_end_and_no_flush_is_sent_twice(interface):
    """Reads, writes and flushes at any time; a drive never has two flushes, nor, on SATA, more."""
    print("seed", SEED)
    numbers = random.Random(SEED)
    array = drives(interface, depth=4, cores=2)
    tickets = []
    for _ in range(300):
        op = numbers.choice([t.READ, t.WRITE, t.WRITE, t.FLUSH])
        length = 0 if op == t.FLUSH else 4 * KIB
        tickets.append(array.start(op, numbers.randrange(1000) * 4 * KIB, length))
        array.until(array.system.now + numbers.randrange(1, 1500) * US)
        jobs = array.system.world.jobs
        inside = jobs[(jobs["stage"] == t.STAGE_COMMAND_DECODED) & (jobs["drive"] == 0)]
        flushes = int((inside["op"] == t.FLUSH).sum())
        assert flushes <= 1
        assert interface == "sas" or flushes == 0 or len(inside) == 1
    ended(array, *tickets)


@pytest.mark.parametrize("model", ["intel-s3700-800gb", "samsung-pm1643-3840gb"])
def test_after_a_power_cut_flushes_are_gathered_anew(model):
    """Four workers with a flush after each write: cut at any time, and as fast afterwards."""
    env = Environment(seed=SEED)
    data = Volume(env, model, Host(env, "linux-xeon-e5-pair"))
    load = data.start(Load(read="0 %", size="4 KiB", outstanding=1, workers=4, flush_every=1))

    def writes_in(seconds):
        before = load.counts.completed
        env.run(until=env.now + seconds)
        return load.counts.completed - before

    first = writes_in(0.003)
    env.cut_power()
    assert writes_in(0.01) == 0
    env.run(env.restore_power())
    assert writes_in(0.003) == pytest.approx(first, rel=0.1)


def test_a_forced_write_is_not_acknowledged_to_its_host_before_its_flush_is_back():
    """So a power cut between them loses nothing that anybody counts on."""
    card = TOY | {"link.interface": "sata", "buffer.protected": False}
    array = SmallArray("jbod", 1, FORCED, host=GATHERED, drive=card)
    array.begin()
    for step in range(1, 40):
        array.until(step * (WRITE + FLUSH) // 4)
        assert array.drives["unsafe"][0] - array.drives["withheld"][0] <= 0
    array.rest()
    array.assert_at_rest()
    assert array.drives["withheld"][0] == 0
    assert array.drives["unsafe_peak"][0] == 0

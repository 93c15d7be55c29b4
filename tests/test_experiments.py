"""Which measurement would tell a value that a card does not know."""

from __future__ import annotations

import pytest

from raidsim import cards
from raidsim.cards.attributes import KINDS
from raidsim.fio.job_file import read_jobs
from raidsim.studies.experiments import _SHOWN_BY, experiment_for, load_for


@pytest.mark.parametrize("kind", KINDS)
def test_for_every_number_of_a_card_there_is_a_load_that_fio_can_play(kind, tmp_path) -> None:
    card = next(card for card in cards.catalogue() if card.kind == kind)
    for attribute in card.about.attributes:
        if not attribute.is_number:
            continue
        assert load_for(kind, attribute.name).words
        path = tmp_path / "job.fio"
        path.write_text(experiment_for(card, attribute.name).job)
        *before, job = read_jobs(path)
        assert {one.options["direct"] for one in (*before, job)} == {"1"}
        assert bool(before) == ("written full" in load_for(kind, attribute.name).words)
        assert ("OVERWRITES" in path.read_text()) == ("read" not in job.options["rw"])


@pytest.mark.parametrize("name", ["flash.erase_time", "data_path.turnaround"])
def test_a_job_on_a_used_drive_brings_the_drive_into_that_state_first(name, tmp_path) -> None:
    """It measured a new drive, and only its comment spoke of a full one."""
    card = next(card for card in cards.catalogue() if card.kind == "ssd")
    path = tmp_path / "job.fio"
    path.write_text(experiment_for(card, name).job)
    fill, wear, job = read_jobs(path)
    assert [one.options["rw"] for one in (fill, wear)] == ["write", "randwrite"]
    for one in (fill, wear):
        assert one.options["size"] == "100%"
        assert "runtime" not in one.options
    for one in (wear, job):
        assert one.options["stonewall"] == "1"
    assert job.options["ramp_time"] == "600"
    assert "size" not in job.options


def test_a_job_that_reads_flash_says_that_there_must_be_data() -> None:
    ssd, disk = (
        next(card for card in cards.catalogue() if card.kind == kind) for kind in ("ssd", "hdd")
    )
    assert "must have been written full" in experiment_for(ssd, "flash.read_time").job
    assert "written full" not in experiment_for(disk, "seek.read_settle_time").job


@pytest.mark.parametrize("kind", KINDS)
def test_no_row_of_the_table_of_loads_is_without_effect(kind) -> None:
    rows = _SHOWN_BY[kind]
    for place, (start, load) in enumerate(rows):
        earlier = (one for one, _ in rows[:place])
        assert not any(start.startswith(one) for one in earlier), f"{start} is never reached"
        later = (one for begin, one in rows[place + 1 :] if start.startswith(begin))
        assert next(later, None) != load, f"{start} says what a later row says"


def test_what_a_disk_sorts_is_told_by_random_reads_at_32() -> None:
    found = experiment_for(cards.load("nl-sas-2tb"), "queue.window")
    assert found.text == "measure random reads of 4 KiB, 32 outstanding, on one drive"
    assert "rw=randread\nbs=4k\niodepth=32\n" in found.job

"""What is said of a scenario that cannot be run: one thing wrong, and a way to put it right."""

from __future__ import annotations

import re

import pytest

from raidsim import scenario
from raidsim.errors import InputError


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["schema=1"], "schema: says how a file is written, and is not a key that can be set"),
        (["volume[3].drives=4"], "there is only one of them, which has the number 0"),
        (["load.area.size=600 GiB"], "ends at 644.2 GB, beyond the volume of 513.9 GB"),
        (
            ["load.area.size=8 GiB", "load.size=16 GiB", "load.align=4 KiB"],
            "of 8 GiB holds no request of 16 GiB; make it larger, or the requests smaller",
        ),
        (
            ["load.area.size=8 GiB", "load.size=1 TiB", "load.align=4 KiB"],
            "make the requests smaller: the volume has 513.9 GB",
        ),
        (["volume.drives=1"], "RAID 5 of one drive; it needs at least 3"),
    ],
)
def test_a_message_says_what_is_wrong_in_the_words_of_a_reader(
    changes: list[str], words: str
) -> None:
    with pytest.raises(InputError) as refused:
        scenario.load("raid5-disks", overrides=changes)
    assert words in str(refused.value)


@pytest.mark.parametrize("change", ["volume.drive=dell-perc-h730", "host.model=dell-perc-h730"])
def test_a_card_of_another_kind_is_answered_by_a_few_names_of_two_hundred(change: str) -> None:
    with pytest.raises(InputError) as refused:
        scenario.load("raid5-disks", overrides=[change])
    assert "raidsim models lists all" in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    ("table", "key", "name"),
    [
        ("load", "iodepth = 32", "outstanding"),
        ("load", "threads = 4", "workers"),
        ("load", 'bs = "4k"', "size"),
        ("load", "sync = true", "fua"),
        ("load", "fsync = 1", "flush_every"),
        ("volume", 'chunk = "512 KiB"', "strip"),
        ("volume", "disks = 8", "drives"),
        ("hybrid", 'block_size = "64 KiB"', "block"),
    ],
)
def test_keys_as_fio_and_mdadm_call_them_are_answered_with_their_names_here(
    table: str, key: str, name: str
) -> None:
    """``threads`` was taken for a slip of ``read``, and ``force`` for one of ``once``."""
    with pytest.raises(InputError, match=f'unknown key; it is called "{name}" here'):
        scenario.load_text(f"[[{table}]]\n{key}\n")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ('rw = "randread"', 'write read = "100 %" and random = "100 %"'),
        ('runtime = "60 s"', 'write limit = { time = "60 s" }'),
    ],
)
def test_what_fio_says_in_one_key_is_written_as_a_scenario_has_it(key: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"unknown key; {words}")):
        scenario.load_text(f"[[load]]\n{key}\n")
    written = words.removeprefix("write ").replace(" and ", "\n")
    rest = 'size = "4 KiB"\noutstanding = 1\n' + ("" if "read" in written else 'read = "50 %"\n')
    system = '[host]\nmodel = "linux-pc"\n[[volume]]\ndrive = "wd-red-3tb"\n'
    assert scenario.load_text(f"{system}[[load]]\n{rest}{written}\n").loads

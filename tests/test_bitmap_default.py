"""What an array notes of writes where a scenario does not say: what mdadm does when it makes one.

mdadm gives an array with redundancy an internal bitmap if its members have more than 100 GiB
(``Create.c``), however large the array is.
"""

from __future__ import annotations

import pytest

from raidsim import Environment, Host, Volume
from raidsim.scenario import load_text

LINUX, WINDOWS = "intel-xeon-8380-pair", "fujitsu-rx2540-m1"
LARGE, SMALL = "intel-p4510-4tb", "seagate-st373455ss"  # 4 TB, 73 GB
BORDER = 100 * 2**30


def intent(host=LINUX, level="raid5", drive=LARGE, **keys):
    """What a volume of a scenario notes."""
    text = f'[host]\nmodel = "{host}"\n'
    if keys.get("controller"):
        text += '[[controller]]\nname = "card"\nmodel = "lsi-megaraid-1078-512"\n'
    text += f'[[volume]]\ndrive = "{drive}"\nlevel = "{level}"\ndrives = 4\n'
    text += "".join(f"{key} = {value}\n" for key, value in keys.items())
    text += '[[load]]\nread = "0 %"\nsize = "4 KiB"\noutstanding = 1\n'
    return load_text(text).volumes[0].intent


@pytest.mark.parametrize("level", ["raid1", "raid4", "raid5", "raid6", "raid10"])
def test_an_array_of_large_members_has_a_bitmap_under_linux(level):
    assert intent(level=level) == "bitmap"
    assert intent(level=level, drive=SMALL) == "none"
    assert intent(level=level, host=WINDOWS) == "none"


@pytest.mark.parametrize("level", ["raid0", "jbod"])
def test_an_array_without_redundancy_has_none(level):
    assert intent(level=level) == "none"


def test_members_of_100_gib_and_more_have_one():
    """Whole sectors on both sides of the border."""
    for size, found in ((BORDER - 512, "none"), (BORDER, "bitmap")):
        assert intent(set=f'{{"capacity.user" = "{size / 1e9:.12f} GB"}}') == found


def test_a_volume_that_says_what_it_notes_is_believed():
    assert intent(intent='"none"') == "none"
    assert intent(intent='"journal"') == "journal"
    assert intent(drive=SMALL, intent='"bitmap"') == "bitmap"


def test_a_controller_notes_nothing():
    keys = {"drive": "seagate-st8000nm000a", "controller": '"card"', "strip": '"64 KiB"'}
    assert intent(host=LINUX, level="raid5", **keys) == "none"


def test_volumes_of_simpy_have_it_too():
    env = Environment(seed=1)
    linux = Host(env, LINUX)
    assert Volume(env, LARGE, linux, name="a", level="raid1", drives=2).intent == "bitmap"
    plain = Volume(env, LARGE, linux, name="b", level="raid1", drives=2, intent="none")
    assert plain.intent == "none"


def test_a_result_says_what_was_noted():
    """A default that the host's card decides is written out, and can be loaded again."""
    text = f'[host]\nmodel = "{LINUX}"\n[[volume]]\ndrive = "{LARGE}"\n'
    text += 'level = "raid1"\ndrives = 2\n'
    spec = load_text(text + '[[load]]\nread = "0 %"\nsize = "4 KiB"\noutstanding = 1\n')
    (volume,) = spec.resolved()["volume"]
    assert volume["intent"] == "bitmap"

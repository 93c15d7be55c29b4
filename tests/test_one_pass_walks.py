"""Drives fail, come back and are filled in any order while a host writes: no byte is lost.

After each instant all that the array relies on is looked at, byte by byte.
"""

from __future__ import annotations

import random

import pytest
from conftest import compiled_only
from filled_bytes import Filled

MD = {"raid.stripe_cache": 256}
ARRAYS = {
    "RAID 6": ("raid6", 5, 2, {"host": MD, "spares": 1}),
    "RAID 6, strip by strip": ("raid6", 6, 2, {}),
    "RAID 1 of four": ("raid1", 4, 3, {"spares": 2}),
    "RAID 10 of three copies": ("raid10", 6, 2, {"copies": 3, "spares": 1}),
    "RAID 50": ("raid50", 6, 1, {"spares": 1}),
    "RAID 60": ("raid60", 8, 2, {"host": MD}),
}
SWAPS = 0.0, 0.03
"""Seconds in which a drive is swapped: what was sent to the old one is back by then, or is not."""
ACTS = {"wait": 10, "fail": 4, "replace": 6, "rebuild": 2, "change": 4, "cut": 1}


class Walk:
    """One array, and what is done to it at random."""

    def __init__(self, name: str, seed: int) -> None:
        level, drives, tolerated, words = ARRAYS[name]
        self.data = Filled(level, drives, seed, **words)
        self.volume = self.data.volume
        self.tolerated = tolerated
        self.random = random.Random(seed)
        self.diary: list[str] = []

    def go(self, steps: int) -> None:
        """Do so many things, then mend all that is broken."""
        try:
            for _ in range(steps):
                (act,) = self.random.choices(list(ACTS), list(ACTS.values()))
                getattr(self, act)()
            self.mend()
        except Exception as error:
            error.add_note("\n".join(self.diary))
            raise

    def note(self, text: str) -> None:
        self.diary.append(f"{self.data.env.now:.6f} s: {text}")

    @property
    def missing(self) -> list[int]:
        every = range(self.volume.spec.drives)
        return [number for number in every if not self.volume._drives.is_whole(number)]

    @property
    def under_way(self) -> list:
        return [one for one in self.volume.operations if not one.is_over]

    def wait(self) -> None:
        """Some instants, now and then with a write of the host in each few."""
        every = self.random.choice([0, 30, 60])
        for number in range(self.random.choice([1, 3, 20, 100, 200])):
            if every and number % every == 0:
                self.data.write_somewhere()
            self.data.step()

    def fail(self) -> None:
        """A drive, if no data is lost with it."""
        missing = self.missing
        number = self.random.choice([*missing, self.random.randrange(self.volume.spec.drives)])
        if number in missing or len(missing) < self.tolerated:
            self.note(f"fail {number}")
            self.volume.fail(number)

    def swap(self) -> None:
        """It takes a while to swap a drive, or none at all."""
        until = self.data.env.now + self.random.choice(SWAPS)
        while self.data.env.now < until and self.data.step():
            pass

    def replace(self) -> None:
        """One of the drives that have failed, or all of them."""
        self.swap()
        failed = self.volume.failed
        self.random.shuffle(failed)
        for number in failed[: self.random.choice([1, 9])]:
            self.note(f"replace {number}")
            self.data.replace(number)

    def rebuild(self) -> None:
        """What does not hold all that it should, though it works."""
        rebuilt = [one.drive for one in self.under_way]
        for number in self.missing:
            if number not in rebuilt and number not in self.volume.failed:
                self.note(f"rebuild {number}")
                self.volume.rebuild(number)

    def change(self) -> None:
        """Something that is under way."""
        if self.under_way:
            one = self.random.choice(self.under_way)
            call = self.random.choice(["pause", "pause", "resume", "resume", "resume", "stop"])
            self.note(f"{call} {one.kind} of {one.drive}")
            getattr(one, call)()

    def cut(self) -> None:
        """The power, once no write of the host is under way: a cut would tear it."""
        while any(not one[3].triggered for one in self.data.contents):
            self.data.step()
        self.note("cut")
        self.data.env.cut_power()
        if self.random.random() < 0.3:
            self.fail()
        for number in self.volume.failed:
            if self.random.random() < 0.3:
                self.data.replace(number)
        if self.random.random() < 0.3:
            self.change()
        self.data.env.restore_power()

    def mend(self) -> None:
        """Let all go on, and fill all that is missing."""
        self.note("mend")
        self.swap()
        for one in self.under_way:
            one.resume()
        for number in self.volume.failed:
            self.data.replace(number)
        self.data.rest()
        self.rebuild()
        self.data.rest()
        self.data.assert_right()
        assert not self.under_way


@compiled_only
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ARRAYS)
def test_no_byte_is_lost(name, seed):
    Walk(name, seed).go(25)

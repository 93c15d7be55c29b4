"""How fast a drive of a personal computer writes behind its SLC cache: sheets do not print it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from raidsim import cards
from raidsim.calibrate.first_guess import first_guess
from raidsim.cards.loader import read_card
from raidsim.cards.stub import stub

NAME = "sequential-write-behind-cache"
LIKE = "samsung-970-evo-plus-500gb"
A_REVIEW = 490e6
"""Bytes/s of a Kingston A2000 of 1 TB behind its cache, as Tom's Hardware has them."""


def stub_text(*, slc_cache: bool) -> str:
    base = cards.load(LIKE)
    return stub("ssd", "n", base, place=Path("n.toml"), like_name=LIKE, slc_cache=slc_cache)


def figure_of(text: str) -> str:
    """The lines of the figure, without their comment signs."""
    (lines,) = re.findall(rf'# \[\[rated\.performance\]\]\n# name = "{NAME}"\n(?:# .*\n)+', text)
    return re.sub("^# ", "", lines, flags=re.M)


def test_only_a_drive_with_an_slc_cache_is_asked_how_fast_it_is_behind_it() -> None:
    assert NAME in stub_text(slc_cache=True)
    assert NAME not in stub_text(slc_cache=False)


def test_what_a_review_measures_behind_the_cache_is_the_time_of_a_program() -> None:
    """All dies program two planes of 16 KiB at a time: that over the rate is the time of one."""
    text = stub_text(slc_cache=True)
    filled = figure_of(text).replace("value = ...", f"value = {A_REVIEW / 1e6:g}")
    card = read_card(text.replace("\n[link]", f"\n{filled}\n[link]", 1), "n.toml")
    assert card.rated is not None
    (figure,) = card.rated.performance
    assert (figure.state, figure.value) == ("sustained", pytest.approx(A_REVIEW))
    dies = card.integer("flash.channels") * card.integer("flash.dies_per_channel")
    at_once = dies * 2 * 16 * 1024
    assert first_guess(card, [figure])["flash.program_time"] == pytest.approx(at_once / A_REVIEW)

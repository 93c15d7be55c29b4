"""Every question of every lesson, worked for 20 seeds; and what a lesson has to have."""

import math
import re
from functools import cache

import pytest

from raidsim.lessons import catalogue
from raidsim.teaching.interview import TRIES, Interview
from raidsim.teaching.marking import UnreadableError, is_right, mark, read_answer
from raidsim.teaching.runs import simulate
from raidsim.teaching.sheet import draw, letter, shown

SEEDS = range(1, 21)
LEAST = 16  # lessons


@cache
def sheets(name):
    """Each question with each set of numbers that any of the seeds draws, once."""
    lesson = catalogue.lesson(name)
    found = {}
    for seed in SEEDS:
        for asked in draw(lesson, seed):
            found.setdefault((asked.number, repr(asked.given.values)), asked)
    return list(found.values())


@pytest.mark.parametrize("name", catalogue.NAMES)
def test_a_lesson_has_what_a_lesson_needs(name):
    lesson = catalogue.lesson(name)
    assert lesson.name == name
    assert len(lesson.questions) >= 5
    assert sum(question.only_by_running for question in lesson.questions) >= 2
    assert any(question.predict for question in lesson.questions)
    assert any(question.mistakes for question in lesson.questions)
    assert all(q.read or q.simulated for q in lesson.questions), "each is simulated"
    assert all((lesson.sources, lesson.simplifications, lesson.disagreements))
    assert 15 <= sum(1 + len(line) // 96 for line in lesson.text.splitlines()) <= 40, "a screen"
    assert all(len(line) <= 96 for line in lesson.text.splitlines() if line.startswith("    "))


@pytest.mark.parametrize("name", catalogue.NAMES)
def test_simulation_and_closed_form_agree_and_right_answers_are_marked_right(name):
    for asked in sheets(name):
        where = f"{name}, question {asked.number}, {asked.given.values}"
        for text in (asked.ask, asked.way, asked.hint, *asked.options):
            assert text, where
            assert not re.search(r"\bNone\b|\bnan\b|\binf\b", text), where
        answers = [value for value in (asked.hand, asked.simulated) if value is not None]
        assert answers, where
        assert all(math.isfinite(value) for value in answers), where
        if len(answers) == 2:
            far = abs(answers[1] - answers[0]) / max(abs(answers[0]), 1e-9)
            assert far <= max(asked.question.agrees, 1e-9), f"{where}: {answers}"
        typed = letter(int(asked.answer)) if asked.options else repr(asked.answer)
        assert mark(asked, read_answer(asked, typed)).right, where


@pytest.mark.parametrize("name", catalogue.NAMES)
def test_known_mistakes_are_wrong_and_get_their_own_hint(name):
    hinted = 0
    for asked in sheets(name):
        where = f"{name}, question {asked.number}, {asked.given.values}"
        for value, hint in asked.hints_of_mistakes():
            if value < 0:  # with these numbers it is no mistake
                continue
            found = mark(asked, value)
            assert not found.right, where
            assert found.known, where
            assert found.hint in [text for _, text in asked.hints_of_mistakes()], where
            hinted += hint == found.hint and hint != asked.hint
    assert hinted


def ways(name, number):
    """How one comes to the answer of a question, for each set of its numbers, on one line."""
    found = [asked for asked in sheets(name) if asked.number == number]
    assert len(found) > 1
    return [(asked, " ".join(asked.way.split())) for asked in found]


def figure(text, pattern):
    """The number that a pattern finds in a text."""
    (found,) = re.findall(pattern, " ".join(text.split()))
    return float(found.replace(",", ""))


def test_the_time_of_a_read_is_the_sum_of_its_parts_and_what_the_disk_takes():
    text = catalogue.lesson("disk-time").text
    parts, total = re.findall(r"that makes ([\d. +]+) = ([\d.]+) ms", text)[0]
    assert sum(map(float, parts.split("+"))) == pytest.approx(float(total), abs=0.01)
    measured = simulate(catalogue.lesson("disk-time").system)
    assert measured.latency_ms["read"].mean == pytest.approx(float(total), rel=0.01)
    rate = figure(text, r"so (\d+) reads in a second")
    assert measured.iops.mean == pytest.approx(rate, rel=0.01)


def test_two_lessons_say_the_same_of_the_same_disk():
    of_data = figure(catalogue.lesson("queues").text, r"([\d.]+) ms for the data")
    assert f"+ {of_data} +" in catalogue.lesson("disk-time").text


def test_what_a_small_cache_answers_is_said_of_the_one_that_was_drawn():
    for asked, way in ways("caching", 4):
        size = figure(way, r"A cache of ([\d.]+) % of the data")
        times = figure(way, r"answers ([\d.]+) times as many")
        assert size * times == pytest.approx(asked.hand, rel=0.01)


def test_further_copies_are_waited_for_where_they_make_a_write_longer():
    for asked, way in ways("mirrors", 6):
        assert ("one more drive to wait for" in way) == (asked.simulated > 1.03)
        assert ("X stays what it is" in way) == (asked.simulated <= 1.03)


def test_the_rule_of_rebuilds_is_said_to_be_as_far_off_as_it_is():
    for asked, way in ways("rebuild", 3):
        off = 100 * (asked.hand / asked.simulated - 1)
        if "the rule holds" in way:
            assert abs(off) < 3
        else:
            sign, words = (-1, "little") if off < 0 else (1, "much")
            said = figure(way, rf"gives (\d+) % too {words}")
            assert sign * said == pytest.approx(off, abs=0.6)


def test_a_full_cache_gains_the_less_the_more_writes_are_outstanding():
    gains = {asked.given.q: asked.simulated for asked, _ in ways("write-back", 6)}
    assert "16 writes outstanding that is worth a factor of nearly three" in " ".join(
        catalogue.lesson("write-back").text.split()
    )
    assert 2.5 < gains[16] < 3
    assert [gains[q] for q in sorted(gains)] == sorted(gains.values(), reverse=True)


def test_more_spare_area_makes_no_drive_faster_that_the_cpu_limits():
    rates = {asked.given.spare: asked.simulated for asked, _ in ways("flash", 4)}
    for asked, way in ways("flash", 4):
        slower = rates[asked.given.spare] < 0.98 * max(rates.values())
        assert ("not enough" in way) == slower
    for asked, way in ways("flash", 6):
        slower = rates[asked.given.spare] < 0.98 * max(rates.values())
        assert ("would make it faster" in way) == slower


def test_a_third_failure_is_reckoned_with_only_where_there_is_one():
    for asked, way in ways("nested", 3):
        assert ("third" in way) == (asked.given.failures == 3)


def test_what_ten_times_as_much_ageing_costs_lies_between_both_orders():
    for _, way in ways("scheduling", 6):
        now = figure(way, r"and ([\d,]+) IO/s in place of")
        ten = figure(way, r"falls to ([\d,]+) IO/s")
        fifo = figure(way, r"on its way to the ([\d,]+) of fifo")
        assert fifo < ten < 0.8 * now


def test_there_are_the_lessons_that_a_course_needs():
    assert len(catalogue.lessons()) >= LEAST
    assert len({lesson.title for lesson in catalogue.lessons()}) == len(catalogue.NAMES)


def test_a_seed_draws_the_same_numbers_everywhere_and_others_draw_others():
    lesson = catalogue.lesson("queues")
    assert [a.given.values for a in draw(lesson, 3)] == [a.given.values for a in draw(lesson, 3)]
    drawn = {repr([a.given.values for a in draw(lesson, seed)]) for seed in SEEDS}
    assert len(drawn) > 15
    # Written down once: hashes do not depend on the version of Python.
    assert next(a.given.values for a in draw(lesson, 1)) == {"q": FIRST_OF_QUEUES}


FIRST_OF_QUEUES = 4


def of(name, number, seed=1):
    return draw(catalogue.lesson(name), seed)[number - 1]


def test_answers_are_read_with_and_without_units():
    in_ms = of("queues", 1)
    for text in ("12.5", "12.5 ms", "0.0125 s", "12500 us", "25/2", "1.25e1"):
        assert read_answer(in_ms, text) == pytest.approx(12.5)
    assert read_answer(of("queues", 2), "40 %") == pytest.approx(40)
    assert read_answer(of("small-write", 1), "1,024") == 1024


@pytest.mark.parametrize("text", ["", "many", "12 apples", "1/0", "1e999", "12 s 3", "--5"])
def test_what_is_no_answer_is_said_to_be_none(text):
    with pytest.raises(UnreadableError):
        read_answer(of("queues", 1), text)


def test_a_choice_is_read_by_letter_or_word():
    asked = of("scheduling", 3)
    assert read_answer(asked, " D) ") == 3
    assert read_answer(asked, "SPTF") == 3
    with pytest.raises(UnreadableError):
        read_answer(asked, "7")


def test_the_tolerance_is_a_share_of_the_answer():
    asked = of("queues", 1)
    assert is_right(asked, asked.answer * 1.049)
    assert not is_right(asked, asked.answer * 1.06)


def test_an_exact_question_takes_nothing_else():
    asked = of("small-write", 2)
    assert is_right(asked, 3.0)
    assert not is_right(asked, 3.01)


def test_a_conversation_hints_twice_and_then_tells():
    talk = Interview(catalogue.lesson("small-write"), 1)
    talk.reply("skip")
    (said,) = talk.reply("4")
    assert "Four holds from four drives on" in said
    assert "Hint:" in talk.reply("hint")[0]
    assert "not a number" in talk.reply("four")[0]
    for _ in range(TRIES - 2):
        talk.reply("9")
    assert any("by hand 3" in line for line in talk.reply("9"))
    assert talk.score() == "0 of 1 right."
    talk.reply("answer")
    talk.reply("5 ms")  # a prediction is not marked
    assert talk.marked == 2
    talk.reply("quit")
    assert talk.asked is None


def test_a_line_without_anything_is_no_answer_and_skips_nothing():
    talk = Interview(catalogue.lesson("small-write"), 1)
    first = talk.asked
    for typed in "", "  ":
        assert "Nothing was typed" in talk.reply(typed)[0]
    assert talk.asked is first


def test_the_numbers_of_a_way_give_the_answer_that_it_tells():
    """A reader takes a calculator to them: 16 / 180 is 88.9 ms, not 88.7."""
    for seed in range(6):
        (asked,) = (one for one in draw(catalogue.lesson("queues"), seed) if one.number == 1)
        under_way, rate, told = map(
            float, re.search(r"= (\d+) / (\d+) per second = ([\d.]+) ms", asked.way).groups()
        )
        assert told == float(f"{1000 * under_way / rate:.3g}")


def test_a_right_answer_counts():
    talk = Interview(catalogue.lesson("small-write"), 1)
    talk.reply("skip")
    assert talk.reply("3")[0] == "Right."
    assert talk.score() == "1 of 1 right."


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4.0, "4"),
        (6553.6, "6,550"),
        (0.053, "0.053"),
        (1234567.0, "1,230,000"),
        (2e-7, "2.00e-07"),
        (99.96, "100"),
    ],
)
def test_numbers_are_shown_with_three_figures(value, text):
    assert shown(value) == text


def test_equal_systems_are_run_once():
    system = catalogue.lesson("queues").system
    assert simulate(system, "load.outstanding=2") is simulate(system, "load.outstanding=2")

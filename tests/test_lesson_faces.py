"""Lessons in the terminal, as a page, on paper and in Moodle say the same."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import status

from raidsim.lessons import catalogue
from raidsim.report import lesson_files
from raidsim.report.lesson_page import blocks, page, question_data
from raidsim.scenario import load_text
from raidsim.teaching.marking import RULES, UnreadableError, mark, read_answer
from raidsim.teaching.sheet import draw, shown

QUICK = "queues"  # its runs take little


def test_the_list_names_every_lesson(capsys):
    assert status("lesson") == 0
    printed = capsys.readouterr().out
    assert [line.split()[0] for line in printed.splitlines()[: len(catalogue.NAMES)]] == list(
        catalogue.NAMES
    )


def test_without_a_terminal_questions_are_printed_and_answers_only_if_asked_for(capsys):
    assert status("lesson", QUICK, "--seed", "3") == 0
    without = capsys.readouterr().out
    assert all(asked.ask[:40] in without for asked in draw(catalogue.lesson(QUICK), 3))
    assert "Answer:" not in without
    assert status("lesson", QUICK, "--seed", "3", "--answers") == 0
    assert capsys.readouterr().out.count("Answer: ") == len(catalogue.lesson(QUICK).questions)


def test_in_a_terminal_it_asks_marks_and_says_how_many_were_right(capsys, monkeypatch):
    asked = draw(catalogue.lesson(QUICK), 1)
    typed = iter(["what?", "0.001", repr(asked[0].answer), "quit"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    assert status("lesson", QUICK) == 0
    printed = capsys.readouterr().out
    parts = ["That is not a number", "Not 0.001 ms", "Right.", "1 of 1 right."]
    assert [part for part in parts if part not in printed] == []
    assert asked[2].ask[:30] not in printed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("lesson", "quees"), 'did you mean "queues"?'),
        (("lesson", "--answers"), "--answers"),
        (("lesson", "--html", "x.html"), "--html"),
        (("lesson", QUICK, "--html", "x.pdf"), ".html"),
        (("lesson", QUICK, "--gift", "/nowhere/x.txt"), "/nowhere"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments, said, capsys):
    assert status(*arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize("name", catalogue.NAMES)
def test_the_commands_that_are_shown_change_what_the_system_has(name):
    lesson = catalogue.lesson(name)
    assert load_text(lesson.system).title
    for asked in draw(lesson, 1):
        for changes in asked.runs:
            load_text(lesson.system, overrides=list(changes))


def test_files_for_a_class_are_written_side_by_side(tmp_path):
    sheet, gift, system = (tmp_path / name for name in ("sheet.md", "q.gift", "s.toml"))
    files = ("--handout", str(sheet), "--gift", str(gift), "--system", str(system))
    assert status("lesson", QUICK, *files) == 0
    asked = draw(catalogue.lesson(QUICK), 1)
    handed, kept = sheet.read_text("utf-8"), (tmp_path / "sheet-answers.md").read_text("utf-8")
    for one in asked:
        assert one.ask in handed
        assert one.way in kept
        assert one.way not in handed
    assert load_text(system.read_text("utf-8"))


def gift_questions(text):
    """Title, question, answers: GIFT read as its description says, by characters."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith(("//", "$")))
    pattern = r"::((?:\\.|[^\\:])*)::((?:\\.|[^\\{}])*)\{((?:\\.|[^\\{}])*)\}"
    found = re.findall(pattern, body)
    assert not re.sub(pattern, "", body).strip(), "nothing is left over"
    return found


@pytest.mark.parametrize("name", ["queues", "scheduling", "nested", "loss"])
def test_gift_has_every_question_with_its_right_answer(name):
    asked = draw(catalogue.lesson(name), 2)
    found = gift_questions(lesson_files.gift(catalogue.lesson(name), 2))
    assert len(found) == len(asked)
    for one, (_, question, answers) in zip(asked, found, strict=True):
        assert question.replace("\\", "").startswith(one.ask.replace("\\", ""))
        if one.question.predict:
            assert answers.startswith("\n####")  # nothing to mark: answered in words
        elif one.options:
            (right,) = re.findall(r"^=(.*)$", answers, re.MULTILINE)
            assert right == one.options[int(one.answer)]
        else:
            # GIFT knows no exponents: 1.2e+06 is refused by its grammar.
            number = r"(-?\d+(?:\.\d+)?)"
            found = re.findall(rf"^=(?:%0%)?{number}:{number}(?:#|$)", answers, re.MULTILINE)
            assert len(found) == len(re.findall("^=", answers, re.MULTILINE))
            value, spread = map(float, found[0])
            assert abs(value - one.answer) <= spread + 1e-4 * abs(one.answer)


def test_the_page_needs_nothing_else_and_has_all_settings():
    lesson = catalogue.lesson(QUICK)
    text = page(lesson, 4)
    assert not re.search(r"(?:src|href)=|@import|url\(|fetch\(|XMLHttp", text)
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    settings = 1
    for knob in lesson.explore.knobs:
        settings *= len(knob.values)
    explore = data["explore"]
    assert len(explore["figures"]) == len(explore["commands"]) == settings
    assert all(value >= 0 for row in explore["figures"] for value in row)
    asked = draw(lesson, 4)
    assert [one["right"][0] for one in data["questions"]] == [one.answer for one in asked]
    assert shown(asked[0].answer) in data["questions"][0]["answer"][0]


def test_every_lesson_lets_something_be_turned_within_reason():
    for lesson in catalogue.lessons():
        settings = 1
        for knob in lesson.explore.knobs:
            settings *= len(knob.values)
            assert len(knob.values) > 1
            assert all("{value}" in change or "=" in change for change in knob.changes)
        assert 8 <= settings <= 100, lesson.name


def test_formulas_stand_apart_from_paragraphs():
    assert blocks("One\n\n    a = b\n    c = d\n\nTwo") == [
        ("p", "One"),
        ("pre", "a = b\nc = d"),
        ("p", "Two"),
    ]


def test_markup_in_a_text_is_text():
    assert "<b>" not in re.sub(r"<style.*?</style>|<script.*?</script>", "", page_of("<b>x</b>"))


def page_of(about):
    lesson = catalogue.lesson(QUICK)
    return page(replace(lesson, about=about), 4)


# ---------------------------------------------------------------- one set of rules, two languages

SCRIPT = Path(__file__).parents[1] / "raidsim" / "report" / "lesson_marking.js"
TYPED = (
    "12.5", " 12.5 ", "12.5 ms", "12.5ms", "0.0125 s", "12500 us", "12500 µs", "12500 μs", "25/2",
    "25 / 2 ms", "1.25e1", "+12.5", "-3", ".5", "5.", "1,024", "1_024", "1 024", "40 %", "0.4",
    "3 KiB", "2 GiB", "1.5 TB", "2 H", "", "many", "12 apples", "1/0", "1e999", "12 s 3", "--5",
    "12,5", "1,2345", "1/2/3", "3 MS", "b", "NaN", "Infinity", "0x10", "12.5.3",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    """What the script of a page says, run by another JavaScript engine than a browser's."""
    engine = pytest.importorskip("quickjs").Context()
    engine.eval(SCRIPT.read_text("utf-8"))

    def said(function, *arguments):
        data = ", ".join(json.dumps(one) for one in (RULES, *arguments))
        return json.loads(engine.eval(f"JSON.stringify({function}({data}))"))

    return said


@pytest.mark.parametrize("unit", ["ms", "", "%", "KiB", "h", "IO/s"])
def test_the_page_reads_numbers_as_the_terminal_does(unit, browser):
    lesson = catalogue.lesson(QUICK)
    asked = replace(draw(lesson, 1)[0], question=replace(lesson.questions[0], unit=unit))
    for text in TYPED:
        try:
            value = read_answer(asked, text)
        except UnreadableError:
            value = None
        found = browser("readNumber", text, unit)
        assert (found is None) == (value is None), (text, unit, value, found)
        assert value is None or found == pytest.approx(value, rel=1e-12), (text, unit)


@pytest.mark.parametrize("name", ["queues", "scheduling", "small-write", "nested"])
def test_the_page_marks_as_the_terminal_does(name, browser):
    for asked in draw(catalogue.lesson(name), 1):
        answers = [asked.answer, asked.answer * 1.03, asked.answer * 1.06, 0.0]
        answers += [value for value, _ in asked.hints_of_mistakes()]
        if asked.options:
            answers = list(range(len(asked.options)))
        for value in answers:
            expected = mark(asked, value)
            found = browser("markOf", question_data(asked), value)
            assert found == {"right": expected.right, "hint": expected.hint}, (asked.number, value)


def test_a_decimal_comma_is_not_taken_for_thousands():
    asked = draw(catalogue.lesson(QUICK), 1)[0]
    with pytest.raises(UnreadableError, match=r"12\.5"):
        read_answer(asked, "12,5")

"""Claims that share runs, and what is reported of them."""

import io
import json
import re
from dataclasses import replace
from typing import get_args

import pytest
from matplotlib.backends.backend_svg import FigureCanvasSVG
from rich.console import Console
from toy_claims import HEAD
from toy_drive import Toy

from raidsim.errors import InputError, Problem
from raidsim.report import validation_plot
from raidsim.report.validation_page import render
from raidsim.report.validation_table import everything
from raidsim.validate import validate
from raidsim.validate.claims import BASIS, ELSEWHERE, Role
from raidsim.validate.verdict import Planned

CLAIMS = (
    HEAD.replace("[1, 2, 4]", "[1, 2, 4, 8, 16]")
    + """\
[[claim]]
id = "toy.low.1"
section = "Results"
role = "calibration"
metric = "iops"
relation = "about"
run = { scenario = "toy", at = 1 }
published = 10000
rounding = 1000

[[claim]]
id = "toy.high"
section = "Results"
role = "calibration"
metric = "iops"
relation = "value"
run = { scenario = "toy", at = "max" }
published = 98000

[[claim]]
id = "toy.rises"
section = "Results"
role = "calibration"
metric = "iops"
relation = "shape"
run = { scenario = "toy" }
shape = { is = "rises" }

[[claim]]
id = "toy.twice"
section = "Results"
role = "prediction"
metric = "iops"
relation = "ratio"
run = { scenario = "fast", set = ["load.size=4 KiB"], at = 16 }
against = { scenario = "toy", at = 16 }
published = 2.5
rounding = 0.1

[[claim]]
id = "toy.capacity"
section = "Data"
role = "calibration"
relation = "value"
card = "toy"
key = "capacity.user"
unit = "GB"
published = 800
"""
)


def card_of_800(value, unit):
    return 800.0


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "toy-2000.toml").write_text(CLAIMS)
    return tmp_path


@pytest.fixture
def check(folder):
    def check(*selection, toy=None, **options):
        return validate(
            selection, folder=folder, simulate=toy or Toy(), read_card=card_of_800, **options
        )

    return check


def page_of(report):
    return render(report).decode("utf-8")


def test_claims_share_runs(check):
    toy = Toy()
    report = check(toy=toy)
    assert len(toy.ran) == len(set(toy.ran)) == report.runs == 6


def test_results_do_not_depend_on_the_number_of_threads(check):
    assert json.dumps(check(workers=1).to_dict()) == json.dumps(check(workers=7).to_dict())


def test_progress_counts_every_run(check):
    seen = []
    check(on_progress=seen.append)
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert (seen[-1].done, seen[-1].total) == (6, 6)


def test_a_claim_that_does_not_hold_is_reported(check):
    report = check()
    assert not report.all_hold
    assert [v.claim.id for v in report.failed] == ["toy.twice"]


@pytest.mark.parametrize(
    ("word", "ids"),
    [
        ("toy-2000", 5),
        ("2000", 5),
        ("toy.low.1", 1),
        ("toy.low", 1),
        ("toy", 5),
    ],
)
def test_claims_are_chosen_by_document_or_by_id(check, word, ids):
    assert len(check(word).verdicts) == ids


def test_an_id_is_that_claim_alone_and_with_a_dot_all_that_begin_so(check, folder):
    path = folder / "toy-2000.toml"
    path.write_text(CLAIMS.replace('"toy.rises"', '"toy.high.rises"'))
    assert [v.claim.id for v in check("toy.high").verdicts] == ["toy.high"]
    assert [v.claim.id for v in check("toy.high.").verdicts] == ["toy.high", "toy.high.rises"]


def test_only_the_runs_of_the_chosen_claims_are_simulated(check):
    toy = Toy()
    assert check("toy.low.1", toy=toy).all_hold
    assert len(toy.ran) == 1


def test_claims_are_chosen_by_role(check):
    assert [v.claim.id for v in check(role="prediction").verdicts] == ["toy.twice"]


def test_a_role_that_no_chosen_claim_has_is_refused(check):
    with pytest.raises(InputError, match=r"toy\.twice: none of 1 claims has"):
        check("toy.twice", role="calibration")


def test_an_unknown_claim_is_refused_with_the_nearest(check):
    with pytest.raises(InputError, match=re.escape('did you mean "toy.rises"?')):
        check("toy.rise")


def test_problems_of_scenarios_are_said_once_each(check):
    def refuse(job):
        raise InputError([Problem("toy.toml", 1, None, "is wrong")])

    with pytest.raises(InputError) as caught:
        check(toy=refuse)
    assert len(caught.value.problems) == 1


def test_what_a_claim_names_and_is_not_there_is_said_at_the_claim_before_anything_runs(folder):
    path = folder / "toy-2000.toml"
    path.write_text(CLAIMS.replace('"toy", at = 1 ', '"p3700-databas", at = 1 '))
    with pytest.raises(InputError) as caught:
        validate(["toy.low", "toy.capacity"], folder=folder)
    scenario, card = map(str, caught.value.problems)
    assert scenario.startswith(f"{path}:13: toy.low.1: no scenario is called")
    assert card.startswith(f"{path}:52: toy.capacity: no model is called")


# ---------------------------------------------------------------- JSON


def test_json_lists_every_claim_with_what_the_contract_asks(check):
    listed = json.loads(json.dumps(check().to_dict(), allow_nan=False))
    asked = {
        "id", "document", "section", "relation", "role", "kind", "unit", "published",
        "simulated", "error", "holds", "scenario",
    }  # fmt: skip
    assert len(listed["claims"]) == 5
    for claim in listed["claims"]:
        assert asked <= set(claim)
    assert listed["schema"] == "raidsim.validation/1"


def test_of_a_claim_that_is_about_no_array_the_planning_formula_says_nothing(check):
    report = check().to_dict()
    assert [claim["planning"] for claim in report["claims"]] == [None] * 5
    assert report["planning"] == []


def test_simulation_and_formula_are_compared_over_the_same_claims(check):
    report = check()
    planned = {
        "toy.high": Planned(147000.0, 0.5, holds=False),
        "toy.twice": Planned(2.5, 0.0, True),
    }
    verdicts = tuple(replace(v, planned=planned.get(v.claim.id)) for v in report.verdicts)
    whole, document = replace(report, verdicts=verdicts).comparisons
    assert (whole.claims, whole.figures) == (document.claims, document.figures) == (2, 2)
    assert (whole.simulation.hold, whole.formula.hold) == (1, 1)
    # 16 commands of 95 us against one every 10 us, where 2.45 would do for the printed 2.5
    off = (2.45 - 16 / 95e-6 * 10e-6) / 2.5
    assert (whole.simulation.worst, whole.formula.worst) == (pytest.approx(off), 0.5)
    listed = replace(report, verdicts=verdicts).to_dict()
    assert listed["claims"][1]["planning"] == {"value": 147000.0, "error": 0.5}
    assert listed["planning"][0]["formula"]["worst_error"] == 0.5


def test_claims_that_exclude_each_other_are_listed(check, folder):
    path = folder / "toy-2000.toml"
    other = CLAIMS.split("[[claim]]")[1].replace("toy.low.1", "toy.low.other")
    path.write_text(f"{CLAIMS}\n[[claim]]{other.replace('10000', '11500')}")
    assert check().to_dict()["contradictions"] == [["toy.low.1", "toy.low.other"]]
    path.write_text(f"{CLAIMS}\n[[claim]]{other.replace('10000', '11000')}")
    assert check().to_dict()["contradictions"] == []  # 10,500 is either, rounded


def test_overrides_of_a_file_are_those_of_all_its_runs_and_come_first(check, folder):
    path = folder / "toy-2000.toml"
    path.write_text(
        CLAIMS.replace("\n[tolerance]", '\nset = ["measure.min_ios=9"]\n[tolerance]', 1)
    )
    twice = next(c for c in check().to_dict()["claims"] if c["id"] == "toy.twice")
    assert twice["set"] == ["measure.min_ios=9", "load.size=4 KiB"]
    assert twice["commands"][1] == (
        "raidsim run toy --set measure.min_ios=9 --set load.outstanding=16"
    )


def test_json_says_how_to_repeat_a_claim(check):
    twice = next(c for c in check().to_dict()["claims"] if c["id"] == "toy.twice")
    assert twice["commands"] == [
        "raidsim run fast --set 'load.size=4 KiB' --set load.outstanding=16",
        "raidsim run toy --set load.outstanding=16",
    ]


def test_a_maximum_is_repeated_as_a_sweep(check):
    high = next(c for c in check().to_dict()["claims"] if c["id"] == "toy.high")
    assert high["commands"] == ["raidsim run toy --set 'load.outstanding=[1, 2, 4, 8, 16]'"]


# ---------------------------------------------------------------- summary


def test_catalogue_claims_stand_apart_in_the_summary(check):
    rows = {(row.group, row.name): row for row in check().summary}
    assert rows["all", "all claims"].claims == 4
    assert rows["kind", "catalogue"].claims == 1
    assert rows["kind", "catalogue"].figures == 0


def test_only_figures_enter_the_errors(check):
    rows = {(row.group, row.name): row for row in check().summary}
    row = rows["role", "calibration"]
    assert (row.claims, row.hold, row.figures) == (3, 3, 2)
    assert row.median == pytest.approx((100000 / 98000 - 1) / 2)
    assert row.worst == pytest.approx(100000 / 98000 - 1)


def test_errors_stand_apart_by_what_a_document_is_to_the_models(check, folder):
    assert "origin and role" not in {row.group for row in check().summary}
    made_from = CLAIMS.replace('title = "', 'basis = true\ntitle = "')
    made_from = made_from.replace('"toy-', '"old-').replace('id = "toy', 'id = "old')
    (folder / "old-2000.toml").write_text(made_from)
    rows = {(r.name, r.role): r for r in check().summary if r.group == "origin and role"}
    assert set(rows) == {(one, role) for one in (BASIS, ELSEWHERE) for role in get_args(Role)}
    elsewhere = [r for r in check().summary if (r.group, r.name) == ("document", "toy-2000")]
    assert sum(rows[ELSEWHERE, role].claims for role in get_args(Role)) == elsewhere[0].claims


def test_coverage_counts_claims_with_a_simulated_number(check):
    assert all(row.coverage == 1 for row in check().summary)


# ---------------------------------------------------------------- terminal and HTML


def shown(report, width):
    stream = io.StringIO()
    Console(file=stream, width=width).print(everything(report))
    return stream.getvalue()


def test_tables_are_readable_at_eighty_columns(check):
    text = shown(check(), 80)
    assert "toy.twice" in text
    assert max(map(len, text.splitlines())) <= 80


def test_documents_stand_by_role_and_what_does_not_hold_with_its_explanation(check, folder):
    path = folder / "toy-2000.toml"
    why = 'explanation = "A toy has one gear."'
    path.write_text(CLAIMS.replace("published = 2.5\n", f"published = 2.5\n{why}\n"))
    lines = [" ".join(line.split()) for line in shown(check(), 200).splitlines()]
    first = lines.index("toy-2000")
    assert lines[first + 1] == "calibration 3 100 % 3 100 % 2 1.0 % 1.8 % 2.0 %"
    assert lines[first + 2] == "prediction 1 100 % 0 0 % 1 30.6 % 30.6 % 30.6 %"
    (miss,) = (number for number, line in enumerate(lines) if line.startswith("toy.twice"))
    assert lines[miss].endswith("published 2.5, simulated 1.6842 (-30.6 %, 5 % allowed)")
    assert lines[miss + 1] == "A toy has one gear."


def test_of_a_few_claims_each_is_shown_with_what_to_type_again(check):
    text = shown(check("toy.high"), 200)
    assert "toy.high  calibration: published 98000 IO/s, simulated" in text
    assert "raidsim run toy --set 'load.outstanding=[1, 2, 4, 8, 16]'" in text


def test_a_miss_by_less_than_is_shown_of_errors_is_no_error_of_zero(check, folder):
    path = folder / "toy-2000.toml"
    same = CLAIMS.replace('"fast", set = ["load.size=4 KiB"]', '"toy"')
    path.write_text(
        same.replace('"ratio"\n', '"order"\n').replace("published = 2.5\nrounding = 0.1\n", "")
    )
    assert "published > 1, simulated 1 (not above, 0 % allowed)" in shown(check("toy.twice"), 200)


def test_a_miss_without_an_explanation_says_so(check):
    assert "no explanation yet" in shown(check(), 200)


def test_the_page_opens_offline(check):
    page = page_of(check())
    assert "toy.twice" in page
    assert "<svg" in page
    fetches = re.findall(r"""(?:src|href)\s*=\s*["'](?!#)|url\((?!#)|@import""", page)
    assert not fetches


def test_three_figures_of_a_kind_are_drawn_published_against_simulated(check, folder):
    page = page_of(check())
    assert "simulated, IO/s" not in page
    one = CLAIMS[CLAIMS.index("[[claim]]") : CLAIMS.index("[[claim]]", CLAIMS.index("toy.low.1"))]
    third = one.replace("toy.low.1", "toy.low.2").replace("at = 1", "at = 2")
    (folder / "toy-2000.toml").write_text(CLAIMS + third)
    page = page_of(check())
    assert "simulated, IO/s" in page


def test_the_page_is_the_same_every_time(check):
    assert page_of(check()) == page_of(check())


def test_the_longest_numbers_of_a_picture_lie_within_it():
    figure, axes = validation_plot.empty_panel()
    axes.plot([1e6, 1e7], [1e6, 1e7])
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.0f}")
        axis.set_ticks([1e6, 1e7])
    axes.set_ylabel("simulated, IO/s")
    axes.set_xlabel("published, IO/s")
    FigureCanvasSVG(figure).draw()
    taken = figure.get_tightbbox()
    assert 0 <= taken.x0 < taken.x1 <= figure.get_figwidth()
    assert 0 <= taken.y0 < taken.y1 <= figure.get_figheight()


def test_the_page_without_figures_is_drawn(check):
    assert "toy.rises" in page_of(check("toy.rises"))

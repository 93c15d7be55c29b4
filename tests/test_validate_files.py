"""The files of claims: what they hold, and what is said of a wrong one."""

import shutil
from collections import Counter

import pytest
from toy_claims import HEAD

from raidsim.errors import InputError
from raidsim.resources import data_folder
from raidsim.validate import schema
from raidsim.validate.catalogue import read_card
from raidsim.validate.claims import Performance
from raidsim.validate.verdict import judge

GOOD = """\
[[claim]]
id = "toy.one"
section = "Results"
role = "calibration"
metric = "iops"
relation = "about"
run = { scenario = "toy", at = 1 }
published = 10000
rounding = 1000
"""

COUNTED = {
    ("cisco-ucs-c240-m4-2016", "catalogue"): 69,
    ("cisco-ucs-c240-m4-2016", "latency"): 2,
    ("cisco-ucs-c240-m4-2016", "rate"): 133,
    ("cisco-ucs-c240-m4-2016", "throughput"): 85,
    ("fujitsu-iodrive2-2013", "catalogue"): 38,
    ("fujitsu-iodrive2-2013", "latency"): 11,
    ("fujitsu-iodrive2-2013", "rate"): 123,
    ("fujitsu-iodrive2-2013", "throughput"): 76,
    ("fujitsu-modular-raid-2008", "catalogue"): 50,
    ("fujitsu-modular-raid-2008", "rate"): 71,
    ("fujitsu-modular-raid-2008", "throughput"): 102,
    ("fujitsu-p3700-2016", "catalogue"): 36,
    ("fujitsu-p3700-2016", "latency"): 10,
    ("fujitsu-p3700-2016", "power"): 1,
    ("fujitsu-p3700-2016", "rate"): 197,
    ("fujitsu-p3700-2016", "temperature"): 2,
    ("fujitsu-p3700-2016", "throughput"): 107,
    ("intel-p3700-2015", "rate"): 4,
    ("tolly-iocontrol-n5-2013", "boot"): 13,
    ("tolly-iocontrol-n5-2013", "catalogue"): 24,
    ("tolly-iocontrol-n5-2013", "latency"): 2,
    ("tolly-iocontrol-n5-2013", "rate"): 22,
    ("tolly-iocontrol-n5-2013", "throughput"): 4,
}
"""Claims of each document and kind; with every new claim the number may rise."""


@pytest.fixture
def load(tmp_path):
    def load(text):
        (tmp_path / "toy-2000.toml").write_text(text)
        return schema.load(tmp_path)

    return load


def refusal(load, text):
    with pytest.raises(InputError) as caught:
        load(text)
    return str(caught.value)


# ---------------------------------------------------------------- the claims that come with raidsim


@pytest.fixture(scope="module")
def claims():
    return schema.load()


def test_a_file_is_named_like_its_document(claims):
    assert {claim.path.stem for claim in claims} == {claim.document for claim in claims}


def test_models_were_made_from_five_documents(claims):
    made_from = {claim.document for claim in claims if claim.is_basis}
    assert made_from == {
        "cisco-ucs-c240-m4-2016",
        "fujitsu-iodrive2-2013",
        "fujitsu-modular-raid-2008",
        "fujitsu-p3700-2016",
        "tolly-iocontrol-n5-2013",
    }


def test_calibration_claims_of_the_p3700_are_about_the_800_gb_drive_as_sold(claims):
    for claim in claims:  # but for what the data sheet rates of each capacity: its spare area
        if not claim.id.startswith("p3700.") or ".datasheet." in claim.id:
            continue
        if claim.structure:
            continue  # a choice of structure was read off it, and no value fitted to it
        if claim.role == "calibration" and isinstance(claim.subject, Performance):
            for one in claim.subject.measurements():
                assert not [o for o in one.overrides if o.startswith(("volume.", "host."))], (
                    claim.id
                )


def test_other_capacities_and_clock_rates_are_predictions(claims):
    predicted = [c.id for c in claims if c.role == "prediction"]
    assert [i for i in predicted if "1600gb" in i]
    assert [i for i in predicted if "2000gb" in i]
    assert [i for i in predicted if "clock." in i]


def test_every_rounded_figure_states_its_rounding(claims):
    assert not [
        c.id for c in claims if c.relation in ("about", "range", "ratio") and c.rounding <= 0
    ]


def test_the_table_of_highest_figures_is_entered_digit_by_digit(claims):
    table = {c.id: c.published for c in claims if c.id.endswith(".max.800gb.table")}
    assert sorted(table.values()) == [1844, 2395, 29033, 29530, 192881]


@pytest.mark.parametrize(
    ("column", "figures"),
    [
        ("iodrive2", [49919, 19005, 18018, 1390, 1037, 0.066, 0.018]),
        ("iodrive", [28653, 8003, 7693, 617, 541, 0.029, 0.033]),
        ("sas2-ssd", [14184, 3006, 2985, 377, 196, 0.090, 0.128]),
        ("sas12-ssd", [64416, 8977, 8157, 790, 419, 0.21, 0.11]),
    ],
)
def test_a_column_of_the_comparison_is_entered_digit_by_digit(claims, column, figures):
    entered = {c.id: c.published for c in claims if c.id.startswith(f"{column}.")}
    profiles = ("database", "file-server", "file-copy", "streaming", "restore")
    names = [f"{profile}.max.table" for profile in profiles]
    names += ["read-1kb.1.table", "write-1kb.1.table"]
    assert [entered[f"{column}.{name}"] for name in names] == figures


def test_catalogue_claims_are_what_cards_and_scenarios_say_or_explained(claims):
    quoted = [c for c in claims if not isinstance(c.subject, Performance)]
    assert quoted
    for claim in quoted:
        verdict = judge(claim, {}, read_card)
        assert verdict.simulated is not None, claim.id
        assert verdict.holds != bool(claim.explanation), claim.id


def test_nothing_that_a_document_prints_gets_lost(claims):
    """At least as many claims of each kind as were counted when the documents were gone through."""
    counted = Counter((claim.document, claim.kind) for claim in claims)
    assert {key: counted[key] for key in COUNTED if counted[key] < COUNTED[key]} == {}


# ---------------------------------------------------------------- reading


def test_intensities_of_the_file_are_those_of_a_maximum(load):
    (claim,) = load(HEAD + GOOD.replace("at = 1", 'at = "max"'))
    assert claim.subject.run.intensities == (1, 2, 4)
    assert [job.outstanding for job in claim.jobs()] == [1, 2, 4]


def test_a_run_can_name_its_own_intensities(load):
    (claim,) = load(HEAD + GOOD.replace("at = 1", 'at = "max", over = [8, 16]'))
    assert claim.subject.run.intensities == (8, 16)


def test_a_shape_looks_at_its_part_of_the_curve(load):
    text = GOOD.replace("about", "shape").replace("published = 10000\nrounding = 1000\n", "")
    text = text.replace(", at = 1", "") + 'shape = { is = "level", from = 2, to = 4 }\n'
    (claim,) = load(HEAD + text)
    assert claim.subject.run.intensities == (2, 4)


def test_a_tolerance_of_its_own_needs_a_reason(load):
    assert "why" in refusal(load, HEAD + GOOD + "tolerance = 0.1\n")
    (claim,) = load(HEAD + GOOD + 'tolerance = 0.1\nwhy = "two readings of one plot"\n')
    assert claim.tolerance == 0.1


def test_a_fact_of_a_scenario_is_of_the_catalogue_and_exact(load):
    text = GOOD.replace('"iops"', '"overhead"\nunit = "%"').replace(", at = 1", "")
    (claim,) = load(HEAD + text.replace("10000", "0").replace("1000", "1"))
    assert (claim.kind, claim.tolerance, claim.jobs()) == ("catalogue", 0.0, ())
    assert claim.published == 0


def test_a_run_relative_to_another_needs_both(load):
    text = GOOD.replace("at = 1", 'at = "max", relative_to = { scenario = "bare", at = 4 }')
    (claim,) = load(HEAD + text)
    assert [job.scenario for job in claim.jobs()] == ["toy", "toy", "toy", "bare"]
    assert len(claim.subject.run.commands()) == 2


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (('"iops"', '"overhead"'), "metric and run"),  # no unit
        (('"iops"', '"overhead"\nunit = "%"'), '"scenario" and "set" alone'),
        (('"iops"', '"iops"\nof = "intel-p3700-800gb"'), "metric and run"),
        (("10000", "0"), "above zero"),
        (("at = 1", 'at = "each", relative_to = { scenario = "toy", at = 1 }'), "no curves"),
    ],
)
def test_what_belongs_to_the_catalogue_alone_is_refused_elsewhere(load, wrong, said):
    assert said in refusal(load, HEAD + GOOD.replace(*wrong))


def test_an_unknown_key_is_named_with_its_line(load):
    said = refusal(load, HEAD + GOOD + "publishd = 3\n")
    assert "toy-2000.toml:22: claim[0].publishd: unknown key" in said
    assert 'did you mean "published"?' in said


def test_a_key_of_another_table_is_not_offered(load):
    """`about` is a key of [tolerance]: to offer it where it just was refused helps nobody."""
    said = refusal(load, HEAD + GOOD + "about = 0.1\n")
    assert "unknown key" in said
    assert "did you mean" not in said


def test_a_file_of_another_kind_is_told_of_in_a_hundred_lines(load):
    said = refusal(load, HEAD + (GOOD + "mystery = 1\n") * 182).splitlines()
    assert len(said) == 101
    assert said[-1].endswith("and 82 more problems")


def test_an_unknown_metric_is_corrected(load):
    assert 'did you mean "iops"?' in refusal(load, HEAD + GOOD.replace('"iops"', '"iop"'))


def test_all_problems_are_said_at_once(load):
    said = refusal(load, HEAD + GOOD.replace("10000", "nan").replace('"calibration"', '"guess"'))
    assert [line.split(":")[1] for line in said.splitlines()] == ["16", "20"]


@pytest.mark.parametrize("at", ["0", '"mx"', "1.5", "true", "65537"])
def test_an_impossible_intensity_is_refused(load, at):
    assert "outstanding I/Os" in refusal(load, HEAD + GOOD.replace("at = 1", f"at = {at}"))


@pytest.mark.parametrize(
    "figure", ["nan", "inf", "-1", "true", '"10"', "[1]", "[3, 2]", "[1, nan]", "9" * 400]
)
def test_an_impossible_figure_is_refused(load, figure):
    said = refusal(load, HEAD + GOOD.replace("10000", figure).replace("about", "range"))
    assert "toy-2000.toml:" in said


@pytest.mark.parametrize(
    ("relation", "wanted"),
    [("range", "[low, high]"), ("order", "against"), ("equal", "against"), ("shape", "shape")],
)
def test_each_relation_says_what_it_needs(load, relation, wanted):
    assert wanted in refusal(load, HEAD + GOOD.replace("about", relation))


@pytest.mark.parametrize(
    "more", ["at = 1", 'also = ["load.read=0 %"]', 'relative_to = { scenario = "toy", at = 1 }']
)
def test_a_shape_is_about_a_whole_curve_and_nothing_that_is_said_beside_it_is_lost(load, more):
    text = GOOD.replace("about", "shape").replace("published = 10000\nrounding = 1000\n", "")
    text += 'shape = { is = "rises" }\n'
    assert load(HEAD + text.replace(", at = 1", ""))
    said = refusal(load, HEAD + text.replace("at = 1", more))
    assert '"relative_to" beside a shape' in said


def test_what_holds_for_all_runs_of_a_file_holds_for_facts_too(load):
    text = GOOD.replace("iops", "fewest_drives").replace(", at = 1", "")
    (claim,) = load('set = ["volume.drives=8"]\n' + HEAD + text + 'unit = "1"\n')
    assert claim.subject.overrides == ("volume.drives=8",)


def test_an_id_stands_once(load):
    assert "toy-2000.toml:13" in refusal(load, HEAD + GOOD + GOOD)


def test_curves_of_different_intensities_cannot_be_compared(load):
    text = GOOD.replace("about", "equal").replace("published = 10000\nrounding = 1000\n", "")
    text += 'against = { scenario = "toy", at = "max" }\n'
    assert "equal intensities" in refusal(load, HEAD + text.replace("at = 1", 'at = "each"'))


def test_broken_toml_is_said_with_its_line(load):
    assert "toy-2000.toml:" in refusal(load, HEAD + GOOD + "note = oops\n")


def test_all_files_are_read_before_anything_is_refused(tmp_path):
    for name in ("a.toml", "b.toml"):
        (tmp_path / name).write_text(HEAD + GOOD + "wrong = 1\n")
    with pytest.raises(InputError) as caught:
        schema.load(tmp_path)
    assert len(caught.value.problems) == 2


def test_the_shipped_files_can_be_read_from_anywhere(tmp_path, monkeypatch):
    for path in data_folder("validation").glob("*.toml"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert len(schema.load(tmp_path)) == len(schema.load())

"""What may be written about the events of a scenario, and what is refused with a message."""

from __future__ import annotations

import pytest
from events import DATABASE, RAID, at, scenario, text
from hypothesis import given, settings
from hypothesis import strategies as st

from raidsim.control.course import ACTS
from raidsim.errors import InputError
from raidsim.report.event_words import lines
from raidsim.scenario import from_data, load_text
from raidsim.scenario.events import KINDS

FAILS = at("10 s", "drive-failure", drive=2)


def refused(*events, **changes):
    """The messages that a scenario with these events gets."""
    with pytest.raises(InputError) as found:
        scenario(*events, **changes)
    return str(found.value)


def test_every_kind_of_event_does_something():
    assert set(ACTS) == set(KINDS.values())


def test_the_only_volume_and_controller_need_not_be_named():
    failure, cycle = scenario(FAILS, at("20 s", "learn-cycle", for_="5 s")).events
    assert (failure.volume, failure.drive, failure.at) == ("data", 2, 10.0)
    assert (cycle.controller, cycle.lasting) == ("controller", 5.0)


def test_a_scenario_with_events_can_be_loaded_from_its_result():
    written = scenario(FAILS, at("20 s", "battery", state="low", for_="1 min")).resolved()
    assert written["event"][1]["for"] == "1 min"
    assert from_data(written).resolved() == written


def test_a_repeated_event_happens_until_the_end():
    measure = {"duration": "60 s"}
    (event,) = scenario(at("10 s", "patrol", every="20 s"), measure=measure).events
    assert event.times(60.0) == [10.0, 30.0, 50.0]


def test_repeated_events_happen_at_whole_ns_and_are_complained_of_once():
    measure = {"duration": "6 s"}
    cut = at("0.1 s", "power-cut", every="0.3 s", outage="0.1 s", boot="0.2 s")
    flash = "fujitsu-ssd-sas2-mlc-200gb"  # which does not spin up
    (event,) = scenario(cut, measure=measure, drive=flash).events
    assert event.times(6.0)[3] == 1.0
    assert refused(at("1 s", "drive-failure", drive=1, every="1 s"), measure=measure).count(":") < 6


def test_a_drive_whose_link_was_lost_may_be_rebuilt_and_no_other_one():
    """Drives are behind the links in turn; both links are behind one that stays."""
    top = {"name": "top", "speed": "sas-12g", "lanes": 8}
    links = (top, *({"name": one, "speed": "sas-12g", "lanes": 4, "to": "top"} for one in "ab"))
    keys = {"controllers": (), "links": links, "level": "raid10", "behind": ["a", "b"]}
    lost = at("1 s", "link-loss", link="b", for_="5 s")
    for drive in (1, 3):
        scenario(lost, at("9 s", "rebuild", drive=drive), **keys)
        scenario(at("1 s", "link-loss", link="top"), at("9 s", "rebuild", drive=drive), **keys)
    said = refused(lost, at("9 s", "rebuild", drive=2), **keys)
    assert "drive 2 of data has not failed" in said
    early = refused(lost, at("0.5 s", "rebuild", drive=1), **keys)
    assert "drive 1 of data has not failed" in early


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("slow-drive", {"drive": 1, "delay": "10 ms"}),
        ("fan-failure", {"airflow": "20 %"}),
        ("battery", {"state": "low"}),
        ("learn-cycle", {}),
    ],
)
def test_what_lasts_is_over_before_it_happens_again(kind, keys):
    first = at("1 s", kind, for_="5 s", **keys)
    message = refused(first, at("6 s", kind, for_="5 s", **keys))
    assert "at 6 s: an earlier event on the same part lasts until 6 s" in message
    scenario(first, at("7 s", kind, for_="5 s", **keys))


def test_one_event_of_a_kind_can_be_set_by_its_kind():
    found = load_text(text(FAILS), overrides=["event.drive-failure.drive=3"])
    assert found.events[0].drive == 3


@pytest.mark.parametrize(
    ("events", "changes", "message"),
    [
        ([at("1 s", "drive-failur", drive=0)], {}, 'did you mean "drive-failure"?'),
        ([{"at": "1 s"}], {}, "event.kind: is missing; give one of"),
        ([at("1 s", "drive-failure", drive=4)], {}, "data has no drive 4; it has drives 0 to 3"),
        ([at("1 s", "drive-failure")], {}, "event.drive: is missing"),
        ([at("1 s", "patrol", volme="data")], {}, 'unknown key; did you mean "volume"?'),
        ([at("1", "patrol")], {}, '"1" has no unit'),
        ([at("1 s", "patrol", volume="dat")], {}, 'did you mean "data"?'),
        ([at("11 min", "patrol")], {}, "11 min is not before the end, at 10 min"),
        ([at("9 s", "patrol")], {"measure": {"duration": "5 s"}}, "(measure.duration)"),
        ([at("1 s", "patrol", every="1 s")], {}, "event.every: has no end"),
        ([FAILS, FAILS], {}, "drive 2 of data has failed already"),
        ([at("1 s", "replacement", drive=0)], {}, "drive 0 of data has not failed"),
        ([at("1 s", "rebuild", drive=0)], {"level": "raid0"}, "has no redundancy"),
        ([at("1 s", "consistency-check")], {"level": "raid0"}, "has no redundancy"),
        ([at("1 s", "copy-back", drive=0)], {}, "no hot spare"),
        (
            [at("1 s", "drive-failure", drive=0), at("2 s", "copy-back", drive=0)],
            {"controllers": (), "spares": 1}, "data is software RAID, which has no copy-back",
        ),
        (
            [at("1 s", "drive-failure", drive=0), at("2 s", "replacement", drive=0),
             at("3 s", "replacement", drive=0)],
            {"controllers": (), "spares": 1}, "drive 0 of data has not failed",
        ),
        (
            [*(at(f"{n} s", "drive-failure", drive=0) for n in (1, 40)),
             *(at(f"{n} s", "replacement", drive=0) for n in (41, 80))],
            {"spares": 1}, "at 80 s: drive 0 of data has not failed",
        ),
        ([at("1 s", "latent-errors", drive=0)], {}, "count: is missing, and offsets too"),
        ([at("1 s", "latent-errors", drive=0, offsets=["1 TB"])], {}, "beyond the drive"),
        ([at("1 s", "battery", state="empty")], {}, '"empty" is not known here'),
        (
            [at("1 s", "learn-cycle", for_="1 s")],
            {"controllers": ({"model": "lsi-megaraid-1068"},)},
            "has no battery",
        ),
        (
            [at("1 s", "learn-cycle", for_="1 s")],
            {"controllers": (), "controller": "host"},
            "there is no [[controller]] that it could happen to",
        ),
        ([at("1 s", "controller-failure", partner="b")], {}, "not another controller"),
        ([at("1 s", "link-loss")], {}, "there is no [[link]]"),
        ([at("1 s", "air")], {}, "is missing, and airflow too"),
        ([at("1 s", "load-start", load="database"), at("2 s", "load-start")], {}, "runs already"),
        ([at("1 s", "load-stop"), at("2 s", "load-stop")], {}, "database does not run"),
        ([at("1 s", "power-cut"), at("9 s", "patrol")], {}, "the power is off until"),
        ([at("0 s", "air", airflow="50 %")], {}, "measure.duration: is missing"),
        ([FAILS], {"loads": ({**DATABASE, "within": "5 ms"},)}, "needs a steady state"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_words(events, changes, message):
    assert message in refused(*events, **changes)


def test_a_message_says_file_line_and_key():
    found = refused(at("1 s", "drive-failure", drive=9))
    number = text(at("1 s", "drive-failure", drive=9)).split("\n").index("drive = 9") + 1
    assert found.startswith(f"events.toml:{number}: event.drive: ")


def test_all_that_is_wrong_is_said_at_once():
    found = refused(at("1 s", "patroll"), at("x", "patrol"), at("1 s", "slow-drive", drive=0))
    assert [line.split(": ")[1] for line in found.split("\n")] == [
        "event[0].kind",
        "event[1].at",
        "event[2].delay",
    ]


def test_a_drive_may_fail_again_once_it_is_replaced():
    again = at("30 s", "drive-failure", drive=2)
    assert len(scenario(FAILS, at("20 s", "replacement", drive=2), again).events) == 3


def test_of_several_controllers_one_must_be_named():
    both = ({"name": "a", **RAID}, {"name": "b", **RAID})
    cycle = at("1 s", "learn-cycle", for_="1 s")
    message = refused(cycle, controllers=both, controller="a")
    assert 'controller: is missing, and there are 2; give one of "a", "b"' in message


ANY = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 10**6), st.floats(), st.text(max_size=6),
    st.sampled_from(["1 s", "0 s", "9 min", "1 h", "50 %", "0 %", "8 KiB", "data", "controller",
                     "database", "low", "full", "30 C", ["0 B"], ["8 KiB", "x"], [], {}]),
)  # fmt: skip
KEYS = sorted({info.alias or name for kind in KINDS.values()
               for name, info in kind.model_fields.items()} - {"kind"})  # fmt: skip


@settings(max_examples=150)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([*KINDS, "fire", 7]), st.dictionaries(st.sampled_from(KEYS), ANY)
        ),
        min_size=1, max_size=3,
    ),
)  # fmt: skip
def test_no_event_ends_in_anything_but_a_scenario_or_a_message(events):
    whole = scenario(FAILS).resolved()
    whole["event"] = [{"at": "5 s", **keys, "kind": kind} for kind, keys in events]
    try:
        loaded = from_data(whole)
    except InputError as error:
        assert str(error).strip()  # noqa: PT017
    else:
        assert from_data(loaded.resolved()).resolved() == loaded.resolved()
        assert all(line.startswith("at ") for line in lines(loaded))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_what_it_does_in_words(kind):
    keys = {"volume": "data", "drive": 1, "controller": "controller", "load": "database",
            "link": "shelf", "delay": 0.01, "count": 2, "offsets": None, "state": "low",
            "lasting": 5.0, "airflow": 0.5, "ambient": None, "partner": None, "outage": 3.0,
            "method": "fast", "boot": 1.0}  # fmt: skip
    event = KINDS[kind].model_construct(kind=kind, at=1.0, **keys)
    assert event.words
    assert event.words != kind
    if event.span > 0 and "lasting" in KINDS[kind].model_fields:
        assert event.words_of_end


def power_cut_lines(*events, **changes):
    """What is said of the power cut before anything runs."""
    return next(one for one in lines(scenario(*events, **changes)) if "power is cut" in one)


@pytest.mark.parametrize(
    ("outage", "boot", "back"), [("5 s", "0 s", "20 s"), ("5 s", "60 s", "65 s")]
)
def test_power_is_back_when_disks_turn_and_hosts_have_booted(outage, boot, back):
    """Disks take 15 s to spin up."""
    cut = at("10 s", "power-cut", outage=outage, boot=boot)
    assert f"{back} later power is back" in power_cut_lines(cut)
    with pytest.raises(InputError, match="the power is off until 30 s"):
        scenario(
            at("10 s", "power-cut", outage="5 s", boot="0 s"), at("25 s", "drive-failure", drive=0)
        )


@pytest.mark.parametrize(
    ("first", "state", "last", "lost"),
    [
        ("good", "absent", None, True),
        ("absent", "good", None, False),
        ("good", "low", "5 s", False),
    ],
)
def test_a_power_cut_costs_what_the_battery_of_then_does_not_keep(first, state, last, lost):
    battery = {"state": state} | ({} if last is None else {"for": last})
    words = power_cut_lines(
        at("10 s", "battery", **battery), at("20 s", "power-cut"),
        write="back-bad-battery", controllers=(RAID | {"battery": first},),
    )  # fmt: skip
    assert ("in the controller's cache is lost" in words) == lost

"""Virtual machines that boot: one machine is arithmetic, many are a storm."""

import json

import pytest
from scenario_texts import ONE_MACHINE

from raidsim import scenario
from raidsim.control.model import Model
from raidsim.errors import InputError
from raidsim.report import csv_file, html, json_file, plot
from raidsim.running import run

HOST = """
[host]
model = "fujitsu-rx2540-m1"
"""

DISK = (
    HOST
    + """
[[volume]]
drive = "nl-sas-2tb"

[[machine]]
count = 1
bursts = 4
reads = 40
writes = 8
compute = "100 ms"
wait = "100 ms"
idle_after = "1 s"
area = { offset = "0 B", size = "64 GB" }
"""
)

TWO_VOLUMES = (
    HOST
    + """
[[volume]]
name = "images"
drive = "intel-p3700-800gb"
state = "fresh"

[[volume]]
name = "clones"
drive = "fujitsu-ssd-sas12-mlc-400gb"
state = "fresh"

[[machine]]
volume = "clones"
image = { volume = "images", size = "1 GiB" }
count = 3
bursts = 5
reads = 50
writes = 20
"""
)


def boot(text, *overrides, seed=None):
    """The points of a run."""
    return run(scenario.load_text(text, overrides=list(overrides), seed=seed)).points


def ready(text, *overrides, seed=None):
    (point,) = boot(text, *overrides, seed=seed)
    return point.machines.ready_s


def problems(text, *overrides):
    with pytest.raises(InputError) as caught:
        scenario.load_text(text, "storm.toml", overrides)
    return caught.value.problems


# ---- one machine


def test_a_machine_without_ios_is_ready_when_it_has_computed_waited_and_been_idle():
    found = ready(ONE_MACHINE, "machine.compute=3 s", "machine.wait=4 s", "machine.idle_after=10 s")
    assert found == pytest.approx([17.0], abs=1e-6)


def test_one_io_at_a_time_adds_the_latencies_to_that():
    (point,) = boot(
        ONE_MACHINE, "machine.reads=500", "machine.compute=2 s", "machine.idle_after=1 s"
    )
    read = point.latency_ms["read"]
    assert read.samples == point.counts.completed == 500
    assert point.machines.ready_s == pytest.approx([3.0 + 500 * read.mean / 1e3], abs=1e-6)
    assert point.machines.mean_s == point.machines.last_s == point.machines.ready_s[0]


def test_reads_and_writes_of_a_burst_are_under_way_side_by_side():
    """On drives of their own each burst takes as long as the longer of the two."""
    one = ("machine.count=1", "machine.reads=200", "machine.writes=200")
    both = ready(TWO_VOLUMES, *one)[0]
    reads = ready(TWO_VOLUMES, *one, "machine.writes=0")[0]
    writes = ready(TWO_VOLUMES, *one, "machine.reads=0")[0]
    assert max(reads, writes) <= both < max(reads, writes) + 0.2 * min(reads, writes)


def test_ios_that_do_not_divide_by_the_bursts_are_all_made():
    (point,) = boot(ONE_MACHINE, "machine.reads=37", "machine.writes=3", "machine.bursts=7")
    assert point.latency_ms["read"].samples == 37
    assert point.latency_ms["write"].samples == 3


def test_more_ios_at_a_time_make_a_boot_from_a_solid_state_drive_shorter():
    one = ready(ONE_MACHINE, "machine.reads=800")[0]
    eight = ready(ONE_MACHINE, "machine.reads=800", "machine.outstanding=8")[0]
    assert eight < one / 3


# ---- what a linked clone reads of its own


def test_a_clone_reads_what_it_wrote_before_from_its_own_disk():
    """The image is on flash, the clones' disks on a near-line disk: some 13 ms for each read."""
    clone = ("volume.clones.drive=nl-sas-2tb", "volume.clones.state=", "machine.writes=0")
    one = (*clone, "machine.count=1", "machine.bursts=1")
    image = ready(TWO_VOLUMES, *one, "machine.reads=200")[0]
    own = ready(TWO_VOLUMES, *one, "machine.reads=0", "machine.own_reads=200")[0]
    both = ready(TWO_VOLUMES, *one, "machine.reads=200", "machine.own_reads=200")[0]
    # Seek and half a turn at least; at most the average seek over all of a disk and a turn.
    assert 0.23e-3 + 8.33e-3 / 2 < own / 200 < (8.2 + 8.33 + 1) * 1e-3
    assert image < own / 20
    assert both == pytest.approx(own, rel=0.01), "side by side on drives of their own"


def test_reads_of_image_and_own_disk_are_all_made_and_counted_as_reads():
    (point,) = boot(TWO_VOLUMES, "machine.own_reads=13", "machine.bursts=7")
    assert point.latency_ms["read"].samples == 3 * (50 + 13)
    assert point.latency_ms["write"].samples == 3 * 20


def test_what_the_last_boot_wrote_around_a_read_cache_is_read_from_disks():
    """Only the image is in the flash: 24 reads of its own cost a machine 24 reads of a disk."""
    text = (
        HOST
        + """
[[volume]]
name = "flash"
drive = "intel-p3700-800gb"
state = "fresh"

[[volume]]
name = "disk"
drive = "nl-sas-2tb"

[[hybrid]]
name = "array"
front = "flash"
back = "disk"
write = "around"
size = "64 GB"
warm = { offset = "32 GB", size = "1 GiB" }

[[machine]]
volume = "array"
image = { volume = "array", offset = "32 GB", size = "1 GiB" }
area = { offset = "0 B", size = "16 GB" }
bursts = 24
reads = 240
own_reads = 24
"""
    )
    none = ready(text, "machine.own_reads=0")[0]
    cold = ready(text)[0]
    warm = ready(text, "hybrid.warm.offset=0 B", "hybrid.warm.size=rest")[0]
    assert none == pytest.approx(warm, rel=0.2)
    assert 24 * 0.23e-3 + 24 * 8.33e-3 / 2 < cold - none < 24 * 18e-3


def test_own_reads_without_an_image_are_refused():
    (found,) = problems(ONE_MACHINE, "machine.own_reads=5", "machine.compute=1 s")
    assert "own disk" in str(found)
    assert "image" in str(found)


# ---- what machines share


def test_machines_share_the_cores_of_the_host():
    """24 machines of 1 s of CPU time each take 3 s on 8 cores, and none of it is lost."""
    found = ready(ONE_MACHINE, "machine.count=24", "machine.compute=1 s")
    assert max(found) == pytest.approx(3.0, abs=1e-6)
    assert min(found) > 2.6  # in turn, burst by burst
    assert ready(ONE_MACHINE, "machine.count=8", "machine.compute=1 s") == pytest.approx([1.0] * 8)


def test_machines_are_switched_on_one_after_the_other():
    found = ready(ONE_MACHINE, "machine.count=4", "machine.wait=1 s", "machine.every=500 ms")
    assert found == pytest.approx([1.0, 1.5, 2.0, 2.5])


def test_a_storm_lasts_longer_the_more_machines_there_are():
    """One disk: what every machine waits for is the arm."""
    means = []
    for count in (1, 4, 16):
        (point,) = boot(DISK, f"machine.count={count}")
        means.append(point.machines.mean_s)
        assert point.counts.completed == 48 * count
    assert means[0] < means[1] < means[2]
    assert means[2] - 1.2 > 3 * (means[0] - 1.2)  # 1.2 s are not the disk's


def test_clones_read_the_image_and_write_their_own_disks():
    (point,) = boot(TWO_VOLUMES)
    written = {drive.name: drive.written_per_day_tb for drive in point.drives}
    assert written["images"] == 0 < written["clones"]
    assert point.latency_ms["read"].samples == 150
    busy = {use.name for use in point.stations}
    assert {"images: front end", "clones: front end"} <= busy


def test_a_load_beside_them_makes_them_slower_and_is_measured_too():
    load = '\n[[load]]\nread = "100 %"\nsize = "4 KiB"\noutstanding = 8\narea = { size = "9 GB" }\n'
    text = DISK.replace("[[machine]]", load + "\n[[machine]]")
    alone = ready(DISK)[0]
    background, machines = boot(text)
    assert machines.machines.ready_s[0] > alone
    assert background.machines is None
    assert background.counts.completed > 0
    assert background.window_s == pytest.approx(machines.machines.last_s)


# ---- how they differ


def test_machines_differ_by_their_spread_and_not_in_the_mean():
    """A log-normal factor: mean 1, standard deviation the spread."""
    loaded = scenario.load_text(ONE_MACHINE, overrides=["machine.spread=30 %", "machine.reads=1"])
    group = Model(loaded).boot.groups["machines"]
    factors = [group.factor(number) for number in range(4000)]
    mean = sum(factors) / len(factors)
    deviation = (sum((one - mean) ** 2 for one in factors) / len(factors)) ** 0.5
    assert mean == pytest.approx(1.0, abs=4 * 0.3 / 4000**0.5)
    assert deviation == pytest.approx(0.3, rel=0.06)


def test_a_machine_is_the_same_one_on_other_storage():
    spread = ("machine.count=5", "machine.wait=10 s", "machine.spread=25 %", "machine.reads=0",
              "machine.writes=0")  # fmt: skip
    assert ready(ONE_MACHINE, *spread) == pytest.approx(
        [time - 1.1 for time in ready(DISK, *spread, "machine.compute=100 ms")], abs=0.05
    )


def test_the_same_seed_gives_the_same_bytes_and_another_one_another_storm():
    overrides = ["machine.count=6", "machine.spread=20 %"]

    def written(seed):
        return json_file.render(
            run(scenario.load_text(DISK, overrides=overrides, seed=seed)).to_dict()
        )

    assert written(7) == written(7)
    first, second = (json.loads(written(seed))["points"][0] for seed in (7, 8))
    assert first["machines"]["ready_s"] != second["machines"]["ready_s"]


# ---- the result


def test_the_curve_rises_to_all_machines():
    (point,) = boot(ONE_MACHINE, "machine.count=10", "machine.wait=1 s", "machine.every=100 ms")
    curve = point.machines.share_by_s
    assert curve[0] == (0.0, 0.0)
    assert curve[-1][1] == 1.0
    assert curve[-1][0] >= point.machines.last_s == pytest.approx(1.9)
    shares = [share for _, share in curve]
    assert shares == sorted(shares)


def test_machines_that_take_longer_than_the_longest_time_were_not_ready():
    (point,) = boot(
        ONE_MACHINE,
        "machine.count=3",
        "machine.wait=5 s",
        "machine.every=4 s",
        "measure.max_time=10 s",
    )
    assert point.machines.ready_s == [pytest.approx(5.0), pytest.approx(9.0), None]
    assert point.machines.mean_s is None
    assert not point.converged
    assert "1 of 3 machines were not ready after 10 s" in " ".join(point.warnings)


def test_a_storm_is_drawn_listed_and_put_on_a_page():
    result = run(scenario.load_text(TWO_VOLUMES))
    assert b"machines that are ready, %" in plot.render(result, ".svg")
    page = html.render(result).decode()
    assert "machines that are ready, %" in page
    header, row = csv_file.render(result).decode().splitlines()
    cells = dict(zip(header.split(","), row.split(","), strict=False))
    assert cells["machines"] == "3"
    assert float(cells["ready last [s]"]) == result.points[0].machines.last_s


def test_a_result_can_be_run_again():
    first = run(scenario.load_text(TWO_VOLUMES))
    again = run(scenario.from_data(first.scenario))
    assert again.points[0].machines == first.points[0].machines


# ---- what is wrong


@pytest.mark.parametrize(
    ("override", "key", "message"),
    [
        ("machine.volume=clone", "machine.volume", 'did you mean "clones"?'),
        ("machine.volume=", "machine.volume", "is missing, and there are 2 volumes"),
        ('machine.image={ volume = "imag" }', "machine.image", "is not a volume of this scenario"),
        (
            'machine.image={ volume = "images", size = "16 KiB" }',
            "machine.image",
            "are too small for a read",
        ),
        (
            'machine.image={ volume = "images", size = "1 TB" }',
            "machine.image",
            ", beyond the volume of ",
        ),
        ('machine.area={ size = "32 KiB" }', "machine.area", "an I/O on each of 3 disks"),
        ('machine.area={ size = "1 TB" }', "machine.area", ", beyond the volume of "),
        ("machine.count=0", "machine.count", "too small"),
        ("machine.cout=4", "machine.cout", 'did you mean "count"?'),
        ("volume.clones.access=read-only", "machine.writes", "clones is read-only"),
        ("volume.clones.access=blocked", "machine.volume", "clones is blocked"),
    ],
)
def test_a_storm_that_cannot_be_is_refused_by_its_key(override, key, message):
    found = problems(TWO_VOLUMES, override)
    assert key in [problem.key for problem in found]
    assert message in " ".join(map(str, found))


def test_machines_that_have_nothing_to_do_are_refused_with_their_line():
    (found,) = problems(ONE_MACHINE)
    assert (found.file, found.line, found.key) == ("storm.toml", 9, "machine.reads")
    assert "nothing to do" in found.cause


def test_a_group_has_a_name_of_its_own():
    load = '\n[[load]]\nname = "machines"\nread = "100 %"\nsize = "4 KiB"\noutstanding = 8\n'
    (found,) = problems(DISK + load)
    assert "is the name of a load too" in found.cause


def test_one_override_may_mean_all_groups():
    group = '\n[[machine]]\nname = "more"\nwait = "2 s"\n'
    text = ONE_MACHINE.replace("bursts = 10", 'bursts = 10\nwait = "1 s"') + group
    loaded = scenario.load_text(text, overrides=["machine[*].count=3", "machine.more.bursts=2"])
    assert [one.count for one in loaded.machines] == [3, 3]
    assert loaded.machines[1].bursts == 2

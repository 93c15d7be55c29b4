# ruff: noqa: E501 - one mistake a line reads as a table
"""What is wrong with a scenario is told with its key and its line."""

import pytest
from scenario_texts import GOOD, ONE_LOAD, problems_of

from raidsim import scenario
from raidsim.errors import InputError
from raidsim.resources import data_folder


@pytest.mark.parametrize(
    ("old", "new", "key", "message"),
    [
        ('model = "fuj', 'modle = "fuj', "host.modle", 'did you mean "model"?'),
        ('model = "fuj', 'modle = "fuj', "host.model", "is missing"),
        ('"fujitsu-rx2540-m1"', '"fujitsu-rx2540-m2"', "host.model", "did you mean"),
        ('"fujitsu-rx2540-m1"', '"intel-p3700-800gb"', "host.model", "of kind ssd, not host"),
        ('"intel-p3700-800gb"', '"fujitsu-rx2540-m1"', "volume.drive", "not ssd"),
        ('"intel-p3700-800gb"', "800", "volume.drive", "is not a text"),
        ("[[volume]]", '[[volume]]\nlevel = "raid3"', "volume.level", "not simulated by this"),
        ("[[volume]]", '[[volume]]\nlevel = "singel"', "volume.level", 'did you mean "single"?'),
        ("[host]", "[hots]", "hots", 'did you mean "host"?'),
        ("[host]", "[hots]", "host", "is missing"),
        ("[[load]]", "[load]", "load", "[[load]], in two brackets"),
        ("[[load]]", "[[laod]]", "load", "is missing"),
        ('"100 %"', '"120 %"', "load.read", "more than 100 %"),
        ('"100 %"', "1", "load.read", "has no unit"),
        ('"100 %"', "true", "load.read", "is not a valid share"),
        ('"8 KiB"', '"8"', "load.size", "has no unit"),
        ('"8 KiB"', '"8 ms"', "load.size", "a unit of time, not of size"),
        ('"8 KiB"', '"1000 B"', "load.size", 'write "512 B" or "1 KiB"'),
        ('"8 KiB"', '"0 B"', "load.size", "not above 0 B"),
        ('"8 KiB"', '"-8 KiB"', "load.size", "negative"),
        ('"8 KiB"', '"nan KiB"', "load.size", "not a number to compute with"),
        ('size = "8 KiB"', "", "load.size", "is missing"),
        ('size = "8 KiB"', "sizes = []", "load.sizes", "is an empty list"),
        ('size = "8 KiB"', 'sizes = "8 KiB"', "load.sizes", "is not a list"),
        ('size = "8 KiB"', 'sizes = ["8 KiB"]', "load.sizes[0]", "is not a table"),
        ('"8 KiB"', '"8 KiB"\nsizes = [{ size = "4 KiB", share = "100 %" }]', "load.sizes", "used with size"),
        ('read = "100 %"', "", "load.read", "is missing"),
        ('read = "100 %"', "flush_every = 1", "load.read", "is missing"),
        ("outstanding = 1", "outstanding = 1\nflush_every = 1", "load.flush_every", "about writes"),
        ('size = "8 KiB"', 'sizes = [{ size = "4 KiB", share = "100 %", read = "9 %" }]', "load.read",
         "has no effect: each of the sizes has"),
        ("outstanding = 1", "outstanding = 1\nzones = []", "load.zones", "is an empty list"),
        ("outstanding = 1", 'outstanding = 1\nzones = [{ area = "9 %", accesses = "100 %" }]',
         "load.zones", "areas add up to 9 %"),
        ("outstanding = 1", 'outstanding = 1\nzones = [{ area = "100 %", accesses = "9 %" }]',
         "load.zones", "accesses add up to 9 %"),
        ("outstanding = 1", 'outstanding = 1\nonce = true\nrandom = "50 %"', "load.once",
         "needs only random accesses"),
        ("outstanding = 1", 'outstanding = 1\nonce = true\nrandom = "0 %"', "load.once", "has none"),
        ("outstanding = 1", "outstanding = 1\nonce = true\nzipf = 1", "load.once", "used with zipf"),
        ("outstanding = 1", 'outstanding = 1\nrate_distribution = "constant"',
         "load.rate_distribution", "this one has none"),
        ("outstanding = 1", "", "load.outstanding", "is missing"),
        ("outstanding = 1", "outstanding = []", "load.outstanding", "is an empty list"),
        ("outstanding = 1", "outstanding = 0", "load.outstanding", "too small"),
        ("outstanding = 1", "outstanding = 10000000000000000000", "load.outstanding", "too large"),
        ("outstanding = 1", "outstanding = [1, 2.5]", "load.outstanding[1]", "not a whole number"),
        ("outstanding = 1", 'outstanding = 1\nrate = "9 IO/s"', "load.rate", "used with outstanding"),
        ("outstanding = 1", 'rate = "0 IO/s"', "load.rate", "too small"),
        ("outstanding = 1", 'arrivals = ["2 s", "1 s"]', "load.arrivals", "not in order"),
        ("outstanding = 1", 'rate = "9 IO/s"\nthink = "1 s"', "load.think", "closed loads"),
        ("outstanding = 1", 'outstanding = 1\nvolume = "dat"', "load.volume", 'mean "data"?'),
        ("outstanding = 1", "outstanding = 1\nworkers = true", "load.workers", "not a whole number"),
        ("outstanding = 1", "outstanding = 1\npriority = 4", "load.priority", "from 0 to 3"),
        ("outstanding = 1", "outstanding = 1\npartitions = 1", "load.partitions", "true or false"),
        ("outstanding = 1", "outstanding = 1\nzipf = nan", "load.zipf", "out of range"),
        ("outstanding = 1", 'outstanding = 1\ntimeout = "soon"', "load.timeout", 'or "none"'),
        ("outstanding = 1", 'outstanding = 1\nalign = "1 B"', "load.align", "sector of 512"),
        ("outstanding = 1", "outstanding = 1\narea = 5", "load.area", "is not a table"),
        ("outstanding = 1", 'outstanding = 1\narea = { length = "1 GiB" }', "load.area.length", "off"),
        ("outstanding = 1", 'outstanding = 1\narea = { size = "1 TB" }', "load.area", "beyond the vol"),
        ("outstanding = 1", 'outstanding = 1\narea = { size = "4 KiB" }', "load.area", "holds no req"),
        ("outstanding = 1", "outstanding = 1\narea = { offset = '1 TB' }", "load.area", "starts at 1 TB"),
        ("outstanding = 1", 'outstanding = 1\nburst = { on = "1 s" }', "load.burst.off", "is missing"),
        ("outstanding = 1", "outstanding = 1\n[measure]\nmin_ios = 9e9", "measure.max_ios", "less than"),
        ("outstanding = 1", 'outstanding = 1\n[measure]\nprecision = "0 %"', "measure.precision", "small"),
        ("[host]", "seed = -1\n[host]", "seed", "too small"),
        ("[host]", "title = 5\n[host]", "title", "is not a text"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_key(old, new, key, message):
    assert old in ONE_LOAD
    found = [p for p in problems_of(ONE_LOAD.replace(old, new, 1)) if p.key == key]
    assert len(found) == 1
    assert message in str(found[0])
    assert found[0].file == "bad.toml"


@pytest.mark.parametrize(
    ("old", "new", "key", "message"),
    [
        ('share = "25 %"', 'share = "20 %"', "load[0].sizes", "add up to 95 %"),
        ("sizes = [", "sizes = [{ size = 5, share = '1 %' },", "load[0].sizes[0].size", "has no unit"),
        ('"90 %" }', '"90 %" }\nzipf = 0.9', "load[0].zipf", "used with hot"),
        ('random = "90 %"', 'random = "0 %"', "load[0].hot", "has none"),
        ("[1, 8]", "[1, 8, 64]", "load[1].rate", "has 2 values, and another load has 3"),
        ("[1, 8]", '[1, 8]\nwithin = "2 ms"', "load[1].rate", "another load is searched for"),
        ('name = "log"', 'name = "mail"', "load[1].name", "earlier [[load]]"),
        ('"60 us"', '"60"', 'volume.set."flash.read_time"', "has no unit"),
        ('"60 us"', '"60 s"', 'volume.set."flash.read_time"', "outside what is possible"),
        ('"flash.read_time"', '"flash.reed_time"', 'volume.set."flash.reed_time"', "did you mean"),
        ("workers = 2", 'workers = 32\npartitions = true', "load[0].area", "beyond a partition"),
    ],
)  # fmt: skip
def test_a_mistake_among_several_loads_is_named_with_its_place(old, new, key, message):
    assert old in GOOD
    (found,) = problems_of(GOOD.replace(old, new, 1))
    assert found.key == key
    assert message in str(found)


def test_the_line_is_that_of_the_key_also_inside_a_list_of_tables():
    text = GOOD.replace('share = "25 %"', 'share = "125 %"')
    line = text[: text.index("125 %")].count("\n") + 1
    assert [p.line for p in problems_of(text)] == [line]
    assert str(problems_of(text)[0]).startswith(f"bad.toml:{line}: load[0].sizes[1].share: ")


def test_all_mistakes_of_a_file_are_reported_at_once_in_the_order_of_the_file():
    text = (
        ONE_LOAD.replace("fujitsu-rx2540-m1", "fujitsu")
        .replace("drive", "driv")
        .replace('"8 KiB"', '"8 KB"')
        .replace("outstanding = 1", "outstanding = 1\noutstanding = 2\nrate = 5 IO/s")
    )
    found = problems_of(text, ["load.workers=0"])
    assert [(p.line, p.key) for p in found] == [
        (2, "host.model"),
        (3, "volume.drive"),
        (4, "volume.driv"),
        (7, "load.size"),
        (9, "load.outstanding"),
        (10, "load.rate"),
        (None, "load.workers"),
    ]


def test_a_key_that_is_given_twice_names_both_lines():
    (found,) = problems_of(ONE_LOAD + "outstanding = 2\n")
    assert str(found) == (
        "bad.toml:9: load.outstanding: is already given on line 8; keep one of the two"
    )


def test_a_table_that_is_given_twice_is_a_mistake():
    (found,) = problems_of(ONE_LOAD + "[host]\n")
    assert (found.line, found.key) == (9, "host")


def test_a_file_without_quotes_says_so():
    (found,) = problems_of(ONE_LOAD.replace('"8 KiB"', "8 KiB"))
    assert found.line == 7
    assert "in quotes" in found.remedy


@pytest.mark.parametrize(
    "content",
    [b"\x7fELF\x02\x01\x01\0\0", b"\xff\xfe[\0h\0", b"[host]\nmodel = \"caf\xe9\"\n", b"\0" * 100],
)  # fmt: skip
def test_what_is_no_text_is_refused(tmp_path, content):
    path = tmp_path / "binary.toml"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        scenario.load(path)
    assert len(caught.value.problems) == 1
    assert str(path) in str(caught.value)


def test_a_byte_order_mark_and_line_ends_of_windows_do_no_harm(tmp_path):
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert scenario.load(path).seed == 7


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("p3700-databse", 'no scenario is called "p3700-databse"; did you mean "p3700-database"?'),
        ("p3700-databse.toml", 'no such file; did you mean "p3700-database"?'),
        ("", "no scenario is called"),
        ("a\0b", "no scenario is called"),
        ("no/such", "no/such: no such file"),
    ],
)
def test_a_scenario_that_is_not_there_is_one_message(name, message):
    with pytest.raises(InputError) as caught:
        scenario.load(name)
    assert message in str(caught.value)


def test_a_folder_is_no_scenario(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        scenario.load(f"{tmp_path}/")


def test_a_device_is_no_scenario():
    with pytest.raises(InputError, match="not a regular file"):
        scenario.load("/dev/zero")


def test_a_huge_file_is_no_scenario(tmp_path):
    path = tmp_path / "huge.toml"
    path.write_bytes(b"# " + b"x" * 5 * 2**20)
    with pytest.raises(InputError, match="larger than 4 MiB"):
        scenario.load(path)


def test_a_folder_called_like_a_scenario_does_not_hide_it(tmp_path, monkeypatch):
    (tmp_path / "p3700-database").mkdir()
    monkeypatch.chdir(tmp_path)
    assert scenario.load("p3700-database").loads[0].name == "database"


def test_a_card_beside_the_scenario_is_found(tmp_path):
    source = data_folder("models") / "intel-p3700-800gb.toml"
    (tmp_path / "mine.toml").write_bytes(source.read_bytes())
    path = tmp_path / "scenario.toml"
    path.write_text(ONE_LOAD.replace("intel-p3700-800gb", "mine.toml"), encoding="utf-8")
    assert scenario.load(path).volumes[0].capacity == 800 * 10**9


def test_a_volume_is_not_called_as_a_controller():
    text = '[[controller]]\nname = "data"\nmodel = "lsi-megaraid-1078-512"\n[[volume]]\ncontroller = "host"'
    (found,) = problems_of(ONE_LOAD.replace("[[volume]]", text, 1))
    assert found.key == "volume.name"
    assert found.cause == '"data" is the name of a controller too'


def test_a_bad_card_is_named_with_its_own_line(tmp_path):
    (tmp_path / "mine.toml").write_text('kind = "hots"\n', encoding="utf-8")
    path = tmp_path / "scenario.toml"
    path.write_text(ONE_LOAD.replace("intel-p3700-800gb", "mine.toml"), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"scenario.toml:4: volume.drive: bad card: \S*mine.toml:1: kind"
    ):
        scenario.load(path)


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 100_000,
        "a = " + "[" * 500 + "]" * 500,
        ".".join("a" * 20_000) + " = 1",
        "[" + ".".join("a" * 20_000) + "]",
        "a = { " + ".".join("a" * 20_000) + " = 1 }",
        "a = " + "{ a = " * 500 + "1" + " }" * 500,
        "seed = " + "9" * 5000,
        "seed = 0x" + "f" * 5000,
        ONE_LOAD.replace("1\n", "9" * 4000 + "\n"),
        ONE_LOAD.replace('"8 KiB"', "1e308"),
        ONE_LOAD.replace('"8 KiB"', "2020-01-01T00:00:00Z"),
        "[[load]]\n" * 3000,
        "\n".join(f"k{n} = " for n in range(3000)),
        '"' * 100_000,
        "[host]\n[host]\n" * 1000,
    ],
    ids=range(15),
)
def test_what_is_absurd_is_refused_soon(text):
    assert len(problems_of(text)) <= 101


def test_a_key_of_thousands_of_steps_is_named_with_its_line():
    (found,) = problems_of("seed = 1\n" + ".".join("a" * 20_000) + " = 1\n")
    assert (found.line, found.cause) == (2, "is nested too deeply")


def test_a_machine_and_a_load_whose_names_cannot_be_read_are_both_told():
    text = ONE_LOAD.replace("read", "name = 1\nread") + "[[machine]]\nname = 2\nreads = 10\n"
    assert [problem.key for problem in problems_of(text)] == ["load.name", "machine.name"]


def test_a_key_of_thousands_of_characters_is_shown_short():
    (found,) = problems_of(f'"{"x" * 4000}" = 1\n' + ONE_LOAD)
    assert len(str(found)) < 400


def test_half_a_character_as_json_lets_through_is_told():
    with pytest.raises(InputError, match="host: holds text that is not UTF-8"):
        scenario.from_data({"host": {"model": "\ud800"}, "volume": [{"drive": "nl-sas-2tb"}]})
    with pytest.raises(InputError, match="host: input should be a valid string"):
        scenario.from_data({"host": {"\ud800": 1}, "volume": [{"drive": "nl-sas-2tb"}]})

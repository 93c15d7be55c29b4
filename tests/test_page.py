"""The page of `raidsim serve`: who may ask, what a text may do, and what a visitor gets."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tomllib

import anyio
import pytest
from command_line import status
from page_server import ENDLESS, QUICK, served, until_over

from raidsim import Scenario, run
from raidsim.errors import InputError
from raidsim.page import bounds, point
from raidsim.page.form import edited, form
from raidsim.page.text import read
from raidsim.report import json_file
from raidsim.scenario import files


@pytest.fixture(scope="module")
def page():
    with served() as visitor:
        yield visitor


# -- who may ask


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "192.0.2.1", ""])
def test_another_name_than_that_of_this_computer_is_refused(page, host):
    assert page.get("/", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost:8642", "[::1]:8642"])
def test_this_computer_may_be_called_by_its_own_names(page, host):
    assert page.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_another_page_cannot_start_runs_with_a_visitors_browser(page, headers):
    assert page.post("/api/runs", json={"text": QUICK}, headers=headers).status_code == 403


def test_a_form_of_another_page_is_no_request(page):
    answer = page.post("/api/runs", content=b"{}", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415


def test_beyond_this_computer_a_token_is_needed_and_is_not_left_in_the_address():
    with served(host="0.0.0.0", token="t0ken") as visitor:
        assert visitor.get("/").status_code == 401
        assert visitor.get("/static/page.css").status_code == 401
        assert visitor.get("/?token=t0keN").status_code == 401
        first = visitor.get("/?token=t0ken&x=1")
        assert (first.status_code, first.headers["location"]) == (303, "/?x=1")
        kept = [one for one in first.headers.get_list("set-cookie") if "t0ken" in one]
        assert len(kept) == 1
        assert "HttpOnly" in kept[0]
        assert "SameSite=Strict" in kept[0]
        assert visitor.get("/").status_code == 200
        visitor.cookies.clear()
        assert visitor.get("/", headers={"Cookie": "raidsim_token=t0ke"}).status_code == 401


def test_a_redirect_leads_nowhere_else():
    with served(host="0.0.0.0", token="t") as visitor:
        place = visitor.get("//evil.example/?token=t").headers["location"]
        assert not place.startswith("//")


@pytest.mark.parametrize("place", ["/", "/static/page.css", "/api/scenarios", "/nowhere"])
def test_every_answer_has_safe_headers(page, place):
    headers = page.get(place).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_pages_hold_no_script_or_style_of_their_own(page):
    for place in ("/", "/nowhere"):
        text = page.get(place).text
        assert "<style" not in text
        assert " style=" not in text
        assert " on" not in [word[:3] for word in text.split("<")]
        assert all(" src=" in script for script in text.split("<script")[1:])
        assert "http://" not in text
        assert "https://" not in text


@pytest.mark.parametrize(
    "place",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/api/scenarios/..%2f..%2fsetup.cfg",
        "/api/scenarios/../../setup.cfg",
        "/runs/../../etc/passwd/result.json",
        "/lessons/..%2fqueues",
        "/api/runs/0123",
    ],
)
def test_no_address_leads_to_a_file_of_the_computer(page, place):
    assert page.get(place).status_code == 404


# -- what a text may do


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('drive = "./card.toml"', "volume.drive"),
        ('drive = "/etc/passwd"', "volume.drive"),
        ('drive = "..\\\\card"', "volume.drive"),
        ('drive = "c:card"', "volume.drive"),
    ],
)
def test_a_card_that_is_a_file_is_refused_at_its_line(line, key):
    text = QUICK.replace('drive = "intel-p3700-800gb"', line)
    with pytest.raises(InputError) as refused:
        read(text)
    (problem,) = refused.value.problems
    assert (problem.line, problem.key) == (8, key)
    assert "reads no files" in problem.cause


def test_what_names_a_file_is_told_together_with_all_else_that_is_wrong():
    wrong = QUICK.replace('"intel-p3700-800gb"', '"../x"').replace('"67 %"', '"670 %"')
    with pytest.raises(InputError) as refused:
        read(wrong.replace('"fujitsu-rx2540-m1"', '"nobody"'))
    assert [one.line for one in refused.value.problems] == [5, 8, 12]


def test_a_trace_is_refused_whether_it_is_there_or_not():
    text = QUICK.replace("outstanding = [1, 8]", 'trace = { file = "tests/data/x" }')
    with pytest.raises(InputError, match=r"load\.trace.*reads no files"):
        read(text)


def test_reading_any_text_opens_files_of_raidsim_only(tmp_path):
    """An audit hook sees every file that is opened, and none can be taken back: in a process."""
    program = """
import sys
from pathlib import Path
opened = []
import raidsim.page.api
from raidsim.page.text import read
QUICK = sys.argv[2]
sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
here = str(Path(raidsim.__file__).resolve().parents[1])
for old, new in (
    ('"fujitsu-rx2540-m1"', '"FILE"'), ('"intel-p3700-800gb"', '"FILE"'), ("[1, 8]", '"FILE"'),
    ("outstanding = [1, 8]", 'trace = { file = "FILE" }'), ('"67 %"', '"FILE"'),
    ("[measure]", '[[controller]]\\nmodel = "FILE"\\n[measure]'),
    ('filled = "5 %"', 'set = { base = "FILE", "flash.read_time" = "FILE" }'),
    ("[measure]", '[[event]]\\nkind = "power-cut"\\nat = "FILE"\\n[measure]'),
    ("schema = 1", 'schema = "FILE"'), ("schema = 1", 'import = "FILE"'),
    ("[measure]", '[[machine]]\\nimage = { volume = "FILE" }\\n[measure]'),
):
    assert old in QUICK
    for file in (sys.argv[1], "../" * 20 + sys.argv[1], "file://" + sys.argv[1]):
        try:
            read(QUICK.replace(old, new.replace("FILE", file)))
        except raidsim.InputError as error:
            pass
        else:
            raise AssertionError(new)
foreign = [name for name in opened if not Path(name).resolve().is_relative_to(here)
           and not name.startswith(sys.prefix) and not name.startswith(sys.base_prefix)]
assert not foreign, foreign
"""
    secret = tmp_path / "secret.toml"
    secret.write_text('name = "secret"')
    subprocess.run([sys.executable, "-c", program, str(secret), QUICK], check=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x" * (bounds.MOST_TEXT + 1), "longer than"),
        ("\n" * bounds.MOST_LINES, "lines"),
        ("a = " + "[" * 20_000, "nested too deeply"),
        ("a." * 10_000 + "b = 1", "nested too deeply"),
        (QUICK + "[[load]]\n" * 40, "too many"),
        ("".join(f"k{n} = 1\n" for n in range(500)), "leave some out"),
        (QUICK.replace("[1, 8]", str(list(range(1, 40)))), "sweep of 39"),
        (QUICK.replace("filled", 'level = "raid0"\ndrives = 200\nfilled'), "200 drives"),
        (QUICK.replace("[1, 8]", "65536"), "65536 outstanding"),
    ],
    ids=lambda value: str(value)[:12],
)
def test_too_much_is_refused_before_it_costs_anything(text, words):
    with pytest.raises(InputError) as refused:
        read(text)
    assert words in str(refused.value)


def test_huge_bodies_are_not_read(page):
    answer = page.post("/api/check", json={"text": "x" * 300_000})
    assert answer.status_code == 413


@pytest.mark.parametrize("length", [b"\xb2", b"9" * 5_000, b"-1", b""], ids=repr)
def test_a_length_that_is_no_number_is_refused(page, length):
    answer = page.post("/api/check", content=b"{}", headers={b"Content-Length": length})
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "seed", ["0", "100", "-1", "x", "\u0661", "0001234", "0001" + "1" * 5_000]
)  # fmt: skip
def test_a_lesson_has_no_more_seeds_than_are_offered(page, seed):
    """Each is computed and kept: zeros in front let any number in."""
    assert page.get("/lessons/queues", params={"seed": seed}).status_code == 404


@pytest.mark.parametrize("place", ["/api/check", "/api/attached", "/live/arrays"])
@pytest.mark.parametrize(("gone", "status"), [(True, 400), (False, 408)])
def test_half_a_request_ends_without_a_traceback(page, place, gone, status, monkeypatch):
    monkeypatch.setattr("raidsim.page.body.BODY_S", 0.05)
    answers = []

    async def ask() -> None:
        come = [{"type": "http.request", "body": b'{"te', "more_body": True}]
        if gone:
            come.append({"type": "http.disconnect"})

        async def receive() -> dict[str, object]:
            return come.pop(0) if come else await anyio.sleep_forever()

        async def send(message: dict[str, object]) -> None:
            answers.append(message)

        headers = {"host": "127.0.0.1", "content-type": "application/json", "content-length": "99"}
        scope = {
            "type": "http", "method": "POST", "path": place, "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }  # fmt: skip
        with anyio.fail_after(5):
            await page.app(scope, receive, send)

    anyio.run(ask)
    assert answers[0]["status"] == status


@pytest.mark.parametrize(
    "body", ["[]", "1", "{}", '{"text": 1}', "{", "[" * 100_000, '{"text": "\\ud800"}']
)
def test_a_body_that_is_no_request_is_told_so(page, body):
    content = {"content": body.encode(), "headers": {"Content-Type": "application/json"}}
    answer = page.post("/api/check", **content)
    assert answer.status_code == 400 or answer.json()["problems"]


@pytest.mark.parametrize(
    ("method", "place", "content", "status"),
    [
        ("GET", "/api/scenarios/none", None, 404),
        ("GET", "/api/runs/none", None, 404),
        ("GET", f"/api/runs/{'0' * 32}", None, 404),
        ("GET", "/api/none", None, 404),
        ("GET", f"/runs/{'0' * 32}/result.json", None, 404),
        ("PUT", "/api/runs", "{}", 405),
        ("GET", "/live/arrays", None, 405),
        ("POST", "/api/check", "{}", 400),
        ("POST", "/api/edit", json.dumps({"text": QUICK}), 400),
        ("POST", "/api/runs", "{", 400),
        ("POST", "/api/runs", json.dumps({"text": QUICK, "point": 1.5}), 400),
        ("POST", "/api/runs", json.dumps({"text": QUICK, "point": 99, "rough": True}), 400),
        ("POST", "/api/attached", "{}", 400),
        ("POST", "/api/check", "x" * 300_000, 413),
    ],
)
def test_a_program_reads_in_json_why_its_request_is_refused(page, method, place, content, status):
    headers = {"Content-Type": "application/json"}
    answer = page.request(method, place, content=content, headers=headers)
    assert answer.status_code == status
    (problem,) = answer.json()["problems"]
    words = problem if isinstance(problem, str) else problem["words"]
    assert words.endswith(".")
    assert words != "This could not be done."


def test_scripts_are_refused_in_json_by_the_guard_too(page):
    strange = page.get("/api/scenarios", headers={"Host": "evil.example", "Accept": "text/html"})
    assert strange.status_code == 421
    assert strange.json()["problems"][0]["words"]
    with served(token="t0ken") as visitor:
        assert "token" in visitor.get("/api/scenarios").json()["problems"][0]["words"]


def test_a_reader_at_a_browser_gets_a_page_that_says_what_is_wrong(page):
    found = page.get("/lessons/none", headers={"Accept": "text/html,*/*;q=0.8"})
    assert found.status_code == 404
    assert found.headers["content-type"].startswith("text/html")
    assert "There is no such lesson." in found.text


def test_a_wrong_method_is_told_the_right_ones(page):
    assert page.put("/api/check", content="{}").headers["allow"] == "POST"


SEED = 9
PIECES = [
    *"[]{}=,.\"'\\\n\0\u2028é😀",
    *('"""', "[[load]]\n", "[volume]\n", "a.b = 1\n", "nan", "1979-05-27"),
    *('trace = { file = "/etc/passwd" }\n', 'drive = "/x"\n'),
]
PATHS = [["load", 0, "read"], ["volume", 0, "level"], ["measure", "precision"], ["load", 9, "size"]]


def test_whatever_is_written_is_answered_in_words(page):
    print("seed", SEED)  # shown if the test fails
    chance = random.Random(SEED)
    for _ in range(200):
        text = QUICK
        for _ in range(chance.randint(1, 5)):
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice(PIECES) + text[at + chance.randint(0, 9) :]
        value = "".join(chance.choices(PIECES, k=chance.randint(0, 3)))
        edit = {"text": text, "path": chance.choice(PATHS), "value": value}
        for answer in (
            page.post("/api/check", json={"text": text}),
            page.post("/api/edit", json=edit),
        ):
            assert answer.status_code == 200, (text, value)
            assert answer.json()["problems"] or answer.json()["form"]


@pytest.mark.parametrize("name", files.names())
def test_every_shipped_scenario_is_within_the_bounds_of_the_page(name):
    read(files.find(name).read_text(encoding="utf-8"))


def test_all_that_is_wrong_with_a_text_is_told_at_its_lines(page):
    wrong = QUICK.replace('"67 %"', '"670 %"').replace('"8 KiB"', '"8 KB"') + "[nothing]\n"
    told = page.post("/api/check", json={"text": wrong}).json()["problems"]
    assert [one["line"] for one in told] == [12, 13, 21]
    with pytest.raises(InputError) as refused:
        Scenario.from_text(wrong)
    words = [str(one).partition(": ")[2] for one in refused.value.problems]
    assert [one["words"] for one in told] == words


# -- the form


def fields(text):
    return {one["key"]: one for group in form(text) for one in group["fields"]}


def test_the_form_shows_what_stands_in_the_text_and_what_holds_where_nothing_does():
    shown = fields(QUICK)
    assert shown["load[0].read"]["value"] == "67 %"
    assert shown["load[0].outstanding"]["value"] == "1, 8"
    assert (shown["volume[0].level"]["value"], shown["volume[0].level"]["default"]) == (
        "",
        "single",
    )
    assert "raid6" in shown["volume[0].level"]["words"]


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        (("load", 0, "read"), "50 %", 'read = "67 %"           #', 'read = "50 %"           #'),
        (("load", 0, "outstanding"), "2, 4", "outstanding = [1, 8]", "outstanding = [2, 4]"),
        (("load", 0, "outstanding"), "32", "outstanding = [1, 8]", "outstanding = 32"),
        (("volume", 0, "level"), "raid0", 'filled = "5 %"\n', 'filled = "5 %"\nlevel = "raid0"\n'),
        (("volume", 0, "filled"), "", 'filled = "5 %"\n', ""),
    ],
)
def test_a_change_in_the_form_changes_one_line_of_the_text(path, value, old, new):
    assert old in QUICK
    assert edited(QUICK, path, value) == QUICK.replace(old, new)


def test_a_table_that_is_not_there_is_begun():
    short = QUICK[: QUICK.index("[measure]")]
    assert read(edited(short, ("measure", "precision"), "2 %")).measure.precision == 0.02


@pytest.mark.parametrize("value", ['x"]\n[evil', "\\", '"""', "a\nb = 1"])
def test_what_is_typed_in_the_form_stays_a_value(value):
    text = edited(QUICK, ("load", 0, "size"), value)
    before, after = tomllib.loads(QUICK), tomllib.loads(text)
    assert after["load"][0].pop("size") == value.strip()
    before["load"][0].pop("size")
    assert after == before


def test_the_form_changes_only_its_own_keys(page):
    for path in (["title"], ["load", 0, "trace"], ["load", 7, "read"], ["load", 0, "read", 1], []):
        answer = page.post("/api/edit", json={"text": QUICK, "path": path, "value": "1"})
        assert answer.status_code == 400 or answer.json()["problems"], path


# -- runs


def test_a_download_has_the_bytes_of_raidsim_run(page, tmp_path):
    found = until_over(page, {"text": QUICK})
    file = tmp_path / "scenario.toml"
    file.write_text(QUICK, encoding="utf-8")
    expected = json_file.render(run(Scenario.read(file)).to_dict())
    answer = page.get(f"/runs/{found['key']}/result.json")
    assert answer.content == expected
    assert answer.headers["content-disposition"] == 'attachment; filename="result.json"'
    rows = found["shown"]["loads"][0]["rows"]
    assert [row["at"] for row in rows] == ["1", "8"]
    for row, simulated in zip(rows, json.loads(expected)["points"], strict=True):
        assert row["iops"] == simulated["iops"]["mean"]
    assert page.get(f"/runs/{found['key']}/picture.svg").text.startswith("<?xml")
    assert page.get(f"/runs/{found['key']}/picture.pdf").status_code == 404


def test_a_turned_knob_measures_the_point_that_a_whole_run_has(page):
    found = until_over(page, {"text": QUICK, "rough": True, "point": 1})
    (row,) = found["shown"]["loads"][0]["rows"]
    assert row["at"] == "8"
    whole = run(read(QUICK, point.changes(read(QUICK), 1))).points[0]
    assert row["iops"] == whole.iops.mean


def test_the_same_is_not_run_again_whoever_asks_and_however_it_is_written(page):
    first = until_over(page, {"text": QUICK})
    page.cookies.clear()
    again = page.post("/api/runs", json={"text": f"# a note\n{QUICK}"}).json()
    assert (again["state"], again["key"]) == ("over", first["key"])


def test_names_and_titles_stay_text(page):
    wicked = "</script><img src=x onerror=alert(1)>"
    text = QUICK.replace('"quick"', f"'{wicked}'").replace("[[load]]", f"[[load]]\nname='{wicked}'")
    found = until_over(page, {"text": text, "rough": True, "point": 0})
    assert found["shown"]["title"] == wicked
    picture = page.get(f"/runs/{found['key']}/picture.svg")
    assert "<img" not in picture.text
    assert "sandbox" in picture.headers["content-security-policy"]
    wrong = page.post("/api/check", json={"text": f"'{wicked}' = 1"})
    assert wrong.headers["content-type"] == "application/json"


def test_an_earlier_turn_of_a_knob_is_not_waited_for(page):
    pool = page.app.state.pool
    endless = ENDLESS.replace("24 h", "22 h")
    first = begun(page, {"text": endless, "page": "a", "turn": 1})
    turned = {"text": QUICK, "rough": True, "point": 0, "page": "a", "turn": 2}
    assert until_over(page, turned)["shown"]
    until_over_of(page, first["key"])
    assert pool.waiting() == 0


def test_a_run_that_does_not_end_is_cut_off_and_its_worker_is_free_again(page):
    page.app.state.pool.limit_s = 1.0
    try:
        cut = until_over(page, {"text": ENDLESS})
    finally:
        page.app.state.pool.limit_s = bounds.RUN_S
    assert "stopped after 1 s" in json.dumps(cut)
    assert until_over(page, {"text": QUICK, "rough": True, "point": 0})["shown"]


def test_a_run_is_stopped_when_its_visitor_says_so(page):
    endless = ENDLESS.replace("24 h", "23 h")
    state = begun(page, {"text": endless})
    assert page.delete(f"/api/runs/{state['key']}").json() == {"shared": False}
    assert "shown" not in until_over_of(page, state["key"])
    assert page.get("/runs/" + state["key"] + "/result.json").status_code == 404


def begun(page, task):
    """What is told of a run once a worker is at it: the first worker has to start."""
    state = page.post("/api/runs", json=task).json()
    while state["state"] == "waiting":
        state = page.get(f"/api/runs/{state['key']}").json()
    assert state["state"] == "running"
    return state


def until_over_of(page, key):
    state = page.get(f"/api/runs/{key}").json()
    while state["state"] != "over":
        state = page.get(f"/api/runs/{key}").json()
    return state


# -- the command


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--limit", "1 KiB"], "--limit: "),
        (["--limit", "2 h"], "out of range"),
        (["--name", "https://lab.example.org"], "--name: "),
        (["--name", "lab.example.org:8642"], "is not a valid name of a host"),
        (["--name", ""], "give it alone, as lab.example.org"),
        (["--host", "192.0.2.1", "--port", "0"], "cannot listen at 192.0.2.1"),
        (["--host", "no.such.host.invalid"], "cannot listen at no.such.host.invalid"),
        (["--host", "no.such.host.invalid"], "; give another --host"),
        (["--host", "192.0.2.1"], "; give an address that this computer has as --host"),
    ],
)
def test_what_cannot_be_served_is_said_in_a_line(arguments, words, capsys):
    assert status("serve", *arguments) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


def test_the_page_starts_without_the_compiler():
    program = "import raidsim.page.serving, sys; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)

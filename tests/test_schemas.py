"""Files carry a schema number: older ones are read, newer ones refused, and it is said so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from synthetic import result

from raidsim import InputError, SchemaWarning, cli
from raidsim.cards.loader import read_card
from raidsim.result import SCHEMA
from raidsim.result.file import parse
from raidsim.scenario import from_data, load_text
from raidsim.scenario import load as load_scenario
from raidsim.schemas import SCHEMAS, Schema, up_to_date
from raidsim.validate.schema import read_claims

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {"scenario": "scenarios", "card": "models", "claims": "validation"}
FILES = {kind: sorted((ROOT / folder).glob("*.toml")) for kind, folder in FOLDERS.items()}
READ = {
    "scenario": lambda text: load_text(text, "file.toml"),
    "card": lambda text: read_card(text, "file.toml"),
    "claims": lambda text: read_claims(text, Path("file.toml")),
}


def shipped(kind: str) -> str:
    """The text of a shipped file, with its number."""
    return FILES[kind][0].read_text("utf-8")


def numbered(kind: str, number: object) -> str:
    """The same with another number; None for none."""
    line = "" if number is None else f"schema = {number}"
    text, found = re.subn(r"^schema = \d+$", line, shipped(kind), flags=re.MULTILINE)
    assert found == 1
    return text


def refusal(call, *args) -> str:
    with pytest.raises(InputError) as refused:
        call(*args)
    return str(refused.value)


@pytest.fixture
def of_tomorrow(monkeypatch: pytest.MonkeyPatch):
    """Let the present schema of a kind of file be 3, with a migration of ``title`` and back."""

    def first(data: dict) -> str:
        data["heading"] = data.pop("title", "none")
        return "title became heading"

    def second(data: dict) -> str:
        data["title"] = data.pop("heading").upper()
        return "heading became title, in capitals"

    return lambda kind: monkeypatch.setitem(SCHEMAS, kind, Schema(3, {1: first, 2: second}))


@pytest.mark.parametrize(
    "path", [path for files in FILES.values() for path in files], ids=lambda path: path.name
)
def test_every_shipped_file_begins_with_the_number_of_its_schema(path):
    statements = [
        line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")
    ]
    kind = next(kind for kind, folder in FOLDERS.items() if folder == path.parent.name)
    assert statements[0] == f"schema = {SCHEMAS[kind].number}"


@pytest.mark.parametrize("kind", READ)
def test_a_file_without_a_number_has_number_1(kind):
    assert str(READ[kind](numbered(kind, None))) == str(READ[kind](shipped(kind)))


@pytest.mark.parametrize("kind", READ)
def test_a_file_of_a_newer_schema_is_refused_with_its_line(kind):
    number = SCHEMAS[kind].number
    message = refusal(READ[kind], numbered(kind, number + 1))
    line = shipped(kind).splitlines().index(f"schema = {number}") + 1
    newer = f"{number + 1} is newer than this version of raidsim, which reads up to {number};"
    newer += " install a newer raidsim"
    assert message == f"file.toml:{line}: schema: {newer}"


@pytest.mark.parametrize("number", ["0", "-1", '"1"', "1.0", "true", "[1]", "9" * 5000])
@pytest.mark.parametrize("kind", READ)
def test_what_is_no_number_is_refused(kind, number):
    assert "schema" in refusal(READ[kind], numbered(kind, number))


def test_a_number_is_no_key_of_a_scenario():
    loaded = load_text(shipped("scenario"))
    assert "schema" not in loaded.resolved()
    message = refusal(load_scenario, "p3700-database", ["schema=1"])
    assert message.startswith(
        "--set: schema: says how a file is written, and is not a key that can be set"
    )


def test_a_result_of_a_newer_schema_is_refused():
    text = result().to_json().replace(SCHEMA, "raidsim.result/3")
    assert "r.json: schema: 3 is newer than this version" in refusal(parse, text, "r.json")


def test_a_scenario_is_not_taken_from_a_result_of_a_newer_schema(tmp_path):
    path = tmp_path / "r.json"
    path.write_text('{"schema": "raidsim.result/3", "scenario": {}}')
    assert "schema: 3 is newer" in refusal(load_scenario, path)


# ---- migrations


def test_an_older_file_goes_through_every_migration_and_each_is_told(of_tomorrow):
    of_tomorrow("scenario")
    data = {"title": "old", "seed": 1}
    with pytest.warns(SchemaWarning) as told:
        assert up_to_date("scenario", data, "old.toml") == {"title": "OLD", "seed": 1}
    assert data == {"title": "old", "seed": 1}
    assert [str(one.message) for one in told] == [
        "old.toml: brought from schema 1 to 2: title became heading",
        "old.toml: brought from schema 2 to 3: heading became title, in capitals",
    ]


def test_a_file_of_the_present_schema_is_read_without_a_word(of_tomorrow):
    of_tomorrow("card")
    assert up_to_date("card", {"schema": 3, "title": "new"}, "new.toml") == {"title": "new"}


@pytest.mark.parametrize("kind", READ)
def test_every_kind_of_file_is_migrated(of_tomorrow, kind):
    of_tomorrow(kind)
    with pytest.warns(SchemaWarning, match=r"file\.toml: brought from schema"):
        read = READ[kind](numbered(kind, 1))
    title = read[0].title if kind == "claims" else read.title
    assert title == title.upper()


def test_the_price_of_an_older_card_is_left_out_and_told():
    price = '\n[price]\neach = { value = 300, unit = "USD", source = "assumed" }\n'
    with pytest.warns(SchemaWarning, match=r"price\.each is left out"):
        read = READ["card"](numbered("card", 1) + price)
    assert not read.has("price.each")


def test_a_result_is_migrated(of_tomorrow):
    of_tomorrow("result")
    with pytest.warns(SchemaWarning, match="r.json: brought from schema"):
        again = parse(result().to_json().replace(SCHEMA, "raidsim.result/1"), "r.json")
    assert again.points == result().points


def test_what_models_leave_out_is_read_from_the_draws_of_older_results():
    data = result().to_dict() | {"schema": "raidsim.result/1"}
    del data["compared"]
    data["unknowns"] = {"draws": 64, "model": 0.25, "model_slower": 0.4, "uncompared": ["a-disk"]}
    with pytest.warns(SchemaWarning, match="compared has what models leave out"):
        moved = up_to_date("result", data, "r.json")
    assert moved["unknowns"] == {"draws": 64}
    assert (moved["compared"]["slower"], moved["compared"]["faster"]) == (0.4, 0.25)
    assert moved["compared"]["uncompared"] == ["a-disk"]


def test_an_older_result_without_draws_is_read_without_a_word():
    older = result().to_json().replace(SCHEMA, "raidsim.result/1")
    assert parse(older, "r.json") == result()


def test_a_migrated_scenario_is_written_with_the_present_number(of_tomorrow):
    of_tomorrow("scenario")
    with pytest.warns(SchemaWarning):
        loaded = load_text(shipped("scenario"))
    assert loaded.resolved()["schema"] == 3
    assert from_data(loaded.resolved()).title == loaded.title
    assert loaded.with_("seed", 2).title == loaded.title


def test_the_command_line_says_in_a_line_what_was_changed(of_tomorrow, tmp_path, capsys):
    of_tomorrow("scenario")
    path = tmp_path / "old.toml"
    path.write_text(shipped("scenario"))
    with pytest.raises(SystemExit) as ended:
        cli.main(["check", str(path)])
    assert ended.value.code == 0
    lines = capsys.readouterr().err.splitlines()
    assert f"{path}: brought from schema 1 to 2: title became heading" in lines


def test_a_card_given_for_a_scenario_is_named_as_one(tmp_path, capsys):
    """Its schema has a higher number: it was told to be of a newer raidsim."""
    path = tmp_path / "drive.toml"
    path.write_text(shipped("card"))
    lines = shipped("card").splitlines()
    line = next(n for n, one in enumerate(lines, 1) if one.startswith("kind = "))
    with pytest.raises(SystemExit) as end:
        cli.main(["check", str(path)])
    assert end.value.code == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"drive.toml:{line}: kind: a file with this key is a card, and no scenario;" in said
    assert "newer" not in said

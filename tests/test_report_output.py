"""Outputs are checked before the run, and whole or not there after it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from raidsim.errors import InputError
from raidsim.report import output
from raidsim.report.output import Target


def json_to(path: Path | str) -> Target:
    return Target("--json", str(path), stdout=True)


def problem_of(*targets: Target, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        output.check(targets, **options)  # type: ignore[arg-type]
    return str(caught.value)


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    target = json_to(tmp_path / "out.json")
    output.check([target])
    assert list(tmp_path.iterdir()) == []
    output.write({target: b"{}\n"})
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]
    assert (tmp_path / "out.json").read_bytes() == b"{}\n"


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    output.write({json_to(tmp_path / "out"): b""})
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_replaced_file_keeps_its_permissions_and_its_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    output.write({json_to(link): b"new"})
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    assert "there is no folder" in problem_of(json_to(tmp_path / "none" / "out.json"))


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    assert "is a folder" in problem_of(json_to(tmp_path))


def test_a_wrong_ending_is_refused_and_the_right_ones_named(tmp_path: Path) -> None:
    target = Target("--plot", str(tmp_path / "plot.gif"), (".png", ".svg"))
    assert "ends in '.gif'; write a name that ends in .png or .svg" in problem_of(target)
    output.check([Target("--plot", str(tmp_path / "plot.PNG"), (".png", ".svg"))])


def test_all_problems_are_named_at_once(tmp_path: Path) -> None:
    text = problem_of(json_to(tmp_path), Target("--csv", str(tmp_path / "x" / "y")))
    assert len(text.splitlines()) == 2


def test_two_outputs_cannot_share_a_file(tmp_path: Path) -> None:
    same = tmp_path / "out"
    assert "output of --json" in problem_of(json_to(same), Target("--csv", str(same)))


def test_no_output_replaces_the_scenario(tmp_path: Path) -> None:
    scenario = tmp_path / "my.toml"
    scenario.write_text("title = 'x'")
    assert "input of this command" in problem_of(json_to(scenario), inputs=[scenario])


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 5000])
def test_a_name_that_no_file_can_have_is_refused(name: str) -> None:
    assert problem_of(json_to(name))


def test_standard_output_is_only_for_what_can_go_there() -> None:
    output.check([json_to("-")])
    assert "not a valid name of a file" in problem_of(Target("--html", "-", (".html",)))


@pytest.mark.skipif(os.name == "nt", reason="no rights of folders")
def test_an_unwritable_folder_is_refused(without_root: Path) -> None:
    without_root.chmod(0o500)
    try:
        assert "permission denied" in problem_of(json_to(without_root / "out.json"))
    finally:
        without_root.chmod(0o700)


def test_a_folder_that_takes_no_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only file system, which even root meets."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    assert "read-only file system" in problem_of(json_to(tmp_path / "out.json"))


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_a_full_disk_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.csv"
    first.write_text("old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*(("os.fsync", full) if fails == "fsync" else (Path, "replace", full)))
    with pytest.raises(InputError, match="no space left on device"):
        output.write({json_to(first): b"new", Target("--csv", str(second)): b"new"})
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    assert first.read_text() == "old"


def test_an_interrupt_leaves_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        output.write({json_to(tmp_path / "out"): b"x"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs /dev/null")
def test_a_device_is_written_to_and_stays_a_device() -> None:
    target = json_to("/dev/null")
    output.check([target, Target("--csv", "/dev/null")])
    output.write({target: b"x"})
    assert not Path("/dev/null").is_file()


def test_standard_output_gets_the_bytes(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    output.write({json_to("-"): "±\n".encode()})
    assert capfdbinary.readouterr().out == "±\n".encode()

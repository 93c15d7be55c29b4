"""raidsim finds its cards and scenarios however it was installed, and wherever it is called.

Three ways to have it (a wheel, an editable install, a bare checkout), each in an
environment of its own that holds the dependencies but not this checkout's raidsim.
No network: everything is built and installed from what is already here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DATA = ("models", "scenarios", "validation")
SOURCES = ("raidsim", *DATA)
FILES = ("pyproject.toml", "setup.cfg", "README.md", "LICENSE")
SMALL_RUN = (
    "p3700-database",
    "--set",
    "load.outstanding=1",
    "--set",
    "volume.state=fresh",
    "--set",
    "measure.min_ios=50",
    "--set",
    "measure.max_ios=100",
)


@dataclass(frozen=True)
class Home:
    """An environment that has raidsim's dependencies, and raidsim if it was installed."""

    folder: Path

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")

    @property
    def raidsim(self) -> str:
        return str(self.folder / "bin" / "raidsim")

    def install(self, *what: str) -> None:
        call(
            self.python,
            *("-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"),
            *("--no-index", *what),
        )


def call(*command: str, cwd: Path | None = None) -> str:
    """Output of a command that must succeed; interpreted, since these runs are tiny."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COV_"))}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=clean | {"NUMBA_DISABLE_JIT": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def new_home(folder: Path) -> Home:
    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    # The dependencies of the environment that runs the tests. Paths listed in a .pth
    # file are not searched for further .pth files, so its editable raidsim stays unseen.
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Home(folder)


def copy_of_the_checkout(folder: Path) -> Path:
    folder.mkdir()
    for name in SOURCES:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    for name in FILES:
        shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    tree = copy_of_the_checkout(folder / "tree")
    call(
        sys.executable,
        *("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"),
        *("--wheel-dir", str(folder), str(tree)),
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def with_wheel(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Home:
    home = new_home(tmp_path_factory.mktemp("installed") / "venv")
    home.install(str(wheel))
    return home


def files_below(folder: Path) -> set[str]:
    found = (p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {p.relative_to(folder).as_posix() for p in found}


def cards() -> list[str]:
    return sorted(p.stem for p in (ROOT / "models").glob("*.toml"))


def test_a_wheel_holds_every_module_and_every_data_file(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    expected = {f"raidsim/{name}" for name in files_below(ROOT / "raidsim")}
    for kind in DATA:
        expected |= {f"raidsim/data/{kind}/{name}" for name in files_below(ROOT / kind)}
    assert sorted(expected - packed) == [], "missing in the wheel: add them to setup.cfg"


def test_a_wheel_lists_models_and_runs_a_scenario_by_name_from_any_folder(
    with_wheel: Home, tmp_path: Path
) -> None:
    listed = call(with_wheel.raidsim, "models", cwd=tmp_path)
    assert all(name in listed for name in cards())

    call(with_wheel.raidsim, "run", *SMALL_RUN, "--json", "out.json", cwd=tmp_path)
    (point,) = json.loads((tmp_path / "out.json").read_text())["points"]
    assert point["iops"]["mean"] > 0


def test_a_wheel_called_inside_a_checkout_uses_its_own_data(
    with_wheel: Home, tmp_path: Path
) -> None:
    checkout = copy_of_the_checkout(tmp_path / "checkout")
    for kind in DATA:
        shutil.rmtree(checkout / kind)
        (checkout / kind).mkdir()
    (checkout / "models" / "impostor.toml").write_text('name = "impostor"\n')

    listed = call(with_wheel.raidsim, "models", cwd=checkout)
    assert all(name in listed for name in cards())
    assert "impostor" not in listed
    call(with_wheel.raidsim, "check", "p3700-database", cwd=checkout)


def test_a_bare_checkout_runs_as_a_module_with_its_own_data(tmp_path: Path) -> None:
    home = new_home(tmp_path / "venv")
    checkout = copy_of_the_checkout(tmp_path / "checkout")

    where = "import raidsim.resources as r; print(r.data_folder('models'))"
    assert call(home.python, "-c", where, cwd=checkout).strip() == str(checkout / "models")
    listed = call(home.python, "-m", "raidsim", "models", cwd=checkout)
    assert all(name in listed for name in cards())
    call(home.python, "-m", "raidsim", "check", "p3700-database", cwd=checkout)


def test_an_editable_install_uses_the_data_of_its_checkout_from_any_folder(tmp_path: Path) -> None:
    home = new_home(tmp_path / "venv")
    checkout = copy_of_the_checkout(tmp_path / "checkout")
    home.install("--editable", str(checkout))

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    where = "import raidsim.resources as r; print(r.data_folder('scenarios'))"
    assert call(home.python, "-c", where, cwd=elsewhere).strip() == str(checkout / "scenarios")
    call(home.raidsim, "check", "p3700-database", cwd=elsewhere)

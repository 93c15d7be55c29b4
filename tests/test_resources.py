"""The data files belong to the code that runs, not to the current folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidsim import resources

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("kind", ["models", "scenarios", "validation"])
def test_a_checkout_uses_the_folders_beside_the_package(kind: resources.Kind) -> None:
    assert resources.data_folder(kind) == ROOT / kind


def test_an_installed_package_prefers_the_data_it_carries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site-packages" / "raidsim"
    carried = package / "data" / "models"
    carried.mkdir(parents=True)
    (tmp_path / "site-packages" / "models").mkdir()  # somebody else's package
    monkeypatch.setattr(resources, "PACKAGE", package)
    assert resources.data_folder("models") == carried


def test_the_current_folder_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models").mkdir()
    monkeypatch.chdir(tmp_path)
    assert resources.data_folder("models") == ROOT / "models"


def test_a_damaged_installation_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "PACKAGE", tmp_path / "raidsim")
    with pytest.raises(FileNotFoundError, match="reinstall raidsim"):
        resources.data_folder("models")

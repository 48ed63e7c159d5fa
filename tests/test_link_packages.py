"""The links that make the rooms of a checkout one package."""

import runpy
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "link_packages.py"


@pytest.mark.skipif(sys.platform == "win32", reason="makes junctions and copies instead of links")
def test_links_are_made_anew_and_lead_to_the_rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run replaces what it finds, and Python searches the folder."""
    checkout, site = tmp_path / "checkout", tmp_path / "site"
    for folder in (checkout / ".ci", checkout / "companion" / "tilekeeper", checkout / "engine", site):
        folder.mkdir(parents=True)
    (checkout / "companion" / "tilekeeper" / "__init__.py").write_text("room = 1\n")
    script = checkout / ".ci" / "link_packages.py"
    script.write_bytes(SCRIPT.read_bytes())
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(site))
    for _ in range(2):
        runpy.run_path(str(script), run_name="__main__")
    package = checkout / ".packages" / "tilekeeper"
    assert (package / "__init__.py").read_text() == "room = 1\n"
    assert (package / "engine").resolve() == checkout / "engine"
    assert not (package / "engine").readlink().is_absolute()
    assert (site / "tilekeeper-checkout.pth").read_text() == f"{package.parent}\n"

"""Holds the tools that check the page's scripts: pinned, with digests, and from no registry by name."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def tooling(repository: Path) -> Path:
    """The folder of the tools."""
    return repository / "companion" / "web" / "tooling"


@pytest.fixture
def packages(tooling: Path) -> dict[str, dict[str, Any]]:
    """What the lock pins, by the folder of each package; the one with the empty name is the project itself."""
    return json.loads((tooling / "package-lock.json").read_text())["packages"]


def test_lock_is_hashed_and_names_no_registry(packages: dict[str, dict[str, Any]]) -> None:
    """Every package has a digest, and it is left to the machine from where it comes."""
    pinned = {name: package for name, package in packages.items() if name}
    assert [name for name, package in pinned.items() if not package.get("integrity", "").startswith("sha512-")] == []
    assert [name for name, package in pinned.items() if "resolved" in package] == []


def test_lock_fits_the_requirements(tooling: Path, packages: dict[str, dict[str, Any]]) -> None:
    """The tools are pinned to the versions that package.json names, all of them for development only."""
    wanted = json.loads((tooling / "package.json").read_text())
    assert "dependencies" not in wanted
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted["devDependencies"]} == wanted[
        "devDependencies"
    ]


def test_tools_are_listed_with_their_licence(repository: Path, tooling: Path) -> None:
    """Each tool has its line in NOTICE."""
    wanted = json.loads((tooling / "package.json").read_text())["devDependencies"]
    listed = {line.split()[0] for line in (repository / "NOTICE").read_text().splitlines() if line.startswith("  ")}
    assert wanted.keys() - listed == set()

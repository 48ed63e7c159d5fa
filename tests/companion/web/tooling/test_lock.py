"""The lock of the JavaScript tools: pinned versions with digests, and no registry."""

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
    """The pinned packages by folder; the one with the empty name is the project itself."""
    return json.loads((tooling / "package-lock.json").read_text())["packages"]


def test_lock_is_hashed_and_names_no_registry(packages: dict[str, dict[str, Any]]) -> None:
    """Every package has a digest, and none has an address to download it from."""
    pinned = {name: package for name, package in packages.items() if name}
    assert [name for name, package in pinned.items() if not package.get("integrity", "").startswith("sha512-")] == []
    assert [name for name, package in pinned.items() if "resolved" in package] == []


def test_lock_fits_the_requirements(tooling: Path, packages: dict[str, dict[str, Any]]) -> None:
    """The tools have the versions of package.json, all of them as development dependencies."""
    wanted = json.loads((tooling / "package.json").read_text())
    assert "dependencies" not in wanted
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted["devDependencies"]} == wanted[
        "devDependencies"
    ]


def test_tools_are_listed_with_their_licence(repository: Path, tooling: Path) -> None:
    """Each tool has a line in NOTICE."""
    wanted = json.loads((tooling / "package.json").read_text())["devDependencies"]
    listed = {line.split()[0] for line in (repository / "NOTICE").read_text().splitlines() if line.startswith("  ")}
    assert wanted.keys() - listed == set()

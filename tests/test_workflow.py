"""The workflow of hosted CI: it runs what is supported and downloads from nowhere in particular."""

import re
import tomllib
from pathlib import Path


def test_workflow_runs_every_supported_python_on_three_systems() -> None:
    """The Pythons are those that the project names; packages come from wherever the service's pip looks."""
    root = Path(__file__).parents[1]
    text = (root / ".github" / "workflows" / "quick.yml").read_text(encoding="utf-8")
    named = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    prefix = "Programming Language :: Python :: 3."
    supported = [name.rpartition(" ")[2] for name in named if name.startswith(prefix)]
    assert re.findall(r'"(3\.\d+)"', text) == supported
    assert re.findall(r"(\w+)-latest", text) == ["ubuntu", "windows", "macos"]
    assert "://" not in text
    assert "index-url" not in text

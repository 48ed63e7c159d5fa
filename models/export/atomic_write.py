"""Write a manifest atomically, so that nobody reads a half-written file."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping
from typing import Any


def write_manifest(manifest: Mapping[str, Any], path: pathlib.Path) -> None:
    """Replace the manifest of networks at `path`; raise `OSError` if it cannot be written."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
    new.replace(path)

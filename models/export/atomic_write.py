"""Writes a manifest whole or not at all, so that whoever reads it meanwhile never finds half of one."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping
from typing import Any


def write_manifest(manifest: Mapping[str, Any], path: pathlib.Path) -> None:
    """Write a manifest of networks in place of what lies at `path`; raises `OSError` where that can't be written."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
    new.replace(path)

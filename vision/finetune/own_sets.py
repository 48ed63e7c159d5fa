"""Own last layers as data: one file for each named set of tiles, with the network that it was fitted for."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import unicodedata
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.finetune.layer import LastLayer, namer_sha256

FOLDER = "own-sets"
LONGEST_NAME = 60
UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)
"""What reading a damaged file raises."""


class OwnSetRefused(Exception):  # noqa: N818, the name says it
    """There is no such own set, or it can't be used with this network; the message says in one line what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnSet:
    """A last layer fitted to one set of tiles.

    `name` is the user's; `fitted_for` the SHA-256 of the namer whose features it takes; `examples` how many crops it
    was fitted to; `fitted_at` when, as UTC in ISO 8601.
    """

    name: str
    layer: LastLayer
    fitted_for: str
    examples: int
    fitted_at: str

    def require_for(self, manifest: Mapping[str, Any]) -> None:
        """Raise `OwnSetRefused` where it was fitted for another network than a manifest's."""
        if self.fitted_for != namer_sha256(manifest):
            raise OwnSetRefused(
                lazy_gettext(
                    '"{name}" was fitted to another version of the networks; fit it again with '
                    'tilekeeper adapt --name "{name}"',
                    name=self.name,
                )
            )


def file_name(name: str) -> str:
    """A name of the user's as a file's, without its ending: plain letters, and a digest that parts like names.

    Raises `OwnSetRefused` for names that are empty or too long.
    """
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME:
        raise OwnSetRefused(lazy_gettext("a set's name has 1 to {most} characters", most=LONGEST_NAME))
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "set"
    return f"{words[:40]}-{hashlib.sha256(name.casefold().encode()).hexdigest()[:8]}"


def save_own_set(data_folder: Path, own: OwnSet) -> Path:
    """Keep an own set in place of what had its name; the file is whole or not there."""
    path = _path(data_folder, own.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {
        "name": own.name,
        "fitted_for": own.fitted_for,
        "examples": own.examples,
        "fitted_at": own.fitted_at,
    }
    store = io.BytesIO()
    np.savez_compressed(store, weight=own.layer.weight, bias=own.layer.bias, about=np.array(json.dumps(about)))
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(store.getvalue())
    os.replace(unfinished, path)
    return path


def load_own_set(data_folder: Path, name: str) -> OwnSet:
    """The own set of a name; raises `OwnSetRefused` where there is none, and where its file is damaged."""
    path = _path(data_folder, name)
    if not path.is_file():
        others = ", ".join(f'"{other.name}"' for other in own_sets(data_folder))
        if others:
            raise OwnSetRefused(lazy_gettext('there is no own set "{name}"; choose {others}', name=name, others=others))
        raise OwnSetRefused(lazy_gettext('there is no own set "{name}"; make it with "tilekeeper adapt"', name=name))
    try:
        return _read(path)
    except UNREADABLE:
        raise OwnSetRefused(
            lazy_gettext('the file of "{name}" is damaged; make it again with "tilekeeper adapt"', name=name)
        ) from None


def own_sets(data_folder: Path) -> list[OwnSet]:
    """All own sets that can be read, by name, whatever network they are for."""
    found = []
    for path in (data_folder / FOLDER).glob("*.npz"):
        try:
            found.append(_read(path))
        except UNREADABLE:
            continue
    return sorted(found, key=lambda own: own.name.casefold())


def remove_own_set(data_folder: Path, name: str) -> bool:
    """Take an own set off the disk; whether there was one."""
    path = _path(data_folder, name)
    there = path.is_file()
    path.unlink(missing_ok=True)
    return there


def _path(data_folder: Path, name: str) -> Path:
    return data_folder / FOLDER / f"{file_name(name)}.npz"


def _read(path: Path) -> OwnSet:
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
        about = json.loads(str(arrays["about"]))
        layer = LastLayer(arrays["weight"], arrays["bias"])
    return OwnSet(str(about["name"]), layer, str(about["fitted_for"]), int(about["examples"]), str(about["fitted_at"]))

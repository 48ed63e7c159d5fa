"""Fine-tuned last layers: one file per named set of tiles, and the classifier with such a layer."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import unicodedata
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np

from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.arrays import Floats
from tilekeeper.vision.manifest import ModelsMissing, Sessions, read_checked
from tilekeeper.vision.recognition.classifier import TileClassifier
from tilekeeper.vision.runtime.network import DescribedNetwork

LOGITS, FEATURES = 28, 128
NUMBER, INK, TURN = slice(0, 15), slice(15, 19), slice(19, 20)
"""Logits of the numbers (1 to 13, joker, not a tile), of the inks, and of being upside down."""
LABELS = 20  # number of logits of the label; the other logits are corner offsets


@dataclass(frozen=True, slots=True, eq=False)
class LastLayer:
    """A classifier's last layer: `weight (28, 128)`, `bias (28,)`; `ValueError` unless `float32` and finite."""

    weight: Floats
    bias: Floats

    def __post_init__(self) -> None:
        for name, values, shape in (("weight", self.weight, (LOGITS, FEATURES)), ("bias", self.bias, (LOGITS,))):
            if values.shape != shape or values.dtype != np.float32:
                raise ValueError(f"{name} must be {shape} float32, got {values.shape} {values.dtype}")
            if not np.isfinite(values).all():
                raise ValueError(f"{name} holds what is no finite number")

    def logits(self, features: Floats) -> Floats:
        """Return the logits `(N, 28) float32` of features `(N, 128) float32`."""
        return features @ self.weight.T + self.bias


def classifier_sha256(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a manifest's classifier, in lower case."""
    return str(manifest["classifier"]["sha256"]).lower()


def load_shipped_layer(manifest: Mapping[str, Any], folder: Traversable | None = None) -> LastLayer:
    """Load the last layer of the shipped classifier, or of that in `folder`; raise `ModelsMissing` if it has none."""
    folder = folder or resources.files("tilekeeper.models")
    entry = manifest["classifier"].get("head")
    if entry is None:
        raise ModelsMissing(lazy_gettext("this reader has no separate last layer, so it can't be adapted"))
    data = read_checked(folder, entry, "classifier")
    with np.load(io.BytesIO(data)) as arrays:
        return LastLayer(arrays["weight"], arrays["bias"])


FOLDER = "own-sets"
LONGEST_NAME = 60
UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)  # exceptions of reading a damaged file


class OwnSetRefused(Exception):  # noqa: N818, the name says it
    """An own set is missing, damaged or misnamed, or was fitted for other networks; the message says what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnSet:
    """A last layer fitted to one user's set of tiles.

    `name`: the user's name of the set; `layer`: the fitted layer; `fitted_for`: SHA-256 of the classifier to which the
    layer belongs; `examples`: number of crops used for the fit; `fitted_at`: UTC time in ISO 8601.
    """

    name: str
    layer: LastLayer
    fitted_for: str
    examples: int
    fitted_at: str

    def require_network(self, manifest: Mapping[str, Any]) -> None:
        """Raise `OwnSetRefused` if the set was fitted for another classifier than the manifest's."""
        if self.fitted_for != classifier_sha256(manifest):
            raise OwnSetRefused(
                lazy_gettext(
                    '"{name}" was adapted to another version of the networks; adapt it again with '
                    'tilekeeper adapt --name "{name}"',
                    name=self.name,
                )
            )


def file_name(name: str) -> str:
    """Convert a user's name to a file name without suffix: ASCII words, and a digest that keeps similar names apart.

    Raises `OwnSetRefused` for an empty name or one of more than `LONGEST_NAME` characters.
    """
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME:
        raise OwnSetRefused(lazy_gettext("a set's name has 1 to {most} characters", most=LONGEST_NAME))
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "set"
    return f"{words[:40]}-{hashlib.sha256(name.casefold().encode()).hexdigest()[:8]}"


def save_own_set(data_folder: Path, own_set: OwnSet) -> Path:
    """Store an own set in place of one of the same name, atomically; return the path of its file."""
    path = _path(data_folder, own_set.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    meta = {name: getattr(own_set, name) for name in ("name", "fitted_for", "examples", "fitted_at")}
    store = io.BytesIO()
    np.savez_compressed(store, weight=own_set.layer.weight, bias=own_set.layer.bias, about=np.array(json.dumps(meta)))
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(store.getvalue())
    os.replace(unfinished, path)
    return path


def load_own_set(data_folder: Path, name: str) -> OwnSet:
    """Return the own set with this name; raise `OwnSetRefused` if there is none or its file is damaged."""
    path = _path(data_folder, name)
    if not path.is_file():
        if known := ", ".join(f'"{own_set.name}"' for own_set in list_own_sets(data_folder)):
            raise OwnSetRefused(lazy_gettext('there is no own set "{name}"; choose {others}', name=name, others=known))
        raise OwnSetRefused(lazy_gettext('there is no own set "{name}"; make it with "tilekeeper adapt"', name=name))
    try:
        return _read(path)
    except UNREADABLE:
        raise OwnSetRefused(
            lazy_gettext('the file of "{name}" is damaged; make it again with "tilekeeper adapt"', name=name)
        ) from None


def list_own_sets(data_folder: Path) -> list[OwnSet]:
    """Return all readable own sets, sorted by name, also those fitted for other networks."""
    sets = []
    for path in (data_folder / FOLDER).glob("*.npz"):
        with contextlib.suppress(*UNREADABLE):
            sets.append(_read(path))
    return sorted(sets, key=lambda own_set: own_set.name.casefold())


def remove_own_set(data_folder: Path, name: str) -> bool:
    """Delete an own set; return whether it existed."""
    path = _path(data_folder, name)
    existed = path.is_file()
    path.unlink(missing_ok=True)
    return existed


def _path(data_folder: Path, name: str) -> Path:
    return data_folder / FOLDER / f"{file_name(name)}.npz"


def _read(path: Path) -> OwnSet:
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
        meta = json.loads(str(arrays["about"]))
        layer = LastLayer(arrays["weight"], arrays["bias"])
    return OwnSet(str(meta["name"]), layer, str(meta["fitted_for"]), int(meta["examples"]), str(meta["fitted_at"]))


def build_classifier(sessions: Sessions, own_set: OwnSet | None = None) -> TileClassifier:
    """Return the classifier of `sessions`, with the last layer of `own_set` if one is given.

    Raises `OwnSetRefused` for a set fitted for another classifier, `ModelsMissing` for a classifier without features.
    """
    if own_set is None:
        return TileClassifier(sessions.classifier, sessions.verifier, sessions.figures)
    own_set.require_network(sessions.manifest)
    require_features(sessions.classifier)
    return TileClassifier(sessions.classifier, sessions.verifier, sessions.figures, own_set.layer.logits)


def require_features(session: DescribedNetwork) -> None:
    """Raise `ModelsMissing` if a classifier has no output `features`, as in earlier versions."""
    if "features" not in [output.name for output in session.get_outputs()]:
        raise ModelsMissing(
            lazy_gettext("the installed reader is too old for your own set of tiles; install tilekeeper again")
        )

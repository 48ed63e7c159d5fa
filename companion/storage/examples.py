"""Keeps tiles that people corrected as hard examples on the user's own disk, where the user agreed to it.

Each example is one picture file that shows the tile and nothing else of the room, losslessly, before any whitening; its
name says when it was kept, what the tile is and what it was read as, so that anybody can look at it and delete it with
no program of ours. Nothing is ever sent anywhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from tilekeeper.companion.capture.encoding import decode, encode_png
from tilekeeper.vision.finetune.labelled_crops import heads_of
from tilekeeper.vision.finetune.own_sets import file_name
from tilekeeper.vision.recognition.classifier import CROP_WH, rectify
from tilekeeper.vision.types import INKS

FOLDER, CONSENT_FILE = "examples", "consent.json"
OUR_SET = "our set"
"""What a set of tiles is called while nobody has named it."""
QUESTION = (
    "May Tilekeeper keep small pictures of the tiles that you correct? They stay on this computer, show one tile each, "
    "and help it to know your set. You can look at them and delete them at any time."
)
"""What is asked, once, before anything is kept."""
MOST_KEPT = 600
"""So many of one set are kept; the oldest make room for new ones."""
_NAME = re.compile(
    r"(?P<at>\d{8}T\d{6})_(?P<id>[0-9a-f]{10})_(?P<label>[a-z]+(?:-[a-z0-9]+)?)_(?P<read_as>[a-z]+(?:-[a-z0-9]+)?)"
)


@dataclass(frozen=True, slots=True)
class Example:
    """One kept tile: `label` is what a person says it is, `read_as` what it was read as, in the classifier's words.

    `id` tells it from others; `kept_at` is UTC, as `20261231T235959`.
    """

    id: str
    label: str
    read_as: str
    kept_at: str
    path: Path

    def crop(self) -> np.ndarray:
        """The tile, `(72, 48, 3) uint8` BGR; raises `OSError` where the file is no such picture any more."""
        width, height = CROP_WH
        crop = decode(self.path.read_bytes())
        if crop is None or crop.shape != (height, width, 3):
            raise OSError(f"{self.path} is no picture of {width} by {height} pixels")
        return crop


class Examples:
    """The examples of one set of tiles in a data folder."""

    def __init__(self, data_folder: Path, set_name: str = OUR_SET) -> None:
        """Nothing is made before something is kept; raises `OwnSetRefused` for a name that is none."""
        self._consent = data_folder / FOLDER / CONSENT_FILE
        self._folder = data_folder / FOLDER / file_name(set_name)

    @property
    def folder(self) -> Path:
        """Where the pictures lie, or would lie."""
        return self._folder

    @property
    def agreed(self) -> bool | None:
        """Whether the user agreed that examples are kept; None while nobody has been asked."""
        try:
            said = json.loads(self._consent.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return said["agreed"] is True if isinstance(said, dict) and "agreed" in said else None

    def answer(self, agreed: bool) -> None:
        """Take down the user's answer to `QUESTION`; a no keeps what is there, which `forget` takes away."""
        _write(self._consent, json.dumps({"agreed": agreed, "at": _now()}).encode())

    def keep(
        self,
        image_bgr: np.ndarray,
        image_wh: tuple[int, int],
        quad_px: np.ndarray,
        label: str,
        read_as: str,
        inks: Sequence[str] = INKS,
    ) -> Example | None:
        """Keep a corrected tile; None, and nothing kept, where the user has not agreed.

        A tile that is corrected twice on one picture is kept once, with the last word.

        Args:
            image_bgr: the picture that was read, `(H, W, 3) uint8`, in any size.
            image_wh: the reading's, in whose pixels the corners are.
            quad_px: the tile's corners `(4, 2)`, clockwise from its own top left as it was read.
            label: what a person says it is: `red-7`, `joker` or `no-tile`.
            read_as: what it was read as.
            inks: the edition's words for black, blue, the warm ink and red, which both labels use.
        """
        if self.agreed is not True:
            return None
        scale = np.array(image_bgr.shape[1::-1], np.float32) / np.array(image_wh, np.float32)
        quad = np.asarray((quad_px + 0.5) * scale - 0.5, np.float32)  # pixel centres lie at whole numbers
        crop = rectify(image_bgr, quad[None])[0][0]
        return self._keep(crop, _classifier_label(label, inks), _classifier_label(read_as, inks))

    def all(self) -> list[Example]:
        """What is kept, the oldest first."""
        found = []
        for path in self._folder.glob("*.png"):
            name = _NAME.fullmatch(path.stem)
            if name is not None and _known(name["label"]):
                found.append(Example(name["id"], name["label"], name["read_as"], name["at"], path))
        return sorted(found, key=lambda example: (example.kept_at, example.id))

    def forget(self, ids: Sequence[str] | None = None) -> int:
        """Delete the examples of these ids, or all; how many there were."""
        gone = [example for example in self.all() if ids is None or example.id in ids]
        for example in gone:
            example.path.unlink(missing_ok=True)
        return len(gone)

    def _keep(self, crop: np.ndarray, label: str, read_as: str) -> Example:
        id_ = hashlib.sha256(crop.tobytes()).hexdigest()[:10]
        kept = self.all()
        for older in [one for one in kept if one.id == id_] + kept[: max(0, len(kept) + 1 - MOST_KEPT)]:
            older.path.unlink(missing_ok=True)
        at = _now()
        path = self._folder / f"{at}_{id_}_{label}_{read_as}.png"
        _write(path, encode_png(crop))
        return Example(id_, label, read_as, at, path)


def _classifier_label(label: str, inks: Sequence[str]) -> str:
    """A label with the classifier's word for its ink; raises `ValueError` for what is no label."""
    ink, dash, number = label.partition("-")
    word = f"{INKS[list(inks).index(ink)]}-{number}" if dash and ink in inks else label
    heads_of(word)
    return word


def _known(label: str) -> bool:
    try:
        heads_of(label)
    except ValueError:
        return False
    return True


def _now() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S")


def _write(path: Path, data: bytes) -> None:
    """Write a file that is whole or not there, whatever happens to the machine meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(data)
    os.replace(unfinished, path)

"""Stores crops of corrected tiles on the user's disk, if the user agrees, to fine-tune the classifier to these tiles.

Each example is a lossless image of one tile before white balancing; it shows nothing else of the room. Its file name
has the time, the correct label and the label that was read, so that anybody can look at it and delete it. Nothing is
ever sent anywhere.
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
from tilekeeper.vision.finetune.labelled_crops import classes_of_label
from tilekeeper.vision.finetune.own_sets import file_name
from tilekeeper.vision.recognition.classifier import CROP_WH, crop_tiles
from tilekeeper.vision.types import INKS

FOLDER, CONSENT_FILE = "examples", "consent.json"
OUR_SET = "our set"
"""The name of a set of tiles if the user gives none."""
QUESTION = (
    "May Tilekeeper keep small pictures of the tiles that you correct? They stay on this computer, show one tile each, "
    "and help it to know your set. You can look at them and delete them at any time."
)
"""The question that the user must answer with yes before anything is stored; it is asked once."""
MOST_KEPT = 600
"""The maximum number of examples of one set of tiles; a new one replaces the oldest."""
_NAME = re.compile(
    r"(?P<at>\d{8}T\d{6})_(?P<id>[0-9a-f]{10})_(?P<label>[a-z]+(?:-[a-z0-9]+)?)_(?P<read_as>[a-z]+(?:-[a-z0-9]+)?)"
)


@dataclass(frozen=True, slots=True)
class StoredTile:
    """One stored example: the crop of a corrected tile, with its labels.

    Attributes:
        id: the first digits of the crop's SHA-256 digest.
        label: the correct label, by a person, in the classifier's form.
        read_as: the label that was read.
        kept_at: when the example was stored, in UTC, as `20261231T235959`.
        path: the PNG file.
    """

    id: str
    label: str
    read_as: str
    kept_at: str
    path: Path

    def crop(self) -> np.ndarray:
        """Return the crop, BGR `(72, 48, 3) uint8`; raise `OSError` if the file is not such an image."""
        width, height = CROP_WH
        crop = decode(self.path.read_bytes())
        if crop is None or crop.shape != (height, width, 3):
            raise OSError(f"{self.path} is no picture of {width} by {height} pixels")
        return crop


class Examples:
    """The stored examples of one set of tiles, with the user's consent."""

    def __init__(self, data_folder: Path, set_name: str = OUR_SET) -> None:
        """Use a data folder and a set of tiles; raise `OwnSetRefused` if its name is not allowed."""
        self._consent = data_folder / FOLDER / CONSENT_FILE
        self._folder = data_folder / FOLDER / file_name(set_name)

    @property
    def folder(self) -> Path:
        """The folder of the crops, which may not exist yet."""
        return self._folder

    @property
    def agreed(self) -> bool | None:
        """Whether the user has agreed to store examples; None if the question is not answered yet."""
        try:
            consent = json.loads(self._consent.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return consent["agreed"] is True if isinstance(consent, dict) and "agreed" in consent else None

    def answer(self, agreed: bool) -> None:
        """Store the user's answer to `QUESTION`; the answer no does not delete stored examples (see `forget`)."""
        _write(self._consent, json.dumps({"agreed": agreed, "at": _now()}).encode())

    def keep(
        self,
        image_bgr: np.ndarray,
        image_wh: tuple[int, int],
        quad_px: np.ndarray,
        label: str,
        read_as: str,
        inks: Sequence[str] = INKS,
    ) -> StoredTile | None:
        """Store a corrected tile; do nothing and return None if the user has not agreed.

        A tile that is corrected twice in one image is stored once, with the last label.

        Args:
            image_bgr: the image that was read, `(H, W, 3) uint8`, in any size.
            image_wh: the image size of the reading, whose pixels are the unit of `quad_px`.
            quad_px: the tile's corners `(4, 2)`, clockwise from the tile's top left as it was read.
            label: the correct label, by a person: `red-7`, `joker` or `no-tile`.
            read_as: the label that was read.
            inks: the edition's names for black, blue, the warm ink and red, which both labels use.
        """
        if self.agreed is not True:
            return None
        scale = np.array(image_bgr.shape[1::-1], np.float32) / np.array(image_wh, np.float32)
        quad = np.asarray((quad_px + 0.5) * scale - 0.5, np.float32)  # pixel centres are at whole numbers
        crop = crop_tiles(image_bgr, quad[None])[0][0]
        return self._store(crop, _classifier_label(label, inks), _classifier_label(read_as, inks))

    def all(self) -> list[StoredTile]:
        """Return all stored examples, the oldest first."""
        examples = []
        for path in self._folder.glob("*.png"):
            name = _NAME.fullmatch(path.stem)
            if name is not None and _is_label(name["label"]):
                examples.append(StoredTile(name["id"], name["label"], name["read_as"], name["at"], path))
        return sorted(examples, key=lambda example: (example.kept_at, example.id))

    def forget(self, ids: Sequence[str] | None = None) -> int:
        """Delete the examples with these ids, or all for None; return how many were deleted."""
        deleted = [example for example in self.all() if ids is None or example.id in ids]
        for example in deleted:
            example.path.unlink(missing_ok=True)
        return len(deleted)

    def _store(self, crop: np.ndarray, label: str, read_as: str) -> StoredTile:
        id_ = hashlib.sha256(crop.tobytes()).hexdigest()[:10]
        stored = self.all()
        same = [example for example in stored if example.id == id_]
        for replaced in same + stored[: max(0, len(stored) + 1 - MOST_KEPT)]:
            replaced.path.unlink(missing_ok=True)
        at = _now()
        path = self._folder / f"{at}_{id_}_{label}_{read_as}.png"
        _write(path, encode_png(crop))
        return StoredTile(id_, label, read_as, at, path)


def _classifier_label(label: str, inks: Sequence[str]) -> str:
    """Return a label with the classifier's name of its ink; raise `ValueError` if it is not a label."""
    ink, dash, number = label.partition("-")
    renamed = f"{INKS[list(inks).index(ink)]}-{number}" if dash and ink in inks else label
    classes_of_label(renamed)  # raises if it is not a label
    return renamed


def _is_label(label: str) -> bool:
    try:
        classes_of_label(label)
    except ValueError:
        return False
    return True


def _now() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S")


def _write(path: Path, data: bytes) -> None:
    """Write a file atomically: after a crash of this process it is complete or missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(data)
    os.replace(unfinished, path)

"""The crops that ship with the networks to hold an own layer by: some to fit against, others to measure on.

`adapt-check.npz`, made by `python -m tilekeeper.models.calibration.guard_crops`: JPEG-coded crops of rendered tables.
Those `held` are of printings that the networks were trained on, those to `check` of printings that they never saw, so
that what is measured is neither what was trained on nor what was fitted to.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

import cv2
import numpy as np

from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.arrays import Bools, Floats
from tilekeeper.vision.finetune.labelled_crops import NO_INK, Lessons
from tilekeeper.vision.finetune.layer import INK, NUMBER, TURN
from tilekeeper.vision.manifest import ModelsMissing
from tilekeeper.vision.types import NOT_A_TILE

FILE = "adapt-check.npz"
PARTS = ("held", "check")


@dataclass(frozen=True, slots=True, eq=False)
class ShippedCrops:
    """The crops to fit against and those to measure on."""

    held: Lessons
    check: Lessons


def load_shipped_crops(folder: Traversable | None = None) -> ShippedCrops:
    """The crops that ship with the project, or those in `folder`; raises `ModelsMissing`."""
    folder = folder or resources.files("tilekeeper.models")
    try:
        with np.load(io.BytesIO(folder.joinpath(FILE).read_bytes()), allow_pickle=False) as arrays:
            return ShippedCrops(*(_decoded(arrays, part) for part in PARTS))
    except OSError:
        raise ModelsMissing(lazy_gettext("the file {file} is missing; install tilekeeper again", file=FILE)) from None
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise ModelsMissing(lazy_gettext("the file {file} is damaged; install tilekeeper again", file=FILE)) from None


def _decoded(arrays: np.lib.npyio.NpzFile, part: str) -> Lessons:
    codes = np.split(arrays[f"{part}_jpeg"], arrays[f"{part}_ends"][:-1])
    crops = [cv2.imdecode(code, cv2.IMREAD_COLOR) for code in codes]
    if any(crop is None for crop in crops):
        raise ValueError("a crop can't be decoded")
    numbers, inks, turned = (arrays[f"{part}_{name}"] for name in ("numbers", "inks", "turned"))
    return Lessons(np.array(crops), numbers.astype(np.int64), inks.astype(np.int64), turned.astype(bool))


def rightly_named(logits: Floats, lessons: Lessons) -> Bools:
    """Which crops are named as they should be, `(N,) bool`: the number, the ink where there is one, and the way up.

    Of a tile on its head the number is not asked: the reader turns it round first.
    """
    right = (logits[:, NUMBER].argmax(axis=1) == lessons.numbers) | lessons.turned
    right &= (lessons.inks == NO_INK) | (logits[:, INK].argmax(axis=1) == lessons.inks)
    up = (logits[:, TURN.start] > 0) == lessons.turned
    rightly: Bools = right & (up | (lessons.numbers == NOT_A_TILE))
    return rightly

"""The crops that ship with the networks to hold an own layer by: some to fit against, others to measure on.

`adapt-check.npz`, made by `python -m tilekeeper.models.calibration.guard_crops`: crops of rendered tables, those
of each part in one WebP picture. Those `held` are of printings that the networks were trained on, those to `check` of
printings that they never saw, so that what is measured is neither what was trained on nor what was fitted to.
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
from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.finetune.labelled_crops import NO_INK, Lessons
from tilekeeper.vision.finetune.layer import INK, NUMBER, TURN
from tilekeeper.vision.manifest import ModelsMissing
from tilekeeper.vision.recognition.classifier import CROP_WH
from tilekeeper.vision.types import NOT_A_TILE

FILE = "adapt-check.npz"
PARTS = ("held", "check")
SHEET_CROPS, BLOCK_PX = 30, 16


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


def as_sheet(crops: Image) -> Image:
    """Return crops `(N, H, W, 3) uint8` in one picture, `SHEET_CROPS` beside each other; `crops_of_sheet` undoes it."""
    count, height, width, _ = crops.shape
    below = -height % BLOCK_PX  # a crop ends with a block of the code, and none runs into the next
    whole = np.pad(crops, ((0, -count % SHEET_CROPS), (0, below), (0, 0), (0, 0)), "edge")
    rows = whole.reshape(-1, SHEET_CROPS, height + below, width, 3).swapaxes(1, 2)
    return np.ascontiguousarray(rows.reshape(-1, SHEET_CROPS * width, 3))


def crops_of_sheet(sheet: Image, count: int) -> Image:
    """Return the first crops of a sheet, `(count, H, W, 3) uint8`, H and W being those of `CROP_WH`."""
    width, height = CROP_WH
    rows = sheet.reshape(-1, height + -height % BLOCK_PX, SHEET_CROPS, width, 3).swapaxes(1, 2)
    return np.ascontiguousarray(rows.reshape(-1, *rows.shape[2:])[:count, :height])


def _decoded(arrays: np.lib.npyio.NpzFile, part: str) -> Lessons:
    sheet = cv2.imdecode(arrays[f"{part}_webp"], cv2.IMREAD_COLOR)
    if sheet is None:
        raise ValueError("the crops can't be decoded")
    numbers, inks, turned = (arrays[f"{part}_{name}"] for name in ("numbers", "inks", "turned"))
    crops = crops_of_sheet(np.asarray(sheet), len(numbers))
    return Lessons(crops, numbers.astype(np.int64), inks.astype(np.int64), turned.astype(bool))


def rightly_named(logits: Floats, lessons: Lessons) -> Bools:
    """Which crops are named as they should be, `(N,) bool`: the number, the ink where there is one, and the way up.

    Of a tile on its head the number is not asked: the reader turns it round first.
    """
    right = (logits[:, NUMBER].argmax(axis=1) == lessons.numbers) | lessons.turned
    right &= (lessons.inks == NO_INK) | (logits[:, INK].argmax(axis=1) == lessons.inks)
    up = (logits[:, TURN.start] > 0) == lessons.turned
    rightly: Bools = right & (up | (lessons.numbers == NOT_A_TILE))
    return rightly

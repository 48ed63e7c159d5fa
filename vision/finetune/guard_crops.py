"""Guard crops that ship with the networks: they keep a fine-tuned layer close to the shipped one, and measure it.

`adapt-check.npz` is made by `python -m tilekeeper.models.calibration.guard_crops` from rendered tables; the crops of
each part are in one WebP image. The `held` crops are of printings in the training data; the `check` crops are of
held-out printings, so that the measurement is independent of training and fit.
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
from tilekeeper.vision.finetune.labelled_crops import NO_INK, LabelledCrops
from tilekeeper.vision.finetune.layer import INK, NUMBER, TURN
from tilekeeper.vision.manifest import ModelsMissing
from tilekeeper.vision.recognition.classifier import CROP_WH
from tilekeeper.vision.types import NOT_A_TILE

FILE = "adapt-check.npz"
PARTS = ("held", "check")
SHEET_CROPS, BLOCK_PX = 30, 16


@dataclass(frozen=True, slots=True, eq=False)
class ShippedCrops:
    """Crops to regularise the fit with (`held`) and crops to measure on (`check`)."""

    held: LabelledCrops
    check: LabelledCrops


def load_shipped_crops(folder: Traversable | None = None) -> ShippedCrops:
    """Return the crops that ship with the project, or those in `folder`; raise `ModelsMissing`."""
    folder = folder or resources.files("tilekeeper.models")
    try:
        with np.load(io.BytesIO(folder.joinpath(FILE).read_bytes()), allow_pickle=False) as arrays:
            return ShippedCrops(*(_decode(arrays, part) for part in PARTS))
    except OSError:
        raise ModelsMissing(lazy_gettext("the file {file} is missing; install tilekeeper again", file=FILE)) from None
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise ModelsMissing(lazy_gettext("the file {file} is damaged; install tilekeeper again", file=FILE)) from None


def pack_sheet(crops: Image) -> Image:
    """Return crops `(N, H, W, 3) uint8` as one image, `SHEET_CROPS` per row; `unpack_sheet` is the inverse."""
    count, height, width, _ = crops.shape
    padding = -height % BLOCK_PX  # crops end on a block of the codec, so that they do not blend
    padded = np.pad(crops, ((0, -count % SHEET_CROPS), (0, padding), (0, 0), (0, 0)), "edge")
    rows = padded.reshape(-1, SHEET_CROPS, height + padding, width, 3).swapaxes(1, 2)
    return np.ascontiguousarray(rows.reshape(-1, SHEET_CROPS * width, 3))


def unpack_sheet(sheet: Image, count: int) -> Image:
    """Return the first crops of a sheet, `(count, H, W, 3) uint8`, with H and W of `CROP_WH`."""
    width, height = CROP_WH
    rows = sheet.reshape(-1, height + -height % BLOCK_PX, SHEET_CROPS, width, 3).swapaxes(1, 2)
    return np.ascontiguousarray(rows.reshape(-1, *rows.shape[2:])[:count, :height])


def _decode(arrays: np.lib.npyio.NpzFile, part: str) -> LabelledCrops:
    sheet = cv2.imdecode(arrays[f"{part}_webp"], cv2.IMREAD_COLOR)
    if sheet is None:
        raise ValueError("the crops can't be decoded")
    numbers, inks, turned = (arrays[f"{part}_{name}"] for name in ("numbers", "inks", "turned"))
    crops = unpack_sheet(np.asarray(sheet), len(numbers))
    return LabelledCrops(crops, numbers.astype(np.int64), inks.astype(np.int64), turned.astype(bool))


def are_classified_correctly(logits: Floats, crops: LabelledCrops) -> Bools:
    """Return which crops are classified correctly in number, ink and direction, `(N,) bool`.

    The number of an upside-down crop is ignored, because the reader turns the tile first.
    """
    is_right = (logits[:, NUMBER].argmax(axis=1) == crops.numbers) | crops.turned
    is_right &= (crops.inks == NO_INK) | (logits[:, INK].argmax(axis=1) == crops.inks)
    is_direction_right = (logits[:, TURN.start] > 0) == crops.turned
    are_right: Bools = is_right & (is_direction_right | (crops.numbers == NOT_A_TILE))
    return are_right

"""Labelled crops: a user's own, to which a last layer is fitted, and shipped crops of other sets, which guard it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

import cv2
import numpy as np

from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.arrays import Bools, Columns, Floats, Image, Ints, expect_shape
from tilekeeper.vision.finetune.own_sets import FEATURES, INK, LOGITS, NUMBER, TURN
from tilekeeper.vision.manifest import ModelsMissing
from tilekeeper.vision.recognition.classifier import CROP_WH, whiten_to_bytes
from tilekeeper.vision.runtime.network import Network, space_to_depth
from tilekeeper.vision.types import INKS, JOKER, NO_TILE_LABEL, NOT_A_TILE, NUMBERS

BATCH = 64
NO_INK = -1  # ink of a joker and of a non-tile

FeatureExtractor = Callable[[Image], tuple[Floats, Floats]]
"""Function from crops `(N, 72, 48, 3) uint8` BGR to logits `(N, 28)` and features `(N, 128)`, both float32."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledCrops(Columns):
    """N crops with their labels.

    `crops`: `(N, 72, 48, 3) uint8` BGR, before whitening; `numbers`: `(N,)`, 0 to 14 (`JOKER`, `NOT_A_TILE`); `inks`:
    `(N,)` indices into `INKS`, or `NO_INK`; `turned`: mask `(N,)` of upside-down crops. `ValueError` for other shapes.
    """

    crops: Image
    numbers: Ints
    inks: Ints
    turned: Bools

    def __post_init__(self) -> None:
        width, height = CROP_WH
        shape, dtype = self.crops.shape, self.crops.dtype
        if shape[1:] != (height, width, 3) or dtype != np.uint8:
            raise ValueError(f"crops must be (N, {height}, {width}, 3) uint8, got {shape} {dtype}")
        for name in ("numbers", "inks", "turned"):
            expect_shape(name, getattr(self, name), (len(self.crops),))

    @classmethod
    def from_labels(cls, crops: Sequence[Image], labels: Sequence[str]) -> LabelledCrops:
        """Combine upright crops with labels like `red-7`, `joker`, `no-tile`; raise `ValueError` for other labels."""
        width, height = CROP_WH
        numbers, inks = np.array([classes_of_label(label) for label in labels], np.int64).reshape(-1, 2).T
        images = np.array(crops, np.uint8).reshape(-1, height, width, 3)
        return cls(images, numbers, inks, np.zeros(len(numbers), bool))


def classes_of_label(label: str) -> tuple[int, int]:
    """Return number (0 to 14) and ink (or `NO_INK`) of a label like `red-7`; raise `ValueError` for other texts."""
    if label == "joker":
        return JOKER, NO_INK
    if label == NO_TILE_LABEL:
        return NOT_A_TILE, NO_INK
    ink, _, number = label.partition("-")
    if ink not in INKS or not number.isdecimal() or not 1 <= int(number) <= NUMBERS:
        raise ValueError(f"{label!r} is no label of a tile; such are {INKS[-1]}-7, joker, {NO_TILE_LABEL}")
    return int(number) - 1, INKS.index(ink)


def feature_extractor(session: Network) -> FeatureExtractor:
    """Return a function from crops to the classifier's logits `(N, 28)` and features `(N, 128)`, run in batches."""

    def features(crops: Image) -> tuple[Floats, Floats]:
        all_logits: list[Floats] = [np.zeros((0, LOGITS), np.float32)]
        all_features: list[Floats] = [np.zeros((0, FEATURES), np.float32)]
        for start in range(0, len(crops), BATCH):
            squares = space_to_depth(whiten_to_bytes(crops[start : start + BATCH]))
            batch_logits, batch_features = session.run(["logits", "features"], {"crops": squares})
            all_logits.append(batch_logits)
            all_features.append(batch_features)
        return np.concatenate(all_logits), np.concatenate(all_features)

    return features


FILE = "adapt-check.npz"
PARTS = ("held", "check")
SHEET_CROPS, BLOCK_PX = 30, 16


@dataclass(frozen=True, slots=True, eq=False)
class ShippedCrops:
    """Shipped crops of other sets: `held` to regularise the fit, `check` to measure its result."""

    held: LabelledCrops
    check: LabelledCrops


def load_shipped_crops(folder: Traversable | None = None) -> ShippedCrops:
    """Load the shipped crops, or those in `folder`; raise `ModelsMissing` if the file is missing or damaged."""
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
    """Return a mask `(N,)` of the crops whose number, ink and direction are right, by their `logits (N, 28)`.

    The number of an upside-down crop is ignored, because the reader turns such a tile and classifies it again.
    """
    is_right = (logits[:, NUMBER].argmax(axis=1) == crops.numbers) | crops.turned
    is_right &= (crops.inks == NO_INK) | (logits[:, INK].argmax(axis=1) == crops.inks)
    is_direction_right = (logits[:, TURN.start] > 0) == crops.turned
    return np.asarray(is_right & (is_direction_right | (crops.numbers == NOT_A_TILE)))

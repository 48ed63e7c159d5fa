"""Tiles and tables of the real photos as the looks of a recording: random games with real sets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from tests.benchmarks.vision.photos import EMPTY
from tilekeeper.datasets.photos import AnnotatedPhoto
from tilekeeper.datasets.synthesis.printings.faces import Face, rounded
from tilekeeper.datasets.synthesis.printings.printing import Printing, draw_printing
from tilekeeper.datasets.synthesis.recordings.studio import Looks
from tilekeeper.vision.geometry.quads import TILE_ASPECT, rectify, sizes_wh_px

LABELS = 53
"""Number of labels of a whole set; a session with fewer cannot play a game."""
FACE_WH = (128, round(128 * TILE_ASPECT))
LEAST_PX = 40.0
"""Tiles narrower than this on their photo are not used."""
CORNER = 0.08
"""Radius of a tile's corners in tile widths; the table of the photo shows outside them."""


class PhotoLooks:
    """The tiles of each session with a whole set, and the empty tables."""

    def __init__(self, photos: Sequence[AnnotatedPhoto]) -> None:
        """Crop all large enough tiles; the photos need a session with a whole set, and an empty table."""
        self._tables = [photo for photo in photos if photo.session == EMPTY]
        tiles: dict[str, dict[str, list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
        for photo in photos:
            image = _picture(photo) if photo.tiles else None
            for tile in photo.tiles:
                if image is not None and not tile.cut and sizes_wh_px(tile.quad_px[None])[0, 0] >= LEAST_PX:
                    tiles[photo.session][tile.label].append(rectify(image, tile.quad_px, FACE_WH))
        self._sets = [faces for _, faces in sorted(tiles.items()) if len(faces) == LABELS]

    def draw(self, seed: int) -> Looks:
        """Return the looks of a seed: tiles of one session, each from a random photo, on a random empty table."""
        rng = np.random.default_rng([seed, 17])
        faces = self._sets[int(rng.integers(len(self._sets)))]
        table = self._tables[int(rng.integers(len(self._tables)))]
        white = np.median([_white(face) for samples in faces.values() for face in samples], axis=0)
        chosen = {
            (label, twin): _in_light(samples[int(rng.integers(len(samples)))], white)
            for label, samples in faces.items()
            for twin in range(2)
        }

        def draw_face(printing: Printing, label: str, width_px: int, twin: int = 0) -> Face:
            size = width_px, round(width_px * TILE_ASPECT)
            bgr = cv2.resize(chosen[label, twin % 2], size, interpolation=cv2.INTER_AREA)
            return Face(bgr, rounded(*size, CORNER * width_px))

        drawn = draw_printing(rng, "kept-out")
        base = int(white[0]), int(white[1]), int(white[2])
        plain = {"base_bgr": base, "bevel_of_width": 0.0, "height_mm": drawn.width_mm * TILE_ASPECT}
        return Looks(table.file, _picture(table), replace(drawn, **plain), draw_face)


def _picture(photo: AnnotatedPhoto) -> np.ndarray:
    image = cv2.imread(str(photo.path), cv2.IMREAD_COLOR)
    assert image is not None  # the file was opened before
    return np.asarray(image, np.uint8)


def _white(face_bgr: np.ndarray) -> np.ndarray:
    """Return the mean of a face's brighter half, by channel."""
    return np.quantile(face_bgr.reshape(-1, 3), 0.75, axis=0)


def _in_light(face_bgr: np.ndarray, white: np.ndarray) -> np.ndarray:
    """Return the face in the light of another white, `(h, w, 3) float32`."""
    lit = face_bgr.astype(np.float32) * (white / np.maximum(_white(face_bgr), 1.0)).astype(np.float32)
    return np.clip(lit, 0, 255)

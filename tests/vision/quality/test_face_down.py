"""Face-down tiles are counted if they look like the tiles around them; other things are not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera, tile_mm
from tests.support.truthful_networks import Truth
from tilekeeper.vision.quality.face_down import MIN_FACE_DOWN_REFERENCE_TILES, find_face_down_tiles
from tilekeeper.vision.scene import Scene

FACE, TABLE = (225, 240, 245), (40, 60, 90)


def pictured(face_down_mm: list[np.ndarray], tilt_deg: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return an image of two rows of tiles and some face-down tiles, the quads of the rows and the face-down quads."""
    up = seen_by_camera([*row_mm((-60, -120), 4), *row_mm((-60, 120), 4)], tilt_deg)
    down = seen_by_camera(face_down_mm, tilt_deg) if face_down_mm else np.zeros((0, 4, 2), np.float32)
    image = Truth(up, ["red-1"] * len(up), (1920, 1080)).picture()
    for quad in down:
        cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), FACE)
        cv2.polylines(image, [np.round(quad).astype(np.int32)], True, (150, 165, 170), 2)
    return image, up, down


LYING = [tile_mm((-150, 0), 20), tile_mm((-60, 0), 77), tile_mm((40, 5), -35), tile_mm((150, 0))]


@pytest.mark.parametrize("tilt_deg", [0, 30])
def test_face_down_tile_is_found_at_its_place(tilt_deg: float) -> None:
    """The tile has any direction; the weak detection gives only its place, not its size or direction."""
    image, up, down = pictured(LYING, tilt_deg)
    peaks = np.array(
        [(quad - quad.mean(axis=0)) * 0.5 @ [[0.6, 0.8], [-0.8, 0.6]] + quad.mean(axis=0) for quad in down]
    )
    face_down = find_face_down_tiles(Scene(image), peaks, up, np.ones(len(up), bool))
    assert face_down.shape == (4, 4, 2)
    assert face_down.dtype == np.float32
    assert face_down.mean(axis=1) == pytest.approx(down.mean(axis=1), abs=8)
    for quad, true in zip(face_down, down, strict=True):
        shared = cv2.intersectConvexConvex(quad, true)[0] / cv2.contourArea(true)
        assert shared > 0.8


def test_touching_face_down_tiles_are_separate() -> None:
    """The tiles of the pool touch each other, with grooves between them."""
    image, up, down = pictured([*row_mm((-60, -20), 4), *row_mm((-60, 20), 4)])
    assert len(find_face_down_tiles(Scene(image), down, up, np.ones(len(up), bool))) == 8


def test_several_peaks_in_one_face_down_tile_count_once() -> None:
    image, up, down = pictured(LYING)
    peaks = np.concatenate([down, down + np.float32((6, -4)), up + np.float32((5, 5))])
    assert len(find_face_down_tiles(Scene(image), peaks, up, np.ones(len(up), bool))) == 4


@pytest.mark.parametrize("what", ["bare table", "a sheet of paper", "another colour", "print on it"])
def test_other_pale_thing_is_no_face_down_tile(what: str) -> None:
    image, up, down = pictured(LYING if what == "print on it" else [])
    place = seen_by_camera([tile_mm((0, 0), 10)])
    if what == "a sheet of paper":
        cv2.rectangle(image, (700, 420), (1250, 660), FACE, -1)
    elif what == "another colour":
        cv2.fillConvexPoly(image, np.round(place[0]).astype(np.int32), (120, 190, 245))
    elif what == "print on it":
        place = down
        for quad in down:
            cv2.circle(image, tuple(int(v) for v in quad.mean(axis=0)), 18, (30, 30, 30), -1)
    assert len(find_face_down_tiles(Scene(image), place, up, np.ones(len(up), bool))) == 0


def test_too_few_certain_tiles_find_no_face_down_tile() -> None:
    image, up, down = pictured(LYING)
    sure = np.arange(len(up)) < MIN_FACE_DOWN_REFERENCE_TILES
    assert len(find_face_down_tiles(Scene(image), down, up, sure)) == 4
    sure[0] = False
    assert len(find_face_down_tiles(Scene(image), down, up, sure)) == 0
    assert len(find_face_down_tiles(Scene(image), np.zeros((0, 4, 2)), up, np.ones(len(up), bool))) == 0
    assert len(find_face_down_tiles(Scene(image), down, np.zeros((0, 4, 2)), np.zeros(0, bool))) == 0

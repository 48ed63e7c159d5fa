"""A scene computes and caches half-size images and the whites of faces."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.geometry.face_color import measure_face_whites
from tilekeeper.vision.imaging import resize
from tilekeeper.vision.scene import Scene

IMAGE = np.random.default_rng(0).integers(0, 256, (90, 120, 3), dtype=np.uint8)


def test_two_sizes_share_one_half_size_image() -> None:
    """A smaller size is resized from the half-size image, which is computed once."""
    scene = Scene(IMAGE)
    half = scene.shrink((60, 45), cv2.INTER_AREA)
    assert half is scene.shrink((60, 45), cv2.INTER_AREA)
    assert np.array_equal(half.image_bgr, resize(IMAGE, (60, 45), cv2.INTER_LINEAR))
    small = scene.shrink((33, 30), cv2.INTER_AREA)
    assert np.array_equal(small.image_bgr, resize(half.image_bgr, (33, 30), cv2.INTER_AREA))


def test_scene_of_the_wanted_size_is_returned_itself() -> None:
    """Nothing is copied, and its cached values stay."""
    scene = Scene(IMAGE)
    assert scene.shrink((120, 90), cv2.INTER_AREA) is scene


def test_face_whites_are_the_same_in_any_order_and_combination() -> None:
    """Each quad has the same white as if it was measured alone."""
    tile = np.array([[0, 0], [20, 0], [20, 28], [0, 28]])
    quads_px = tile + np.random.default_rng(2).uniform(0, 60, (9, 1, 2))
    alone = np.concatenate([measure_face_whites(IMAGE, quad_px[None]) for quad_px in quads_px])
    scene = Scene(IMAGE)
    assert np.array_equal(scene.face_whites(quads_px[2:5]), alone[2:5])
    assert np.array_equal(scene.face_whites(quads_px[::-1]), alone[::-1])
    assert scene.face_whites(quads_px[:0]).shape == (0, 3)

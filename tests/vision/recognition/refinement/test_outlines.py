"""Outlines of light faces on many grounds and at many angles."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tilekeeper.vision.recognition.refinement.outlines import outlines_px

FACE_BGR, INK_BGR = (205, 226, 232), (40, 40, 200)
UPRIGHT = np.array([[300, 200], [380, 200], [380, 320], [300, 320]], np.float32)
IN_PERSPECTIVE = np.array([[310, 230], [402, 214], [436, 290], [322, 312]], np.float32)


def table_with(quad_px: np.ndarray, ground_bgr: tuple[int, int, int] = (70, 90, 60)) -> np.ndarray:
    """Return an image of a tile with a 6 at `quad_px (4, 2)` on noise, `(480, 640, 3) uint8`."""
    rng = np.random.default_rng(3)
    image = np.clip(np.array(ground_bgr) + rng.normal(0, 3, (480, 640, 3)), 0, 255).astype(np.uint8)
    face = np.full((150, 100, 3), FACE_BGR, np.uint8)
    cv2.putText(face, "6", (25, 85), cv2.FONT_HERSHEY_SIMPLEX, 2.4, INK_BGR, 9, cv2.LINE_AA)
    view = cv2.getPerspectiveTransform(np.array([[0, 0], [100, 0], [100, 150], [0, 150]], np.float32), quad_px)
    noisy = cv2.warpPerspective(np.dstack([face, np.full((150, 100), 255, np.uint8)]), view, (640, 480))
    share = noisy[..., 3:].astype(float) / 255
    mixed = image * (1 - share) + noisy[..., :3] * share
    return cv2.GaussianBlur(mixed, (0, 0), 0.8).astype(np.uint8)


def error_px(outlines: np.ndarray, quad_px: np.ndarray) -> float:
    """Return the largest corner error of the nearest outline, for any first corner."""
    turns = [np.roll(quad_px, by, axis=0) for by in range(4)]
    return min(np.linalg.norm(outline - turn, axis=1).max() for outline in outlines for turn in turns)


@pytest.mark.parametrize("quad_px", [UPRIGHT, IN_PERSPECTIVE])
@pytest.mark.parametrize("ground_bgr", [(70, 90, 60), (20, 20, 24), (120, 150, 190), (140, 90, 60), (150, 160, 165)])
def test_single_tile_is_outlined_precisely(quad_px: np.ndarray, ground_bgr: tuple[int, int, int]) -> None:
    """The detected quad is shifted, too small and turned."""
    cos, sin = np.cos(0.5), np.sin(0.5)
    middle = quad_px.mean(axis=0)
    detected = (quad_px - middle) @ np.array([[cos, sin], [-sin, cos]]) * 0.75 + middle + (6, -5)
    (outlines,) = outlines_px(table_with(quad_px, ground_bgr), detected[None].astype(np.float32))
    assert len(outlines)
    assert error_px(outlines, quad_px) < 4


@pytest.mark.parametrize("scale", [0.25, 3.0])
def test_small_and_large_tiles_are_outlined(scale: float) -> None:
    size_wh = round(640 * scale), round(480 * scale)
    image = cv2.resize(
        table_with(IN_PERSPECTIVE), size_wh, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    )
    (outlines,) = outlines_px(image, IN_PERSPECTIVE[None] * scale)
    assert error_px(outlines, IN_PERSPECTIVE * scale) < 4 * max(scale, 0.6)


def test_outline_is_clockwise_and_unique() -> None:
    (outlines,) = outlines_px(table_with(UPRIGHT), UPRIGHT[None])
    assert all(cv2.contourArea(first, True) > 0 for first in outlines)
    distant = [np.abs(first - second).max() for i, first in enumerate(outlines) for second in outlines[:i]]
    assert not distant or min(distant) > 1


def test_bare_table_board_and_cut_tile_have_no_outline() -> None:
    """Each of two adjacent tiles is outlined alone or not at all."""
    bare = table_with(UPRIGHT + 5000)
    assert [len(outlines_of_quad) for outlines_of_quad in outlines_px(bare, np.stack([UPRIGHT, UPRIGHT + 290]))] == [
        0,
        0,
    ]
    board = cv2.rectangle(bare.copy(), (120, 190), (560, 330), FACE_BGR, -1)
    assert [len(outlines_of_quad) for outlines_of_quad in outlines_px(board, UPRIGHT[None])] == [0]
    cut = np.ascontiguousarray(table_with(UPRIGHT)[:, 340:])
    assert [len(outlines_of_quad) for outlines_of_quad in outlines_px(cut, UPRIGHT[None] - np.float32([340, 0]))] == [0]
    row = np.maximum(table_with(UPRIGHT), table_with(UPRIGHT + np.float32([84, 0])))
    assert all(error_px([outlines_of_quad], UPRIGHT) < 4 for outlines_of_quad in outlines_px(row, UPRIGHT[None])[0])


def test_degenerate_quad_has_no_outline() -> None:
    image = table_with(UPRIGHT)
    assert outlines_px(image, np.zeros((0, 4, 2), np.float32)) == []
    far, tiny = UPRIGHT + 4000, UPRIGHT.mean(axis=0) + (UPRIGHT - UPRIGHT.mean(axis=0)) * 0.02
    assert [
        len(outlines_of_quad) for outlines_of_quad in outlines_px(image, np.stack([far, tiny]).astype(np.float32))
    ] == [0, 0]

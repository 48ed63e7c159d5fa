"""A white tile on a white table is found by its glyph; other print is not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera, tile_mm
from tests.support.truthful_networks import Truth
from tilekeeper.vision.recognition.refinement.pale_places import (
    PaleMap,
    add_pale_places,
    find_printed_places,
    quads_around_glyphs,
)
from tilekeeper.vision.scene import Scene

WHITE = (235, 238, 240)
WH = (1920, 1080)


def table(angle_deg: float = 0.0) -> Truth:
    """Return three tiles in a row, and a fourth far from them, turned."""
    tiles = [*row_mm((-60, 0), 3), tile_mm((120, 110), angle_deg)]
    return Truth(seen_by_camera(tiles), ["red-4", "red-5", "red-6", "blue-9"], WH, misread_off=10)


def on_white(quads_px: np.ndarray) -> np.ndarray:
    """Return a white cloth on which only the glyphs of white tiles are visible."""
    image = np.full((WH[1], WH[0], 3), WHITE, np.uint8)
    for quad in quads_px.astype(np.float64):
        right, down = quad[1] - quad[0], quad[3] - quad[0]
        top = quad[0] + 0.33 * right + 0.15 * down
        box = np.array([top, top + 0.34 * right, top + 0.34 * right + 0.36 * down, top + 0.36 * down])
        cv2.polylines(image, [np.round(box).astype(np.int32)], True, (40, 40, 160), 5, cv2.LINE_AA)
    return image


def places(image: np.ndarray, known_px: np.ndarray) -> np.ndarray:
    sure_px = known_px.astype(np.float64)
    return find_printed_places(Scene(image), PaleMap.measure(Scene(image), sure_px, sure_px), sure_px)


@pytest.mark.parametrize("angle_deg", [0.0, 60.0, 200.0, 310.0])
def test_white_tile_on_a_white_cloth_is_found_by_its_glyph(angle_deg: float) -> None:
    """The tile may have any direction."""
    truth = table(angle_deg)
    image = on_white(truth.quads_px)
    appearances = add_pale_places(truth.classifier, Scene(image), truth.classifier(image, truth.quads_px[:3]))
    assert (appearances.number_log_probs.argmax(axis=1) + 1).tolist() == [4, 5, 6, 9]
    assert appearances.quads_px[3] == pytest.approx(truth.quads_px[3], abs=1.5)


def test_known_tiles_explain_their_glyphs() -> None:
    truth = table()
    assert not len(places(on_white(truth.quads_px), truth.quads_px))


@pytest.mark.parametrize("wide_px", [4, 90])
def test_print_of_another_size_is_no_glyph(wide_px: int) -> None:
    truth = table()
    image = on_white(truth.quads_px[:3])
    cv2.rectangle(image, (1300, 300), (1300 + wide_px, 300 + wide_px), (40, 40, 160), -1)
    assert not len(places(image, truth.quads_px[:3]))


def test_print_on_a_dark_cloth_is_no_glyph() -> None:
    truth = table()
    image = on_white(truth.quads_px)
    image[600:] = image[600:] // 2
    assert not len(places(image, truth.quads_px[:3]))


def test_quads_around_a_glyph_have_it_in_the_upper_half() -> None:
    """Eight quads of the known tile's size."""
    quads = quads_around_glyphs(np.array([[700.0, 500.0]]), table().quads_px[:3].astype(np.float64))
    assert quads.shape == (8, 4, 2)
    ups = quads[:, :2].mean(axis=1) - quads[:, 2:].mean(axis=1)
    towards = (700, 500) - quads.mean(axis=1)
    cosines = (ups * towards).sum(axis=1) / np.linalg.norm(ups, axis=1) / np.linalg.norm(towards, axis=1)
    assert cosines == pytest.approx(1)
    assert len({round(np.degrees(np.arctan2(y, x))) for x, y in ups.tolist()}) == 8

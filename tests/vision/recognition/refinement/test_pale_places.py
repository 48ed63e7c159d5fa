"""A missed tile is found by its paleness and size; nothing else is."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera, tile_mm
from tests.support.truthful_networks import Truth
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.recognition.refinement.pale_places import (
    MAX_PALE_PLACES_COUNT,
    PaleMap,
    add_pale_places,
    find_pale_places,
)
from tilekeeper.vision.scene import Scene

LABELS = ["red-4", "red-5", "red-6", "blue-9"]
WH = (1920, 1080)


def table(angle_deg: float = 0.0, tilt_deg: float = 0.0) -> Truth:
    """Return three tiles in a row, and a fourth far from them, turned."""
    tiles = [*row_mm((-60, 0), 3), tile_mm((120, 110), angle_deg)]
    return Truth(seen_by_camera(tiles, tilt_deg=tilt_deg), LABELS, WH, misread_off=10)


def search(truth: Truth, image: np.ndarray, indices: list[int]) -> Appearances:
    known = truth.classifier(image, truth.quads_px[indices].astype(np.float32))
    return add_pale_places(truth.classifier, Scene(image), known)


@pytest.mark.parametrize("angle_deg", [0.0, 35.0, 90.0, 140.0])
@pytest.mark.parametrize("tilt_deg", [0.0, 40.0])
def test_missed_tile_far_from_the_others_is_found(angle_deg: float, tilt_deg: float) -> None:
    truth = table(angle_deg, tilt_deg)
    appearances = search(truth, truth.picture(), [0, 1, 2])
    assert (appearances.number_log_probs.argmax(axis=1) + 1).tolist() == [4, 5, 6, 9]
    assert appearances.quads_px[3] == pytest.approx(truth.quads_px[3], abs=1.5)


@pytest.mark.parametrize(("none_prob", "is_flagged"), [(0.0, True), (0.4, False)])
def test_sure_tile_of_unknown_number_is_flagged(none_prob: float, is_flagged: bool) -> None:
    truth = replace(table(), sure={3: 0.45}, none={3: none_prob})
    appearances = search(truth, truth.picture(), [0, 1, 2])
    assert len(appearances) == (4 if is_flagged else 3)
    assert not is_flagged or appearances.certainty()[3] == pytest.approx(0.45, abs=0.03)


@pytest.mark.parametrize(("none_prob", "is_flagged"), [(0.2, True), (0.3, False)])
def test_likely_number_is_flagged_from_three_quarters_on(none_prob: float, is_flagged: bool) -> None:
    truth = replace(table(), none={3: none_prob})
    appearances = search(truth, truth.picture(), [0, 1, 2])
    assert len(appearances) == (4 if is_flagged else 3)
    assert not is_flagged or 0.75 < appearances.certainty()[3] < 0.9


def test_known_tiles_leave_no_place_to_classify() -> None:
    truth = table()
    image = truth.picture()
    known = truth.classifier(image, truth.quads_px.astype(np.float32))
    calls = len(truth.named)
    assert add_pale_places(truth.classifier, Scene(image), known) is known
    assert len(truth.named) == calls


def test_pale_regions_much_larger_or_smaller_than_a_tile_are_ignored() -> None:
    truth = table()
    image = truth.picture()
    sure_px = truth.quads_px.astype(np.float64)
    for wide in (8, 700):
        with_cloth = image.copy()
        cv2.rectangle(with_cloth, (100, 100), (100 + wide, 100 + wide), (225, 240, 245), -1)
        places = find_pale_places(PaleMap.measure(Scene(with_cloth), sure_px, sure_px))
        # its edges are classified, because half a tile may be there
        inside = ((places > (250 if wide > 100 else 0)) & (places < (650 if wide > 100 else 150))).all(axis=1)
        assert not inside.any(), (wide, places)


def test_printed_square_among_many_pale_squares_comes_first() -> None:
    truth = table(20.0)
    image = truth.picture()
    centres = truth.quads_px.mean(axis=1)
    side = round(0.9 * float(np.linalg.norm(truth.quads_px[0, 1] - truth.quads_px[0, 0])))
    squares = 0
    for y in range(side, WH[1] - 2 * side, 2 * side):
        for x in range(side, WH[0] - 2 * side, 2 * side):
            if np.abs(centres - (x + side / 2, y + side / 2)).max(axis=1).min() > 2.2 * side:
                cv2.rectangle(image, (x, y), (x + side, y + side), (225, 240, 245), -1)
                squares += 1
    assert squares > 5 * MAX_PALE_PLACES_COUNT
    known_px = truth.quads_px[:3].astype(np.float64)
    places = find_pale_places(PaleMap.measure(Scene(image), known_px, known_px))
    assert len(places) == MAX_PALE_PLACES_COUNT
    assert places[0] == pytest.approx(centres[3], abs=side / 4)
    appearances = search(truth, image, [0, 1, 2])
    assert (appearances.number_log_probs.argmax(axis=1) + 1).tolist() == [4, 5, 6, 9]


def test_tile_on_a_nearly_as_pale_table_is_found_by_tint() -> None:
    truth = table(20.0)
    image = truth.picture()
    wood = (image == (40, 60, 90)).all(axis=2)
    image[wood] = (236, 236, 232)
    appearances = search(truth, image, [0, 1, 2])
    assert (appearances.number_log_probs.argmax(axis=1) + 1).tolist() == [4, 5, 6, 9]


def test_darker_tile_on_a_bluer_cloth_is_found_by_light() -> None:
    truth = table(20.0)
    image = truth.picture()
    wood, tile = (image == (40, 60, 90)).all(axis=2), np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(tile, np.round(truth.quads_px[3]).astype(np.int32), 1)
    image[(tile > 0) & (image == (225, 240, 245)).all(axis=2)] = (197, 183, 187)
    image[wood] = (184, 166, 169)
    appearances = search(truth, image, [0, 1, 2])
    assert (appearances.number_log_probs.argmax(axis=1) + 1).tolist() == [4, 5, 6, 9]


def test_without_certain_tiles_nothing_changes() -> None:
    truth = Truth(table().quads_px, LABELS, WH, 0.5)
    image = truth.picture()
    known = truth.classifier(image, truth.quads_px[:3].astype(np.float32))
    assert add_pale_places(truth.classifier, Scene(image), known) is known

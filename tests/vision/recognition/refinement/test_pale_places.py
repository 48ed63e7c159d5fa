"""A tile that the detector missed is found where the table is as pale as tiles and as large as one; nothing else is."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera, tile_mm
from tests.support.truthful_networks import Truth
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.recognition.refinement.pale_map import PaleMap
from tilekeeper.vision.recognition.refinement.pale_places import (
    MAX_PALE_PLACES_COUNT,
    add_pale_places,
    find_pale_places,
)

LABELS = ["red-4", "red-5", "red-6", "blue-9"]
WH = (1920, 1080)


def table(angle_deg: float = 0.0, tilt_deg: float = 0.0) -> Truth:
    """Three tiles in a row, and a fourth far from them, turned."""
    tiles = [*row_mm((-60, 0), 3), tile_mm((120, 110), angle_deg)]
    return Truth(seen_by_camera(tiles, tilt_deg=tilt_deg), LABELS, WH, misread_off=10)


def found(truth: Truth, image: np.ndarray, which: list[int]) -> Appearances:
    known = truth.classifier(image, truth.quads_px[which].astype(np.float32))
    return add_pale_places(truth.classifier, image, known)


@pytest.mark.parametrize("angle_deg", [0.0, 35.0, 90.0, 140.0])
@pytest.mark.parametrize("tilt_deg", [0.0, 40.0])
def test_a_tile_far_from_the_others_is_found(angle_deg: float, tilt_deg: float) -> None:
    """However it lies, with its own corners, after those that are known."""
    truth = table(angle_deg, tilt_deg)
    seen = found(truth, truth.picture(), [0, 1, 2])
    assert (seen.number_log_probs.argmax(axis=1) + 1).tolist() == [4, 5, 6, 9]
    assert seen.quads_px[3] == pytest.approx(truth.quads_px[3], abs=1.5)


@pytest.mark.parametrize(("none", "told"), [(0.0, True), (0.4, False)])
def test_what_is_surely_a_tile_is_told_though_its_name_is_open(none: float, told: bool) -> None:
    """A person is asked about it; where it may as well be none it is passed over."""
    truth = replace(table(), sure={3: 0.45}, none={3: none})
    seen = found(truth, truth.picture(), [0, 1, 2])
    assert len(seen) == (4 if told else 3)
    assert not told or seen.certainty()[3] == pytest.approx(0.45, abs=0.03)


@pytest.mark.parametrize(("none", "told"), [(0.2, True), (0.3, False)])
def test_a_number_that_is_likely_is_told_and_asked_about(none: float, told: bool) -> None:
    """From three quarters on; what is less sure is passed over."""
    truth = replace(table(), none={3: none})
    seen = found(truth, truth.picture(), [0, 1, 2])
    assert len(seen) == (4 if told else 3)
    assert not told or 0.75 < seen.certainty()[3] < 0.9


def test_what_is_known_is_not_looked_at_again() -> None:
    """With all tiles known no place is left, and the classifier isn't asked."""
    truth = table()
    image = truth.picture()
    known = truth.classifier(image, truth.quads_px.astype(np.float32))
    calls = len(truth.named)
    assert add_pale_places(truth.classifier, image, known) is known
    assert len(truth.named) == calls


def test_a_pale_cloth_is_no_tile() -> None:
    """What is as pale and much larger than a tile is the table, and what is much smaller is nothing."""
    truth = table()
    image = truth.picture()
    sure_px = truth.quads_px.astype(np.float64)
    for wide in (8, 700):
        with_cloth = image.copy()
        cv2.rectangle(with_cloth, (100, 100), (100 + wide, 100 + wide), (225, 240, 245), -1)
        places = find_pale_places(PaleMap.measure(with_cloth, sure_px, sure_px))
        # along its edges it is looked at: half a tile may lie there
        inside = ((places > (250 if wide > 100 else 0)) & (places < (650 if wide > 100 else 150))).all(axis=1)
        assert not inside.any(), (wide, places)


def test_of_many_pale_squares_the_printed_one_is_looked_at_first() -> None:
    """On a cloth with more tile-sized white squares than are looked at a tile is found, which stands out no more."""
    truth = table(20.0)
    image = truth.picture()
    middles = truth.quads_px.mean(axis=1)
    side = round(0.9 * float(np.linalg.norm(truth.quads_px[0, 1] - truth.quads_px[0, 0])))
    squares = 0
    for y in range(side, WH[1] - 2 * side, 2 * side):
        for x in range(side, WH[0] - 2 * side, 2 * side):
            if np.abs(middles - (x + side / 2, y + side / 2)).max(axis=1).min() > 2.2 * side:
                cv2.rectangle(image, (x, y), (x + side, y + side), (225, 240, 245), -1)
                squares += 1
    assert squares > 5 * MAX_PALE_PLACES_COUNT
    known_px = truth.quads_px[:3].astype(np.float64)
    places = find_pale_places(PaleMap.measure(image, known_px, known_px))
    assert len(places) == MAX_PALE_PLACES_COUNT
    assert places[0] == pytest.approx(middles[3], abs=side / 4)
    seen = found(truth, image, [0, 1, 2])
    assert (seen.number_log_probs.argmax(axis=1) + 1).tolist() == [4, 5, 6, 9]


def test_on_a_table_nearly_as_pale_the_tiles_stand_out_by_their_tint() -> None:
    """Ivory on grey-white: of the first level all of the table is pale, of a later one the tile alone."""
    truth = table(20.0)
    image = truth.picture()
    wood = (image == (40, 60, 90)).all(axis=2)
    image[wood] = (236, 236, 232)
    seen = found(truth, image, [0, 1, 2])
    assert (seen.number_log_probs.argmax(axis=1) + 1).tolist() == [4, 5, 6, 9]


def test_a_darker_and_bluer_tile_stands_out_from_a_cloth_that_is_more_so() -> None:
    """By its light, where tint tells nothing: a level of paleness is narrow in light and wide in tint."""
    truth = table(20.0)
    image = truth.picture()
    wood, tile = (image == (40, 60, 90)).all(axis=2), np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(tile, np.round(truth.quads_px[3]).astype(np.int32), 1)
    image[(tile > 0) & (image == (225, 240, 245)).all(axis=2)] = (197, 183, 187)
    image[wood] = (184, 166, 169)
    seen = found(truth, image, [0, 1, 2])
    assert (seen.number_log_probs.argmax(axis=1) + 1).tolist() == [4, 5, 6, 9]


def test_where_nothing_is_sure_nothing_tells_how_pale_a_tile_is() -> None:
    """Then what is known stays as it is."""
    truth = Truth(table().quads_px, LABELS, WH, 0.5)
    image = truth.picture()
    known = truth.classifier(image, truth.quads_px[:3].astype(np.float32))
    assert add_pale_places(truth.classifier, image, known) is known

"""A drawn reading shows where tiles are, which are doubtful, and does not change its picture."""

import numpy as np

from tests.support.drawing import DOUBTFUL_BGR, SURE_BGR, draw_reading
from tests.support.projected_tiles import row_mm, seen_by_camera
from tests.support.truthful_networks import Truth
from tilekeeper.vision.pipeline import Reader


def test_tiles_are_outlined_in_the_colour_of_their_certainty() -> None:
    """The top side of each tile is drawn in the colour for sure or doubtful."""
    quads = seen_by_camera(row_mm((-40, 0), 3))
    truth = Truth(quads, ["red-3", "red-4", "red-5"], (1920, 1080), sure={1: 0.5})
    picture = truth.picture()
    before = picture.copy()
    reading = Reader(truth, truth.classifier).read(picture)
    drawn = draw_reading(picture, reading)
    assert np.array_equal(picture, before)
    from_left = sorted(reading.tiles, key=lambda tile: tile.sighting.quad_px[0, 0])
    for tile, colour in zip(from_left, (SURE_BGR, DOUBTFUL_BGR, SURE_BGR), strict=True):
        x, y = tile.sighting.quad_px[:2].mean(axis=0).round().astype(int)
        assert drawn[y, x].tolist() == list(colour)


def test_smaller_picture_of_the_same_reading() -> None:
    """Corners are scaled to the picture that is drawn on; an empty reading draws nothing."""
    truth = Truth(seen_by_camera(row_mm((0, 0), 1)), ["joker"], (1920, 1080))
    reading = Reader(truth, truth.classifier).read(truth.picture())
    small = np.zeros((540, 960, 3), np.uint8)
    drawn = draw_reading(small, reading)
    x, y = (reading.tiles[0].sighting.quad_px[:2].mean(axis=0) / 2).round().astype(int)
    assert drawn[y, x].tolist() == list(SURE_BGR)
    empty = Reader(Truth(np.zeros((0, 4, 2)), (), truth.image_wh), truth.classifier).read(truth.picture())
    assert not draw_reading(small, empty).any()

"""A change at the edge of the image is either tiles or an occluder such as a sleeve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.support.truthful_networks import WH, Lying, PlayedTable, picture, row, with_arm
from tilekeeper.vision.geometry.rectification import guess_rectification
from tilekeeper.vision.tracking.edge_tiles import are_tiles
from tilekeeper.vision.tracking.tracker import TableView

TABLE = row(200, 120, "red-3", "red-4", "red-5", "red-6")
ROW = row(200, 523, "black-1", "black-2", "black-3", "black-4")
SLID = [(x + 130, y, label) for x, y, label in ROW]


def outline(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    """Return an upright rectangle."""
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def is_taken_for_tiles(
    earlier_tiles: Sequence[Lying], current_tiles: Sequence[Lying], new_px: np.ndarray, image: np.ndarray | None = None
) -> bool:
    """Return whether a change is taken for tiles, on a table where tiles are added or removed."""
    played = PlayedTable()
    played.still([*TABLE, *earlier_tiles])
    tracks = played.reader._tracks.tiles
    played.know([*TABLE, *current_tiles])
    image = picture([*TABLE, *current_tiles]) if image is None else image
    (is_tiles,) = are_tiles(played.reader._reader, image, [new_px], tracks, played.reader._view)
    return is_tiles


@pytest.mark.parametrize(
    ("new_px", "tiles"),
    [
        pytest.param(outline(185, 500, 290, 540), True, id="a row alone"),
        pytest.param(outline(150, 420, 340, 540), False, id="on a tray three times as large"),
    ],
)
def test_change_at_the_edge_is_tiles_only_if_a_row_fills_it(new_px: np.ndarray, tiles: bool) -> None:
    assert is_taken_for_tiles([], ROW, new_px) is tiles


@pytest.mark.parametrize(("there", "tiles"), [(ROW, True), ([], False)])
def test_row_at_the_edge_fills_the_change_in_a_rectified_view(there: Sequence[Lying], tiles: bool) -> None:
    played = PlayedTable()
    played.still(TABLE)
    image, before, tracks = picture([*TABLE, *ROW]), played.reader._view, played.reader._tracks.tiles
    view = TableView(WH, guess_rectification(image))
    tracks = replace(tracks, quads_px=before.to_view(view, tracks.quads_px))
    played.know([*TABLE, *there])
    assert are_tiles(played.reader._reader, image, [outline(185, 500, 290, 540)], tracks, view) == [tiles]
    assert played.truth.looks[-1] == guess_rectification(image).view_wh


def test_row_slid_along_the_edge_leaves_a_place_that_does_not_count() -> None:
    """The left place is as large as the row. If no row was there before, an occluder must fill it."""
    both_px = outline(185, 500, 420, 540)
    assert is_taken_for_tiles(ROW, SLID, both_px)
    assert not is_taken_for_tiles([], SLID, both_px)


def test_pale_change_at_the_edge_without_readable_tiles_is_no_row() -> None:
    """A row was taken, and a white card is in its place."""
    assert not is_taken_for_tiles(ROW, [], outline(185, 500, 290, 540))
    card = picture(TABLE)
    card[500:540, 185:290] = (215, 232, 236)
    assert not is_taken_for_tiles([], [], outline(185, 500, 290, 540), card)


def test_dark_arm_at_the_edge_costs_no_detection() -> None:
    played = PlayedTable()
    played.still(TABLE)
    tracks = played.reader._tracks.tiles
    played.truth.looks.clear()
    arm_px = np.array([[210, 400], [270, 400], [350, 539], [230, 539]], np.float32)
    arm = with_arm(picture(TABLE), (240, 400))
    assert are_tiles(played.reader._reader, arm, [arm_px], tracks, played.reader._view) == [False]
    assert played.truth.looks == []
    cloth = picture(TABLE)
    cloth[400:, 210:350] = (215, 232, 236)
    assert are_tiles(played.reader._reader, cloth, [arm_px], tracks, played.reader._view) == [False]
    assert played.truth.looks


def test_detections_that_cannot_fill_the_change_cost_no_classification() -> None:
    """The tiles are beside a sleeve as pale as they are."""
    played = PlayedTable()
    played.still(TABLE)
    played.know([*TABLE, *ROW])
    image, tracks = picture([*TABLE, *ROW]), played.reader._tracks.tiles
    cloth = image.copy()
    cloth[400:500, 150:460] = (215, 232, 236)
    for visible, new_px, named in (
        (cloth, outline(150, 400, 460, 540), False),
        (image, outline(185, 500, 290, 540), True),
    ):
        played.truth.named.clear()
        assert are_tiles(played.reader._reader, visible, [new_px], tracks, played.reader._view) == [named]
        assert bool(played.truth.named) is named

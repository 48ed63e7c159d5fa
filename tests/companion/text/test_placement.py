"""Problems of the self-test become advice on camera and lamp."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.known_tables import table_reading
from tilekeeper.companion.text.placement import advice_on
from tilekeeper.vision.quality.camera_check import TARGET_TILE_WIDTH_PX, CameraProblem, Edge, cut_edges, hands_nearer
from tilekeeper.vision.types import TROUBLE_KINDS, TableReading


def seen_from(width_px: float) -> TableReading:
    """Return a reading of three tiles of this width in a picture of 1280 x 720."""
    known = table_reading("R1 R2 R3")
    quad = np.array([(0, 0), (1, 0), (1, 1.4), (0, 1.4)], np.float32) * width_px
    tiles = tuple(replace(tile, sighting=replace(tile.sighting, quad_px=quad)) for tile in known.tiles)
    return TableReading(tiles, known.rows, (1280, 720))


def test_number_of_hands_follows_from_the_width_of_tiles():
    """A tile of 27 mm is 2.13 m away if it is 13 px wide, and 1.38 m away if it is 20 px wide."""
    assert hands_nearer(seen_from(TARGET_TILE_WIDTH_PX)) == 0
    assert hands_nearer(seen_from(13)) == 8
    assert hands_nearer(seen_from(19)) == 1
    assert [hands_nearer(seen_from(width)) for width in (18, 16, 14)] == sorted(
        hands_nearer(seen_from(width)) for width in (18, 16, 14)
    )
    assert hands_nearer(TableReading((), (), (1280, 720))) == 0


@pytest.mark.parametrize(
    ("boxes", "edges", "move"),
    [
        ([(0, 0.2, 0.1, 0.4)], {Edge.LEFT}, "left"),
        ([(0.9, 0.2, 0.999, 0.4)], {Edge.RIGHT}, "right"),
        ([(0.4, 0, 0.5, 0.1)], {Edge.TOP}, "up"),
        ([(0.4, 0.9, 0.5, 1)], {Edge.BOTTOM}, "down"),
        ([(0, 0.2, 0.1, 0.4), (0.9, 0.2, 1, 0.4)], {Edge.LEFT, Edge.RIGHT}, "farther"),
        ([(0, 0.2, 0.1, 0.4), (0.4, 0, 0.5, 0.1)], {Edge.LEFT, Edge.TOP}, "left"),
        ([(0.4, 0, 0.5, 0.1), (0.4, 0.9, 0.5, 1)], {Edge.TOP, Edge.BOTTOM}, "farther"),
    ],
)
def test_cut_off_tiles_move_the_camera_to_that_side_or_higher(boxes, edges, move):
    assert cut_edges(boxes) == edges
    advice = advice_on(CameraProblem("cut-off", "", tuple(boxes)), None)
    assert advice is not None
    assert advice.move == move
    assert (advice.text == "The camera is too close: move it a hand width higher.") is (move == "farther")


def test_each_problem_of_the_self_test_has_advice():
    all_advice = [advice_on(CameraProblem(code, ""), seen_from(18)) for code in (*TROUBLE_KINDS, "no-tiles")]
    moves = [advice.move for advice in all_advice if advice is not None]
    assert len(moves) == len(set(moves)) == len(TROUBLE_KINDS) + 1
    small, dark = (
        advice_on(CameraProblem("too-small", ""), seen_from(18)),
        advice_on(CameraProblem("too-dark", ""), None),
    )
    assert small is not None
    assert dark is not None
    assert small.text == "The camera is too far away: move it 2 hand widths lower."
    assert dark.text == "It is too dark: bring more light."
    far = advice_on(CameraProblem("too-small", ""), seen_from(6))
    assert far is not None
    assert far.text == "The camera is much too far away: move it lower."


def test_low_camera_is_put_higher_since_only_its_far_tiles_are_too_small():
    advice = advice_on(CameraProblem("too-small", ""), seen_from(TARGET_TILE_WIDTH_PX))
    assert advice is not None
    assert (advice.move, advice.text) == (
        "farther",
        "The camera is too low: put it higher, above the middle of the table.",
    )

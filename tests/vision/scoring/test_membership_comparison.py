"""Tests what is left out among named tiles, and what is asked about though nobody doubted it."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tests.support.tile_tables import summary, table_of, tile_row
from tests.vision.scoring.test_tileness_rims import IVORY, quad, table
from tilekeeper.vision.geometry.proximity import MAX_SAME_TILE_DISTANCE_WIDTHS
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.decision import MAX_COVERED_BY_TILE_SHARE, is_no_duplicate
from tilekeeper.vision.scoring.membership import compare_all
from tilekeeper.vision.scoring.tile_table import TileTable
from tilekeeper.vision.scoring.tileness import AmongTiles, IsTile
from tilekeeper.vision.types import NOT_A_TILE

SAME_TILE = MAX_SAME_TILE_DISTANCE_WIDTHS


def remaining(
    image: np.ndarray, rows: Iterable[TileTable], is_tile: IsTile | None = None, *, is_whole: bool = True
) -> TileTable:
    """Return the tiles that are not foreign, with their new doubts and confidence."""
    tiles = table_of(rows)
    comparison = compare_all(Scene(image), tiles, is_tile, is_whole=is_whole)
    for which, reason, alternative in comparison.doubts:
        for row in np.flatnonzero(which):
            tiles.doubts[row] = (*tiles.doubts[row], (reason, alternative))
    tiles.confidence = tiles.confidence * comparison.tile_prob
    return tiles.at(~comparison.is_foreign)


def saying(chance: float) -> Callable[[AmongTiles, np.ndarray], np.ndarray]:
    """One that gives everything that it is asked about this chance of being a tile."""
    return lambda _, at: np.full(len(at), chance)


@pytest.mark.parametrize(
    ("is_tile", "label", "confidence", "doubtful", "left"),
    [
        (saying(0.1), "red-7", 0.9, True, []),  # in doubt, and hardly a tile
        (saying(0.2), "red-7", 0.9, True, [True]),
        (saying(0.01), "red-7", 0.98, False, [True]),  # nobody doubts its name
        (saying(0.5), "red-7", 0.9, True, [True]),
        (saying(0.05), "joker", 0.98, False, [True]),  # nobody doubts it, and yet: asked about
        (saying(0.5), "red-7", 0.98, False, [True]),
        (saying(0.8), "red-7", 0.98, False, [False]),
        (saying(0.05), "red-7", 0.9999, False, [False]),  # past asking
        (saying(0.05), "red-7", 0.995, True, [True]),  # in doubt for its ink alone, as in a picture without colour
        (None, "red-7", 0.9, True, [True]),  # nobody there to ask
    ],
)
def test_what_is_hardly_a_tile(
    is_tile: IsTile | None, label: str, confidence: float, doubtful: bool, left: list[bool]
) -> None:
    """Gone, asked about, or told as it was, by how sure it is; the tiles around stay as they are."""
    image, quads, _ = table()
    tiles = [tile_row("blue-3", one, 0.9999, False) for one in quads[:-1]]
    kept = remaining(image, [*tiles, tile_row(label, quads[-1], confidence, doubtful)], is_tile)
    assert summary(kept)[: len(tiles)] == summary(table_of(tiles))
    assert kept.is_doubtful[len(tiles) :].tolist() == left


@pytest.mark.parametrize(
    ("is_tile", "left"), [(None, []), (saying(0.05), []), (saying(0.5), [True]), (saying(0.95), [False])]
)
def test_what_is_odd_is_asked_about_however_sure_it_is(is_tile: IsTile | None, left: list[bool]) -> None:
    """A face twice as wide as the others goes, unless the signs together say that it may be a tile."""
    image, quads, _ = table()
    tiles = [tile_row("blue-3", one, 0.9999, False) for one in quads[:-1]]
    kept = remaining(image, [*tiles, tile_row("red-7", quad(440, 40, 80), 0.9999, False)], is_tile)
    assert kept.is_doubtful[len(tiles) :].tolist() == left


@pytest.mark.parametrize(
    ("sure", "label", "confidence", "none", "wide_px", "doubtful", "left"),
    [
        (2, "red-7", 0.995, 0.01, 11, False, [True]),
        (3, "red-7", 0.995, 0.01, 11, False, []),  # three show how they lie
        (2, "joker", 0.995, 0.01, 11, False, []),  # keys look like one
        (2, "red-7", 0.989, 0.01, 11, False, []),
        (2, "red-7", 0.995, 0.06, 11, False, []),
        (2, "red-7", 0.995, 0.01, 150, False, []),  # nothing lies nearer than the camera
        (2, "red-7", 0.995, 0.01, 11, True, []),  # in doubt before
    ],
)
def test_a_far_tile_is_asked_about_where_few_are_sure(
    sure: int, label: str, confidence: float, none: float, wide_px: int, doubtful: bool, left: list[bool]
) -> None:
    """A number a quarter as wide as the one or two sure tiles may lie further off; beside more of them it would not."""
    image, quads, _ = table()
    tiles = [tile_row("blue-3", one, 0.9999, False) for one in quads[:sure]]
    far = tile_row(label, quad(440, 40, wide_px), confidence, doubtful, 0.6)
    far.joint_number_log_probs[0, NOT_A_TILE] = np.log(none)
    kept = remaining(image, [*tiles, far], saying(0.01))
    assert kept.is_doubtful[sure:].tolist() == left


@pytest.mark.parametrize(("chance", "left"), [(0.03, []), (0.08, [True])])
def test_what_lies_beside_a_sure_tile_is_asked_about(chance: float, left: list[bool]) -> None:
    """Unless it is hardly one: a reflection makes tiles look like none."""
    image, quads, _ = table()
    image[100:156, 302:342] = IVORY
    tiles = [tile_row("blue-3", one, 0.9999, False) for one in quads[:-1]]
    kept = remaining(image, [*tiles, tile_row("red-7", quad(302, 100), 0.6, True)], saying(chance))
    assert kept.is_doubtful[len(tiles) :].tolist() == left


@pytest.mark.parametrize(
    ("label", "right_px", "is_flagged"),
    [("red-9", 12, True), ("red-6", 12, True), ("red-9", 4, False), ("red-8", 12, False)],
)
def test_of_a_six_or_nine_that_the_edge_cuts_nobody_knows_which_end_is_up(
    label: str, right_px: int, is_flagged: bool
) -> None:
    """The quad may be one of either end, however sure the name; of others, and whole ones, it makes no difference."""
    image, quads, _ = table()
    cut = tile_row(label, quad(image.shape[1] - 40 + right_px, 100), 0.9999, False)
    tiles = [*(tile_row("blue-3", one, 0.9999, False) for one in quads[:4]), cut]
    assert remaining(image, tiles, saying(0.9)).is_doubtful.tolist() == [False] * 4 + [is_flagged]


def test_a_joker_in_a_row_is_no_stray() -> None:
    """Where all three of a meld are a little in doubt nobody knows better than to ask."""
    image = np.full((200, 300, 3), 60, np.uint8)
    meld = [tile_row(label, quad(40 + 41 * k, 60), 0.7, True) for k, label in enumerate(("joker", "red-7", "red-8"))]
    assert summary(remaining(image, meld, saying(0.0))) == summary(table_of(meld))


@pytest.mark.parametrize(
    ("label", "confidence", "stays"),
    [("red-7", 0.2, False), ("red-7", 0.5, True), ("joker", 0.7, False), ("joker", 0.9, True)],
)
def test_where_nothing_is_sure_strays_go(label: str, confidence: float, stays: bool) -> None:
    """What can hardly be read, and a joker in doubt: that is what letters and keys are taken for."""
    image, quads, _ = table()
    assert len(remaining(image, [tile_row(label, quads[-1], confidence, True)])) == stays


@pytest.mark.parametrize(("label", "none", "stays"), [("red-7", 0.2, 0), ("red-7", 0.01, 1), ("joker", 0.01, 0)])
def test_what_is_taken_for_a_tile_is_no_stray(label: str, none: float, stays: int) -> None:
    """A single small tile in a bad light, whose number nothing tells, is asked about. A joker may be a letter."""
    image, quads, _ = table()
    tile = tile_row(label, quads[-1], 0.2, True)
    tile.joint_number_log_probs[0, NOT_A_TILE] = np.log(none)
    assert len(remaining(image, [tile])) == stays


@pytest.mark.parametrize(("score", "left"), [(0.6, [False]), (0.4, [True])])
def test_what_is_its_own_witness_and_hardly_found_is_asked_about(score: float, left: list[bool]) -> None:
    """A digit on an empty table, however sure its name is: all else says that it is like itself."""
    image, quads, _ = table()
    kept = remaining(image, [tile_row("black-10", quads[0], 0.9999, False, score)], saying(0.99))
    assert kept.is_doubtful.tolist() == left


@pytest.mark.parametrize(("score", "is_flagged"), [(0.9, False), (0.5, True)])
def test_a_tile_by_itself_is_judged_by_its_own_looks(score: float, is_flagged: bool) -> None:
    """One sure tile is enough to be told what is none: a game begins with a few, and keys lie beside them."""
    image, quads, _ = table()
    lone = tile_row("red-7", quads[0], 0.985, False, score)
    is_tile = lambda among, at: among.tiles.trusted_score[at]  # noqa: E731
    assert remaining(image, [lone], is_tile).is_doubtful.tolist() == [is_flagged]


def test_what_the_detector_hardly_sees_shows_nothing_of_how_tiles_look() -> None:
    """Digits on a sheet of paper, however sure their names, make no stranger of the only tile."""
    image, quads, _ = table()
    tile = tile_row("orange-11", quad(440, 40, 80), 0.9999, False, 0.96)
    digits = [tile_row("black-8", one, 0.998, False, 0.45) for one in quads[:4]]
    kept = remaining(image, [*digits, tile], saying(0.01))
    assert kept.track[~kept.is_doubtful].tolist() == [4]


def test_a_picture_of_which_nothing_can_be_read_keeps_its_tiles() -> None:
    """A few places that can't be read where nothing is sure are strays; dozens are a bad picture of a table."""
    image = np.full((600, 1300, 3), IVORY, np.uint8)
    quads = [quad(20 + 60 * (k % 20), 20 + 80 * (k // 20)) for k in range(30)]
    many = [tile_row("red-7", one, 0.1, True) for one in quads]
    assert len(remaining(image, many)) == 30
    for one in many[:18]:
        one.joint_number_log_probs[0, NOT_A_TILE] = np.log(0.01)
    assert len(remaining(image, many)) == 30
    few = [tile_row("red-7", one, 0.1 if k < 5 else 0.5, True) for k, one in enumerate(quads)]
    assert remaining(image, few).track.tolist() == list(range(5, 30))
    assert len(remaining(image, few, is_whole=False)) == 30


def test_a_tile_in_doubt_that_ends_as_the_others_do_stays() -> None:
    """The last of the tiles is one in doubt."""
    image, quads, _ = table(6)
    tiles = [tile_row("blue-3", one, 0.9 if k == 3 else 0.999, k == 3) for k, one in enumerate(quads[:4])]
    assert summary(remaining(image, tiles, saying(0.9))) == summary(table_of(tiles))


@pytest.mark.parametrize(("apart", "stays"), [(SAME_TILE - 0.05, False), (SAME_TILE + 0.05, True)])
def test_a_place_holds_one_tile(apart: float, stays: bool) -> None:
    """Of two whose middles lie nearer than tiles can, the surer stays, whichever comes first."""
    sure, other = (
        tile_row("red-8", quad(100, 100), 0.99, False),
        tile_row("red-8", quad(100 + 40 * apart, 100), 0.6, True),
    )
    assert np.flatnonzero(is_no_duplicate(table_of([sure, other]))).tolist() == ([0, 1] if stays else [0])
    assert np.flatnonzero(is_no_duplicate(table_of([other, sure]))).tolist() == ([0, 1] if stays else [1])


@pytest.mark.parametrize(
    ("share", "stays"), [(MAX_COVERED_BY_TILE_SHARE - 0.05, True), (MAX_COVERED_BY_TILE_SHARE + 0.05, False)]
)
def test_the_makers_name_on_a_tile_is_no_other_one(share: float, stays: bool) -> None:
    """What is in doubt and lies within a sure tile by most of itself is part of it; what nobody doubts stays."""
    tile = tile_row("red-8", np.array(quad(100, 100)), 0.99, False)
    low = np.array([[100, 156 - 26 * share], [140, 156 - 26 * share], [140, 182 - 26 * share], [100, 182 - 26 * share]])
    name = tile_row("orange-1", low, 0.6, True)
    assert np.count_nonzero(is_no_duplicate(table_of([tile, name]))) == 1 + stays
    far_larger = tile_row("red-8", quad(90, 20, 130), 0.99, False)
    assert np.count_nonzero(is_no_duplicate(table_of([far_larger, name]))) == 2
    beside = tile_row("orange-1", low, 0.6, False)
    assert np.count_nonzero(is_no_duplicate(table_of([tile, beside]))) == 2

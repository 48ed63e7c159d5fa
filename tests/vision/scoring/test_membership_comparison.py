"""Comparison of all tiles of a reading: which are dropped, and which confident ones are flagged."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tests.support.tile_tables import summary, table_of, tile_row
from tests.vision.scoring.test_tileness_rims import IVORY, quad, table
from tilekeeper.vision.geometry.proximity import MAX_SAME_TILE_DISTANCE_WIDTHS
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.decision import MAX_COVERED_BY_TILE_SHARE, is_no_duplicate
from tilekeeper.vision.scoring.membership import compare_all
from tilekeeper.vision.scoring.tileness import AmongTiles, IsTile
from tilekeeper.vision.tile_table import TileTable
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


def constant_chance(chance: float) -> Callable[[AmongTiles, np.ndarray], np.ndarray]:
    """Return an `is_tile` that gives every candidate this probability of being a tile."""
    return lambda _, at: np.full(len(at), chance)


@pytest.mark.parametrize(
    ("is_tile", "label", "confidence", "doubtful", "left"),
    [
        (constant_chance(0.1), "red-7", 0.9, True, []),  # doubtful, and hardly a tile
        (constant_chance(0.2), "red-7", 0.9, True, [True]),
        (constant_chance(0.01), "red-7", 0.98, False, [True]),  # its label is not doubtful
        (constant_chance(0.5), "red-7", 0.9, True, [True]),
        (constant_chance(0.05), "joker", 0.98, False, [True]),  # flagged although its label is not doubtful
        (constant_chance(0.5), "red-7", 0.98, False, [True]),
        (constant_chance(0.8), "red-7", 0.98, False, [False]),
        (constant_chance(0.05), "red-7", 0.9999, False, [False]),  # too confident to be compared
        (constant_chance(0.05), "red-7", 0.995, True, [True]),  # only its ink is doubtful, as in a grey image
        (None, "red-7", 0.9, True, [True]),  # no model of tiles and other things
    ],
)
def test_unlikely_tile_is_dropped_flagged_or_kept_by_its_confidence(
    is_tile: IsTile | None, label: str, confidence: float, doubtful: bool, left: list[bool]
) -> None:
    """The tiles around it do not change."""
    image, quads, _ = table()
    tiles = [tile_row("blue-3", corners, 0.9999, False) for corners in quads[:-1]]
    kept = remaining(image, [*tiles, tile_row(label, quads[-1], confidence, doubtful)], is_tile)
    assert summary(kept)[: len(tiles)] == summary(table_of(tiles))
    assert kept.is_doubtful[len(tiles) :].tolist() == left


@pytest.mark.parametrize(
    ("is_tile", "left"),
    [(None, []), (constant_chance(0.05), []), (constant_chance(0.5), [True]), (constant_chance(0.95), [False])],
)
def test_far_too_wide_tile_is_flagged_or_dropped_however_confident(is_tile: IsTile | None, left: list[bool]) -> None:
    """A face twice as wide as the others is dropped, unless all signs together support it."""
    image, quads, _ = table()
    tiles = [tile_row("blue-3", corners, 0.9999, False) for corners in quads[:-1]]
    kept = remaining(image, [*tiles, tile_row("red-7", quad(440, 40, 80), 0.9999, False)], is_tile)
    assert kept.is_doubtful[len(tiles) :].tolist() == left


@pytest.mark.parametrize(
    ("sure", "label", "confidence", "none", "wide_px", "doubtful", "left"),
    [
        (2, "red-7", 0.995, 0.01, 11, False, [True]),
        (3, "red-7", 0.995, 0.01, 11, False, []),  # three tiles show the plane of the table
        (2, "joker", 0.995, 0.01, 11, False, []),  # keys are often labelled joker
        (2, "red-7", 0.989, 0.01, 11, False, []),
        (2, "red-7", 0.995, 0.06, 11, False, []),
        (2, "red-7", 0.995, 0.01, 150, False, []),  # a tile can be far away but not so near
        (2, "red-7", 0.995, 0.01, 11, True, []),  # its label is doubtful
    ],
)
def test_small_tile_beside_few_confident_tiles_is_flagged(
    sure: int, label: str, confidence: float, none: float, wide_px: int, doubtful: bool, left: list[bool]
) -> None:
    """One or two confident tiles do not show how much smaller a distant tile looks; three do."""
    image, quads, _ = table()
    tiles = [tile_row("blue-3", corners, 0.9999, False) for corners in quads[:sure]]
    far = tile_row(label, quad(440, 40, wide_px), confidence, doubtful, 0.6)
    far.joint_number_log_probs[0, NOT_A_TILE] = np.log(none)
    kept = remaining(image, [*tiles, far], constant_chance(0.01))
    assert kept.is_doubtful[sure:].tolist() == left


@pytest.mark.parametrize(("chance", "left"), [(0.03, []), (0.08, [True])])
def test_doubtful_candidate_beside_a_confident_tile_is_flagged(chance: float, left: list[bool]) -> None:
    """A reflection can make a tile look like something else, but a very unlikely candidate is dropped."""
    image, quads, _ = table()
    image[100:156, 302:342] = IVORY
    tiles = [tile_row("blue-3", corners, 0.9999, False) for corners in quads[:-1]]
    kept = remaining(image, [*tiles, tile_row("red-7", quad(302, 100), 0.6, True)], constant_chance(chance))
    assert kept.is_doubtful[len(tiles) :].tolist() == left


@pytest.mark.parametrize(
    ("label", "right_px", "is_flagged"),
    [("red-9", 12, True), ("red-6", 12, True), ("red-9", 4, False), ("red-8", 12, False)],
)
def test_6_or_9_cut_by_the_image_edge_is_flagged(label: str, right_px: int, is_flagged: bool) -> None:
    """The visible part fits both ways up. Other numbers and whole tiles are not flagged."""
    image, quads, _ = table()
    cut = tile_row(label, quad(image.shape[1] - 40 + right_px, 100), 0.9999, False)
    tiles = [*(tile_row("blue-3", corners, 0.9999, False) for corners in quads[:4]), cut]
    assert remaining(image, tiles, constant_chance(0.9)).is_doubtful.tolist() == [False] * 4 + [is_flagged]


def test_doubtful_joker_in_a_doubtful_meld_stays() -> None:
    """With all three tiles doubtful there is nothing confident to compare them with."""
    image = np.full((200, 300, 3), 60, np.uint8)
    meld = [tile_row(label, quad(40 + 41 * k, 60), 0.7, True) for k, label in enumerate(("joker", "red-7", "red-8"))]
    assert summary(remaining(image, meld, constant_chance(0.0))) == summary(table_of(meld))


@pytest.mark.parametrize(
    ("label", "confidence", "stays"),
    [("red-7", 0.2, False), ("red-7", 0.5, True), ("joker", 0.7, False), ("joker", 0.9, True)],
)
def test_without_a_confident_tile_unreadable_candidates_are_dropped(label: str, confidence: float, stays: bool) -> None:
    """Doubtful jokers are dropped too, because letters and keys are often labelled joker."""
    image, quads, _ = table()
    assert len(remaining(image, [tile_row(label, quads[-1], confidence, True)])) == stays


@pytest.mark.parametrize(("label", "none", "stays"), [("red-7", 0.2, 0), ("red-7", 0.01, 1), ("joker", 0.01, 0)])
def test_unreadable_candidate_that_is_likely_a_tile_stays(label: str, none: float, stays: int) -> None:
    """For example a single small tile in bad light. A joker is dropped, because it may be a letter."""
    image, quads, _ = table()
    tile = tile_row(label, quads[-1], 0.2, True)
    tile.joint_number_log_probs[0, NOT_A_TILE] = np.log(none)
    assert len(remaining(image, [tile])) == stays


@pytest.mark.parametrize(("score", "left"), [(0.6, [False]), (0.4, [True])])
def test_isolated_tile_with_a_low_detection_score_is_flagged(score: float, left: list[bool]) -> None:
    """A printed digit on an empty table can get a confident label, and it can only be compared with itself."""
    image, quads, _ = table()
    kept = remaining(image, [tile_row("black-10", quads[0], 0.9999, False, score)], constant_chance(0.99))
    assert kept.is_doubtful.tolist() == left


@pytest.mark.parametrize(("score", "is_flagged"), [(0.9, False), (0.5, True)])
def test_isolated_tile_is_judged_by_its_own_signs(score: float, is_flagged: bool) -> None:
    """One confident tile is enough for the comparison: a game begins with few tiles, and keys may lie beside them."""
    image, quads, _ = table()
    lone = tile_row("red-7", quads[0], 0.985, False, score)
    is_tile = lambda among, at: among.tiles.trusted_score[at]  # noqa: E731
    assert remaining(image, [lone], is_tile).is_doubtful.tolist() == [is_flagged]


def test_weak_detections_do_not_count_as_examples_of_tiles() -> None:
    """Digits on a sheet of paper with confident labels do not flag the only tile."""
    image, quads, _ = table()
    tile = tile_row("orange-11", quad(440, 40, 80), 0.9999, False, 0.96)
    digits = [tile_row("black-8", corners, 0.998, False, 0.45) for corners in quads[:4]]
    kept = remaining(image, [*digits, tile], constant_chance(0.01))
    assert kept.track[~kept.is_doubtful].tolist() == [4]


def test_dozens_of_unreadable_candidates_stay() -> None:
    """A few unreadable candidates among doubtful tiles are dropped; dozens mean a bad image of a table."""
    image = np.full((600, 1300, 3), IVORY, np.uint8)
    quads = [quad(20 + 60 * (k % 20), 20 + 80 * (k // 20)) for k in range(30)]
    many = [tile_row("red-7", corners, 0.1, True) for corners in quads]
    assert len(remaining(image, many)) == 30
    for corners in many[:18]:
        corners.joint_number_log_probs[0, NOT_A_TILE] = np.log(0.01)
    assert len(remaining(image, many)) == 30
    mostly_readable = [tile_row("red-7", corners, 0.1 if k < 5 else 0.5, True) for k, corners in enumerate(quads)]
    assert remaining(image, mostly_readable).track.tolist() == list(range(5, 30))
    assert len(remaining(image, mostly_readable, is_whole=False)) == 30


def test_doubtful_tile_with_rims_like_the_others_stays() -> None:
    image, quads, _ = table(6)
    tiles = [tile_row("blue-3", corners, 0.9 if k == 3 else 0.999, k == 3) for k, corners in enumerate(quads[:4])]
    assert summary(remaining(image, tiles, constant_chance(0.9))) == summary(table_of(tiles))


@pytest.mark.parametrize(("apart", "stays"), [(SAME_TILE - 0.05, False), (SAME_TILE + 0.05, True)])
def test_two_tiles_at_one_place_leave_the_more_confident_one(apart: float, stays: bool) -> None:
    """Their centres are nearer than two tiles can lie. The order of the tiles does not matter."""
    sure, other = (
        tile_row("red-8", quad(100, 100), 0.99, False),
        tile_row("red-8", quad(100 + 40 * apart, 100), 0.6, True),
    )
    assert np.flatnonzero(is_no_duplicate(table_of([sure, other]))).tolist() == ([0, 1] if stays else [0])
    assert np.flatnonzero(is_no_duplicate(table_of([other, sure]))).tolist() == ([0, 1] if stays else [1])


@pytest.mark.parametrize(
    ("share", "stays"), [(MAX_COVERED_BY_TILE_SHARE - 0.05, True), (MAX_COVERED_BY_TILE_SHARE + 0.05, False)]
)
def test_doubtful_candidate_inside_a_confident_tile_is_dropped(share: float, stays: bool) -> None:
    """It is part of the tile, like a maker's name. A candidate that is not doubtful stays."""
    tile = tile_row("red-8", np.array(quad(100, 100)), 0.99, False)
    low = np.array([[100, 156 - 26 * share], [140, 156 - 26 * share], [140, 182 - 26 * share], [100, 182 - 26 * share]])
    name = tile_row("orange-1", low, 0.6, True)
    assert np.count_nonzero(is_no_duplicate(table_of([tile, name]))) == 1 + stays
    far_larger = tile_row("red-8", quad(90, 20, 130), 0.99, False)
    assert np.count_nonzero(is_no_duplicate(table_of([far_larger, name]))) == 2
    beside = tile_row("orange-1", low, 0.6, False)
    assert np.count_nonzero(is_no_duplicate(table_of([tile, beside]))) == 2

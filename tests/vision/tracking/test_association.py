"""Tiles are matched by place, by a common motion, and by appearance."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.truthful_networks import quad_at
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.scoring.tile_table import MAX_EVIDENCE_CROPS, NONE, TileTable, similarity
from tilekeeper.vision.tracking.association import (
    find_common_motion,
    is_another_scene,
    match_by_appearance,
    match_by_place,
    match_tracks,
    warp_quads,
)
from tilekeeper.vision.types import INKS, NOT_A_TILE, labels_of


def seen(number: int, ink: int = 0, sure: float = 0.98, quad_px: object = None) -> TileTable:
    """One crop of a tile; `number` from 0, 13 for a joker, 14 for a non-tile."""
    numbers, inks = np.full((1, 15), (1 - sure) / 14), np.full((1, 4), (1 - sure) / 3)
    numbers[0, number], inks[0, ink] = sure, sure
    quads_px = np.array([quad_at(100, 100) if quad_px is None else quad_px])
    looked = Appearances(np.log(numbers), np.log(inks), np.full(1, -5.0), quads_px, np.ones((1, 3)), np.zeros((1, 0)))
    return TileTable.from_classification(looked, np.full(1, 0.9))


def lying(*tiles: tuple[float, float, int, int]) -> TileTable:
    """Tiles at x and y with a number and an ink."""
    return TileTable.concatenate([seen(number, ink, quad_px=quad_at(x, y)) for x, y, number, ink in tiles])


def test_tile_a_fifth_of_a_width_away_matches_by_place_and_a_turned_one_does_not() -> None:
    """Which end is up does not matter."""
    before = np.array([quad_at(100, 100), quad_at(125, 100), quad_at(300, 300)])
    turned = (quad_at(300, 300) - 300)[:, ::-1] * (-1, 1) + 300
    after = np.array([quad_at(130, 101), quad_at(104, 100), turned])
    assert match_by_place(before, after) == {0: 1, 1: 0}
    assert match_by_place(before, after[:, [2, 3, 0, 1]]) == {0: 1, 1: 0}  # which end is up does not matter
    assert match_by_place(before[:0], after) == {}


def test_equal_tiles_that_moved_are_matched_with_the_nearest() -> None:
    before = lying((100, 100, 6, 3), (500, 100, 6, 3))
    after = lying((540, 300, 6, 3), (140, 300, 6, 3), (110, 110, 2, 1))
    assert match_by_appearance(before, after) == {0: 1, 1: 0}


RED_7 = labels_of(INKS).index("red-7")


@pytest.mark.parametrize(
    ("none", "person", "track"),
    [
        pytest.param(0.02, NONE, 5, id="surely"),
        pytest.param(0.04, NONE, 9, id="not surely"),
        pytest.param(0.02, RED_7, 5, id="surely, and named by a person"),
        pytest.param(0.04, RED_7, 9, id="named by a person, who is asked again"),
        pytest.param(0.25, NONE, 9, id="perhaps an ornament"),
    ],
)
def test_moved_tile_is_matched_only_with_a_confirmed_tile(none: float, person: int, track: int) -> None:
    """A false detection that looks like it, or another tile, gets no track of it."""
    tracked = lying((100, 100, 6, 3))
    tracked.track[:], tracked.person_label[:] = 5, person
    now = seen(6, 3, 0.7, quad_at(160, 100))
    now.number_log_probs[0, [6, NOT_A_TILE]] = np.log([1 - none - 0.01, none])
    there = match_tracks(tracked, now, 9)
    assert (there.track.tolist(), there.person_label.tolist()) == ([track], [person if track == 5 else NONE])


@pytest.mark.parametrize(("person", "stays"), [(labels_of(INKS).index("black-4"), True), (NONE, False)])
def test_tile_that_now_looks_as_a_person_labelled_it_keeps_its_track(person: int, stays: bool) -> None:
    """It looked like an 11, a person called it a 4, and now it looks like a 4 and is not detected."""
    tracked = lying((100, 100, 10, 0))
    tracked.person_label[:] = person
    now = seen(3, 0, 0.8, quad_at(100, 100))
    now.score[:] = 0.0
    assert match_tracks(tracked, now, 9).track.tolist() == ([0] if stays else [])
    assert match_tracks(tracked, seen(6, 0, 0.8, quad_at(100, 100)), 9).track.tolist() == [9]


def turned(tiles: TileTable, degrees: float) -> tuple[TileTable, np.ndarray]:
    """The same tiles in reverse order after the table was turned, and the homography."""
    move = np.vstack([cv2.getRotationMatrix2D((300, 200), degrees, 1.0), [0, 0, 1]])
    other_way = tiles.at(np.arange(len(tiles))[::-1])
    return replace(other_way, quads_px=warp_quads(other_way.quads_px, move)), move


TWO_ROWS = [(100.0 + 30 * at, y, at % 5, at % 4) for y in (100.0, 260.0) for at in range(6)]
"""Twelve tiles, two of each name."""


@pytest.mark.parametrize("tiles", [TWO_ROWS, [(x, y, 2 * at % 13, 1) for at, (x, y, *_) in enumerate(TWO_ROWS[:8])]])
@pytest.mark.parametrize("degrees", [25, -60, 180])
def test_turned_table_is_found_by_the_pattern_of_its_tiles(
    tiles: list[tuple[float, float, int, int]], degrees: float
) -> None:
    tracked = lying(*tiles)
    tracked.track[:] = np.arange(len(tracked))
    now, by = turned(tracked, degrees)
    move = find_common_motion(tracked, now)
    assert move is not None
    led = warp_quads(tracked.quads_px, move)
    assert led == pytest.approx(warp_quads(tracked.quads_px, by), abs=2)
    there = match_tracks(replace(tracked, quads_px=led), replace(now, track=now.track + 50), 99)
    assert dict(zip(there.track.tolist(), there.quads_px.tolist(), strict=True)) == dict(
        zip(now.track.tolist(), now.quads_px.tolist(), strict=True)
    )


def test_other_tiles_or_too_few_of_the_same_have_no_common_motion() -> None:
    """A homography maps any four corners anywhere, so it takes many tiles."""
    tracked = lying(*TWO_ROWS)
    others = lying(*((x, y, (number + 6) % 13, ink) for x, y, number, ink in TWO_ROWS))
    assert find_common_motion(tracked, others) is None
    rng = np.random.default_rng(1)
    strewn = lying(*((*rng.uniform(50, 600, 2), number, ink) for *_, number, ink in TWO_ROWS))
    assert find_common_motion(tracked, strewn) is None
    assert find_common_motion(lying(*TWO_ROWS[:6]), turned(lying(*TWO_ROWS[:6]), 25)[0]) is None
    assert find_common_motion(tracked, TileTable.none()) is None


def test_crops_at_one_place_count_less_than_one_at_another_place() -> None:
    """Ten frames of a scratch are not ten tiles without it."""
    once = seen(6, 3, 0.8)
    still, elsewhere = once, once.with_crops(once, np.array([True]))
    for _ in range(5):
        still = still.with_crops(once, np.array([False]))
    chances = np.exp(TileTable.concatenate([once, still, elsewhere]).tempered().number_log_probs.max(axis=1))
    assert chances[0] == pytest.approx(0.8)
    assert chances[1] == pytest.approx(0.8)
    assert chances[2] > 0.85
    assert still.crop_count.tolist() == [6]
    assert elsewhere.crop_count.tolist() == [1]


@given(st.lists(st.tuples(st.integers(0, 14), st.booleans()), max_size=12), st.floats(0.3, 0.99))
def test_fused_crops_are_probabilities_and_one_crop_never_outweighs_many(
    looks: list[tuple[int, bool]], sure: float
) -> None:
    tile = seen(4, 1, 0.9)
    for number, moved in looks:
        tile = tile.with_crops(seen(number, 2, sure), np.array([moved]))
    names = tile.tempered()
    assert np.exp(names.number_log_probs).sum() == pytest.approx(1)
    assert np.exp(names.ink_log_probs).sum() == pytest.approx(1)
    assert tile.number_log_probs.min() * MAX_EVIDENCE_CROPS <= names.number_log_probs.min() + 60
    assert 0 <= similarity(tile, seen(4, 1))[0] <= 1 + 1e-9


def test_other_number_or_ink_has_a_low_similarity() -> None:
    assert similarity(seen(6, 3), seen(6, 3, 0.7))[0] > 0.8
    assert similarity(seen(6, 3), seen(6, 2))[0] < 0.3
    assert similarity(seen(6, 3), seen(5, 3))[0] < 0.3
    assert similarity(seen(13, 0), seen(13, 3))[0] > 0.9
    assert not seen(NOT_A_TILE).is_tile[0]


def side_by_side(*places: int, first: int = 0) -> TileTable:
    """A number of tiles in a row, with tracks from `first` on."""
    tiles = lying(*((100 + 30 * at, 100, at % 13, 0) for at in places))
    tiles.track[:] = first + np.arange(len(places))
    return tiles


def hidden(tiles: TileTable) -> TileTable:
    """The same tiles, covered."""
    return replace(tiles, covered=np.ones(len(tiles), bool))


@pytest.mark.parametrize(
    ("now", "in_part", "another"),
    [
        pytest.param(side_by_side(0, 1, 2, 3), False, False, id="as it was"),
        pytest.param(side_by_side(*range(6, 12), first=10), False, True, id="others"),
        pytest.param(side_by_side(*range(6, 12), first=10), True, True, id="others in parts"),
        pytest.param(side_by_side(0), True, False, id="a napkin over most"),
        pytest.param(side_by_side(0), False, True, id="all changed and one left"),
        pytest.param(side_by_side(0, 6), True, False, id="one laid beside a napkin"),
        pytest.param(side_by_side(0, 6, 7), True, False, id="two laid beside a napkin"),
        pytest.param(side_by_side(*range(5), first=10), True, True, id="others on the same places"),
        pytest.param(hidden(side_by_side(*range(6, 12), first=10)), True, False, id="others that are covered"),
    ],
)
def test_scene_with_mostly_other_tiles_is_another_scene(now: TileTable, in_part: bool, another: bool) -> None:
    """Another table shows as many other tiles; a napkin over most of a table does not."""
    assert is_another_scene(side_by_side(0, 1, 2, 3, 4), now, in_part) is another


def test_napkin_over_all_tiles_is_not_another_scene() -> None:
    under = side_by_side(0, 1, 2)
    under.covered[:] = True
    assert not is_another_scene(under, side_by_side(8, first=10), in_part=True)
    assert is_another_scene(under, side_by_side(8, first=10), in_part=False)

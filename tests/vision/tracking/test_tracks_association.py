"""Tiles are matched by place, by a common motion, and by appearance."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.truthful_networks import quad_at
from tilekeeper.vision.tile_table import MAX_EVIDENCE_CROPS, NONE, Appearances, TileTable, similarity
from tilekeeper.vision.tracking.lost_tiles import is_another_scene
from tilekeeper.vision.tracking.tracks import (
    find_common_motion,
    match_by_appearance,
    match_by_place,
    match_tracks,
    warp_quads,
)
from tilekeeper.vision.types import INKS, NOT_A_TILE, labels_of


def crop_of(number: int, ink: int = 0, sure: float = 0.98, quad_px: object = None) -> TileTable:
    """Return one crop of a tile; `number` counts from 0, and 13 is a joker and 14 no tile."""
    numbers, inks = np.full((1, 15), (1 - sure) / 14), np.full((1, 4), (1 - sure) / 3)
    numbers[0, number], inks[0, ink] = sure, sure
    quads_px = np.array([quad_at(100, 100) if quad_px is None else quad_px])
    appearances = Appearances(
        np.log(numbers), np.log(inks), np.full(1, -5.0), quads_px, np.ones((1, 3)), np.zeros((1, 0))
    )
    return TileTable.from_classification(appearances, np.full(1, 0.9))


def table_of(*tiles: tuple[float, float, int, int]) -> TileTable:
    """Return tiles at x and y with a number and an ink."""
    return TileTable.concatenate([crop_of(number, ink, quad_px=quad_at(x, y)) for x, y, number, ink in tiles])


def test_tile_a_fifth_of_a_width_away_matches_by_place_and_a_turned_one_does_not() -> None:
    earlier = np.array([quad_at(100, 100), quad_at(125, 100), quad_at(300, 300)])
    turned = (quad_at(300, 300) - 300)[:, ::-1] * (-1, 1) + 300
    later = np.array([quad_at(130, 101), quad_at(104, 100), turned])
    assert match_by_place(earlier, later) == {0: 1, 1: 0}
    assert match_by_place(earlier, later[:, [2, 3, 0, 1]]) == {0: 1, 1: 0}  # which end is up does not matter
    assert match_by_place(earlier[:0], later) == {}


def test_equal_tiles_that_moved_are_matched_with_the_nearest() -> None:
    earlier = table_of((100, 100, 6, 3), (500, 100, 6, 3))
    later = table_of((540, 300, 6, 3), (140, 300, 6, 3), (110, 110, 2, 1))
    assert match_by_appearance(earlier, later) == {0: 1, 1: 0}


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
    """A false detection or another tile that looks like it gets a new track."""
    tracked = table_of((100, 100, 6, 3))
    tracked.track[:], tracked.person_label[:] = 5, person
    new = crop_of(6, 3, 0.7, quad_at(160, 100))
    new.number_log_probs[0, [6, NOT_A_TILE]] = np.log([1 - none - 0.01, none])
    matched = match_tracks(tracked, new, 9)
    assert (matched.track.tolist(), matched.person_label.tolist()) == ([track], [person if track == 5 else NONE])


@pytest.mark.parametrize(("person", "stays"), [(labels_of(INKS).index("black-4"), True), (NONE, False)])
def test_tile_that_now_looks_as_a_person_labelled_it_keeps_its_track(person: int, stays: bool) -> None:
    """It was read as an 11 and a person labelled it a 4. Now it is read as a 4, but the detector misses it."""
    tracked = table_of((100, 100, 10, 0))
    tracked.person_label[:] = person
    new = crop_of(3, 0, 0.8, quad_at(100, 100))
    new.score[:] = 0.0
    assert match_tracks(tracked, new, 9).track.tolist() == ([0] if stays else [])
    assert match_tracks(tracked, crop_of(6, 0, 0.8, quad_at(100, 100)), 9).track.tolist() == [9]


def turned(tiles: TileTable, degrees: float) -> tuple[TileTable, np.ndarray]:
    """Return the tiles in reverse order after the table was turned, and the homography."""
    move = np.vstack([cv2.getRotationMatrix2D((300, 200), degrees, 1.0), [0, 0, 1]])
    other_way = tiles.at(np.arange(len(tiles))[::-1])
    return replace(other_way, quads_px=warp_quads(other_way.quads_px, move)), move


TWO_ROWS = [(100.0 + 30 * at, y, at % 5, at % 4) for y in (100.0, 260.0) for at in range(6)]
"""Twelve tiles."""


@pytest.mark.parametrize("tiles", [TWO_ROWS, [(x, y, 2 * at % 13, 1) for at, (x, y, *_) in enumerate(TWO_ROWS[:8])]])
@pytest.mark.parametrize("degrees", [25, -60, 180])
def test_turned_table_is_found_by_the_pattern_of_its_tiles(
    tiles: list[tuple[float, float, int, int]], degrees: float
) -> None:
    tracked = table_of(*tiles)
    tracked.track[:] = np.arange(len(tracked))
    new, true_move = turned(tracked, degrees)
    move = find_common_motion(tracked, new)
    assert move is not None
    warped = warp_quads(tracked.quads_px, move)
    assert warped == pytest.approx(warp_quads(tracked.quads_px, true_move), abs=2)
    matched = match_tracks(replace(tracked, quads_px=warped), replace(new, track=new.track + 50), 99)
    assert dict(zip(matched.track.tolist(), matched.quads_px.tolist(), strict=True)) == dict(
        zip(new.track.tolist(), new.quads_px.tolist(), strict=True)
    )


def test_other_tiles_or_too_few_of_the_same_have_no_common_motion() -> None:
    """A homography maps any four corners anywhere, so it takes many tiles."""
    tracked = table_of(*TWO_ROWS)
    other_tiles = table_of(*((x, y, (number + 6) % 13, ink) for x, y, number, ink in TWO_ROWS))
    assert find_common_motion(tracked, other_tiles) is None
    rng = np.random.default_rng(1)
    scattered = table_of(*((*rng.uniform(50, 600, 2), number, ink) for *_, number, ink in TWO_ROWS))
    assert find_common_motion(tracked, scattered) is None
    assert find_common_motion(table_of(*TWO_ROWS[:6]), turned(table_of(*TWO_ROWS[:6]), 25)[0]) is None
    assert find_common_motion(tracked, TileTable.none()) is None


def test_crops_at_one_place_count_less_than_one_at_another_place() -> None:
    """Ten frames of a scratch are not ten tiles without it."""
    once = crop_of(6, 3, 0.8)
    same_place, other_place = once, once.with_crops(once, np.array([True]))
    for _ in range(5):
        same_place = same_place.with_crops(once, np.array([False]))
    chances = np.exp(TileTable.concatenate([once, same_place, other_place]).tempered().number_log_probs.max(axis=1))
    assert chances[0] == pytest.approx(0.8)
    assert chances[1] == pytest.approx(0.8)
    assert chances[2] > 0.85
    assert same_place.crop_count.tolist() == [6]
    assert other_place.crop_count.tolist() == [1]


@given(st.lists(st.tuples(st.integers(0, 14), st.booleans()), max_size=12), st.floats(0.3, 0.99))
def test_fused_crops_are_probabilities_and_one_crop_never_outweighs_many(
    crops: list[tuple[int, bool]], sure: float
) -> None:
    tile = crop_of(4, 1, 0.9)
    for number, moved in crops:
        tile = tile.with_crops(crop_of(number, 2, sure), np.array([moved]))
    names = tile.tempered()
    assert np.exp(names.number_log_probs).sum() == pytest.approx(1)
    assert np.exp(names.ink_log_probs).sum() == pytest.approx(1)
    assert tile.number_log_probs.min() * MAX_EVIDENCE_CROPS <= names.number_log_probs.min() + 60
    assert 0 <= similarity(tile, crop_of(4, 1))[0] <= 1 + 1e-9


def test_other_number_or_ink_has_a_low_similarity() -> None:
    assert similarity(crop_of(6, 3), crop_of(6, 3, 0.7))[0] > 0.8
    assert similarity(crop_of(6, 3), crop_of(6, 2))[0] < 0.3
    assert similarity(crop_of(6, 3), crop_of(5, 3))[0] < 0.3
    assert similarity(crop_of(13, 0), crop_of(13, 3))[0] > 0.9
    assert not crop_of(NOT_A_TILE).is_tile[0]


def side_by_side(*places: int, first: int = 0) -> TileTable:
    """Return tiles in a row at these positions, with tracks from `first` on."""
    tiles = table_of(*((100 + 30 * at, 100, at % 13, 0) for at in places))
    tiles.track[:] = first + np.arange(len(places))
    return tiles


def all_covered(tiles: TileTable) -> TileTable:
    """Return the same tiles, covered."""
    return replace(tiles, covered=np.ones(len(tiles), bool))


@pytest.mark.parametrize(
    ("new", "in_part", "another"),
    [
        pytest.param(side_by_side(0, 1, 2, 3), False, False, id="as it was"),
        pytest.param(side_by_side(*range(6, 12), first=10), False, True, id="others"),
        pytest.param(side_by_side(*range(6, 12), first=10), True, True, id="others in parts"),
        pytest.param(side_by_side(0), True, False, id="a napkin over most"),
        pytest.param(side_by_side(0), False, True, id="all changed and one left"),
        pytest.param(side_by_side(0, 6), True, False, id="one laid beside a napkin"),
        pytest.param(side_by_side(0, 6, 7), True, False, id="two laid beside a napkin"),
        pytest.param(side_by_side(*range(5), first=10), True, True, id="others on the same places"),
        pytest.param(all_covered(side_by_side(*range(6, 12), first=10)), True, False, id="others that are covered"),
    ],
)
def test_scene_with_mostly_other_tiles_is_another_scene(new: TileTable, in_part: bool, another: bool) -> None:
    """Another table shows as many other tiles; a napkin over most of a table does not."""
    assert is_another_scene(side_by_side(0, 1, 2, 3, 4), new, in_part) is another


def test_napkin_over_all_tiles_is_not_another_scene() -> None:
    covered_tiles = side_by_side(0, 1, 2)
    covered_tiles.covered[:] = True
    assert not is_another_scene(covered_tiles, side_by_side(8, first=10), in_part=True)
    assert is_another_scene(covered_tiles, side_by_side(8, first=10), in_part=False)

"""A joker across its row is turned along it; nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera
from tilekeeper.vision.layout.rows import group_rows
from tilekeeper.vision.recognition.refinement.refine import align_jokers


def across(quad_px: np.ndarray, by: float = 0.0) -> np.ndarray:
    """Return the quad turned by a quarter around its centre and moved along its row."""
    middle = quad_px.mean(axis=0)
    turned = (quad_px - middle) @ np.array([[0, 1], [-1, 0]], np.float32) + middle
    return (turned + by * (quad_px[1] - quad_px[0])).astype(np.float32)


@pytest.mark.parametrize("index", [0, 2, 4])
@pytest.mark.parametrize("by", [-0.2, 0.0, 0.2])
def test_joker_across_its_row_is_turned_along_it(index: int, by: float) -> None:
    true = seen_by_camera(row_mm((-100, 0), 5, gaps_mm=0.5))
    detected = true.copy()
    detected[index] = across(true[index], by)
    jokers = np.arange(5) == index
    turned = align_jokers(detected, jokers, detected[~jokers])
    width = np.linalg.norm(true[index][1] - true[index][0])
    error = min(np.abs(np.roll(turned[index], k, axis=0) - true[index]).max() for k in (0, 2))
    assert error < 0.12 * width
    assert np.array_equal(turned[~jokers], detected[~jokers])
    assert [len(row) for row in group_rows(turned)] == [5]


def test_joker_along_its_row_stays() -> None:
    true = seen_by_camera(row_mm((-100, 0), 4, gaps_mm=1.0))
    detected = true.copy()
    detected[1] = np.roll(true[1], 2, axis=0)
    jokers = np.arange(4) == 1
    assert np.array_equal(align_jokers(detected, jokers, detected[~jokers]), detected)


@pytest.mark.parametrize("case", [(0.0, 1.6), (2.2, 0.0), (1.0, 0.8)])
def test_joker_outside_all_rows_stays(case: tuple[float, float]) -> None:
    (tile,) = seen_by_camera(row_mm((0, 0), 1))
    right, down = tile[1] - tile[0], tile[3] - tile[0]
    joker = across(tile) + case[0] * right + case[1] * down / 1.4
    quads = np.array([tile, joker], np.float32)
    assert np.array_equal(align_jokers(quads, np.array([False, True]), quads[:1]), quads)


def test_without_jokers_or_neighbours_nothing_changes() -> None:
    empty = np.zeros((0, 4, 2), np.float32)
    assert len(align_jokers(empty, np.zeros(0, bool), empty)) == 0
    quads = seen_by_camera(row_mm((0, 0), 2))
    assert np.array_equal(align_jokers(quads, np.array([True, True]), empty), quads)


def test_joker_in_its_row_is_not_turned_into_a_crossing_row() -> None:
    true = seen_by_camera(row_mm((-100, 0), 3, gaps_mm=0.5))
    right, down = true[2][1] - true[2][0], true[2][3] - true[2][0]
    beside = across(true[2]) + 1.25 * right
    quads = np.array([*true, beside, beside + 0.72 * down], np.float32)
    jokers = np.arange(5) == 2
    assert np.array_equal(align_jokers(quads, jokers, quads[~jokers]), quads)


def test_joker_beside_an_occupied_place_stays() -> None:
    (tile,) = seen_by_camera(row_mm((0, 0), 1))
    right = tile[1] - tile[0]
    quads = np.array([tile, across(tile) + 1.3 * right, tile + 1.1 * right], np.float32)
    assert np.array_equal(align_jokers(quads, np.array([False, True, False]), quads[[0, 2]]), quads)

"""A joker that was found lying across its row is turned along it; nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera
from tilekeeper.vision.layout.rows import group_rows
from tilekeeper.vision.recognition.refinement.joker_orientation import align_jokers


def across(quad_px: np.ndarray, by: float = 0.0) -> np.ndarray:
    """The quad a quarter turned about its middle, its sides as long as they were, and moved along its row."""
    middle = quad_px.mean(axis=0)
    turned = (quad_px - middle) @ np.array([[0, 1], [-1, 0]], np.float32) + middle
    return (turned + by * (quad_px[1] - quad_px[0])).astype(np.float32)


@pytest.mark.parametrize("at", [0, 2, 4])
@pytest.mark.parametrize("by", [-0.2, 0.0, 0.2])
def test_a_joker_across_its_row_is_turned_along_it(at: int, by: float) -> None:
    """At either end and inside; its middle, which was off, comes to lie in the row, and the row is one."""
    true = seen_by_camera(row_mm((-100, 0), 5, gaps_mm=0.5))
    found = true.copy()
    found[at] = across(true[at], by)
    jokers = np.arange(5) == at
    turned = align_jokers(found, jokers, found[~jokers])
    width = np.linalg.norm(true[at][1] - true[at][0])
    off = min(np.abs(np.roll(turned[at], k, axis=0) - true[at]).max() for k in (0, 2))
    assert off < 0.12 * width
    assert np.array_equal(turned[~jokers], found[~jokers])
    assert [len(row) for row in group_rows(turned)] == [5]


def test_a_joker_along_its_row_stays_as_it_is() -> None:
    """Either end up, and however the camera sees it."""
    true = seen_by_camera(row_mm((-100, 0), 4, gaps_mm=1.0))
    found = true.copy()
    found[1] = np.roll(true[1], 2, axis=0)
    jokers = np.arange(4) == 1
    assert np.array_equal(align_jokers(found, jokers, found[~jokers]), found)


@pytest.mark.parametrize("where", [(0.0, 1.6), (2.2, 0.0), (1.0, 0.8)])
def test_a_joker_in_no_row_stays_as_it_is(where: tuple[float, float]) -> None:
    """Above a tile, away from it or at its corner nothing tells how it lies."""
    (tile,) = seen_by_camera(row_mm((0, 0), 1))
    right, down = tile[1] - tile[0], tile[3] - tile[0]
    joker = across(tile) + where[0] * right + where[1] * down / 1.4
    quads = np.array([tile, joker], np.float32)
    assert np.array_equal(align_jokers(quads, np.array([False, True]), quads[:1]), quads)


def test_without_jokers_or_tiles_nothing_happens() -> None:
    """Empty tables, and tables of jokers alone."""
    none = np.zeros((0, 4, 2), np.float32)
    assert len(align_jokers(none, np.zeros(0, bool), none)) == 0
    quads = seen_by_camera(row_mm((0, 0), 2))
    assert np.array_equal(align_jokers(quads, np.array([True, True]), none), quads)


def test_a_joker_in_its_own_row_is_not_turned_into_another() -> None:
    """At the end of an upright row, with a row at right angles right beside it."""
    true = seen_by_camera(row_mm((-100, 0), 3, gaps_mm=0.5))
    right, down = true[2][1] - true[2][0], true[2][3] - true[2][0]
    beside = across(true[2]) + 1.25 * right
    quads = np.array([*true, beside, beside + 0.72 * down], np.float32)
    jokers = np.arange(5) == 2
    assert np.array_equal(align_jokers(quads, jokers, quads[~jokers]), quads)


def test_a_joker_is_not_turned_onto_another_tile() -> None:
    """Where the place beside its row is taken, it stays as it was found."""
    (tile,) = seen_by_camera(row_mm((0, 0), 1))
    right = tile[1] - tile[0]
    quads = np.array([tile, across(tile) + 1.3 * right, tile + 1.1 * right], np.float32)
    assert np.array_equal(align_jokers(quads, np.array([False, True, False]), quads[[0, 2]]), quads)

"""Of quads over one place one stays: the fast way of the detector against a slow and obvious one."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from tilekeeper.vision.detection.detector import (
    MAX_NEIGHBOUR_AREA_RATIO,
    MIN_NEIGHBOUR_DISTANCE_RATIO,
    NMS_OVERLAP_SHARE,
    non_maximum_suppression,
)

Point = tuple[float, float]


def area(polygon: list[Point]) -> float:
    """The area of a polygon by its corners, above 0 where they go clockwise on a picture."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True)) / 2


def shared(one: list[Point], other: list[Point]) -> float:
    """The area that two convex clockwise polygons share: one is cut along each side of the other."""
    for a, b in zip(other, other[1:] + other[:1], strict=True):
        sides = [(b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) for p in one]
        cut: list[Point] = []
        for i, here in enumerate(one):
            there, at_here, at_there = one[(i + 1) % len(one)], sides[i], sides[(i + 1) % len(one)]
            if at_here >= 0:
                cut.append(here)
            if at_here * at_there < 0:
                share = at_here / (at_here - at_there)
                cut.append((here[0] + share * (there[0] - here[0]), here[1] + share * (there[1] - here[1])))
        one = cut
    return area(one) if one else 0.0


def kept_slowly(quads: np.ndarray, scores: np.ndarray) -> tuple[list[int], float]:
    """What stays, best first, and how near its limit anything came that was decided."""
    polygons = [[(float(x), float(y)) for x, y in quad] for quad in quads]
    kept: list[int] = []
    nearest = 1.0
    for at in sorted(range(len(quads)), key=lambda i: (-scores[i], i)):
        stays = True
        for i in kept:
            smaller, larger = sorted((area(polygons[at]), area(polygons[i])))
            share = shared(polygons[at], polygons[i]) / smaller
            away = math.dist(quads[at].mean(axis=0), quads[i].mean(axis=0)) / smaller**0.5
            nearest = min(
                nearest,
                abs(share - NMS_OVERLAP_SHARE),
                abs(away - MIN_NEIGHBOUR_DISTANCE_RATIO),
                abs(larger / smaller - MAX_NEIGHBOUR_AREA_RATIO),
            )
            stays &= share < NMS_OVERLAP_SHARE or (
                away > MIN_NEIGHBOUR_DISTANCE_RATIO and larger < MAX_NEIGHBOUR_AREA_RATIO * smaller
            )
        if stays:
            kept.append(at)
    return kept, nearest


@st.composite
def tiles(draw: st.DrawFn) -> np.ndarray:
    """A tile's quad `(4, 2) float32`, turned and foreshortened at will, its far side shorter, in a small picture."""
    width, aspect = draw(st.floats(12, 60)), draw(st.floats(0.6, 1.7))
    turn, far_side = draw(st.floats(-np.pi, np.pi)), draw(st.floats(0.8, 1.0))
    middle = draw(st.floats(0, 160)), draw(st.floats(0, 160))
    local = np.array([[-far_side, -aspect], [far_side, -aspect], [1, aspect], [-1, aspect]]) * width / 2
    cos, sin = np.cos(turn), np.sin(turn)
    return (local @ np.array([[cos, sin], [-sin, cos]]) + middle).astype(np.float32)


@given(st.lists(st.tuples(tiles(), st.sampled_from([0.3, 0.5, 0.7, 0.9])), min_size=1, max_size=12))
def test_the_fast_way_keeps_what_the_slow_one_keeps(found: list[tuple[np.ndarray, float]]) -> None:
    """The same quads in the same order, also where scores are alike."""
    quads = np.array([quad for quad, _ in found])
    scores = np.array([score for _, score in found])
    wanted, nearest = kept_slowly(quads, scores)
    assume(nearest > 1e-3)  # there, single precision may see it either way
    assert non_maximum_suppression(quads, scores) == wanted


@given(st.lists(tiles(), min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_the_order_in_which_quads_come_says_nothing(quads: list[np.ndarray], random: object) -> None:
    """Shuffled, the same quads stay."""
    scores = np.linspace(0.9, 0.4, len(quads))
    order = list(range(len(quads)))
    random.shuffle(order)
    kept = non_maximum_suppression(np.array(quads), scores)
    assert [order[at] for at in non_maximum_suppression(np.array(quads)[order], scores[order])] == kept


@given(st.lists(tiles(), min_size=1, max_size=10))
def test_what_is_left_is_left_alone(quads: list[np.ndarray]) -> None:
    """Asked again about what it kept, it keeps all of it, and the best is always among it."""
    scores = np.linspace(0.9, 0.4, len(quads))
    kept = non_maximum_suppression(np.array(quads), scores)
    assert kept[0] == 0
    assert non_maximum_suppression(np.array(quads)[kept], scores[kept]) == list(range(len(kept)))


def test_what_was_dropped_drops_nothing_itself() -> None:
    """In a chain of overlaps the third stays: only the second, which has gone, lay over it."""
    square = np.array([[0, 0], [30, 0], [30, 30], [0, 30]], np.float32)
    chain = np.array([square, square + np.float32((15, 0)), square + np.float32((30, 0))])
    assert non_maximum_suppression(chain, np.array([0.9, 0.8, 0.7])) == [0, 2]
    assert non_maximum_suppression(chain, np.array([0.8, 0.9, 0.7])) == [1]


def test_no_quads_leave_none() -> None:
    """An empty list is no error."""
    assert non_maximum_suppression(np.zeros((0, 4, 2), np.float32), np.zeros(0)) == []

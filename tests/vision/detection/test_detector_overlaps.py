"""Non-maximum suppression against a slow reference implementation."""

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
    """Return the signed area of a polygon, above 0 if it is clockwise in the image."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True)) / 2


def shared_area(polygon: list[Point], clip_polygon: list[Point]) -> float:
    """Return the area of intersection of two convex clockwise polygons, by clipping."""
    for a, b in zip(clip_polygon, clip_polygon[1:] + clip_polygon[:1], strict=True):
        sides = [(b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) for p in polygon]
        cut: list[Point] = []
        for i, start in enumerate(polygon):
            end, start_side, end_side = polygon[(i + 1) % len(polygon)], sides[i], sides[(i + 1) % len(polygon)]
            if start_side >= 0:
                cut.append(start)
            if start_side * end_side < 0:
                share = start_side / (start_side - end_side)
                cut.append((start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])))
        polygon = cut
    return area(polygon) if polygon else 0.0


def suppress_slowly(quads: np.ndarray, scores: np.ndarray) -> tuple[list[int], float]:
    """Return the kept indices, best first, and the smallest distance of any decision from its limit."""
    polygons = [[(float(x), float(y)) for x, y in quad] for quad in quads]
    kept: list[int] = []
    nearest = 1.0
    for index in sorted(range(len(quads)), key=lambda i: (-scores[i], i)):
        stays = True
        for i in kept:
            smaller, larger = sorted((area(polygons[index]), area(polygons[i])))
            share = shared_area(polygons[index], polygons[i]) / smaller
            away = math.dist(quads[index].mean(axis=0), quads[i].mean(axis=0)) / smaller**0.5
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
            kept.append(index)
    return kept, nearest


@st.composite
def tiles(draw: st.DrawFn) -> np.ndarray:
    """Draw a tile's quad `(4, 2) float32`, turned and foreshortened, in a small image."""
    width, aspect = draw(st.floats(12, 60)), draw(st.floats(0.6, 1.7))
    turn, far_side = draw(st.floats(-np.pi, np.pi)), draw(st.floats(0.8, 1.0))
    middle = draw(st.floats(0, 160)), draw(st.floats(0, 160))
    local = np.array([[-far_side, -aspect], [far_side, -aspect], [1, aspect], [-1, aspect]]) * width / 2
    cos, sin = np.cos(turn), np.sin(turn)
    return (local @ np.array([[cos, sin], [-sin, cos]]) + middle).astype(np.float32)


@given(st.lists(st.tuples(tiles(), st.sampled_from([0.3, 0.5, 0.7, 0.9])), min_size=1, max_size=12))
def test_result_equals_the_slow_reference(detections: list[tuple[np.ndarray, float]]) -> None:
    """Scores may be equal."""
    quads = np.array([quad for quad, _ in detections])
    scores = np.array([score for _, score in detections])
    wanted, nearest = suppress_slowly(quads, scores)
    assume(nearest > 1e-3)  # single precision may decide such a case either way
    assert non_maximum_suppression(quads, scores) == wanted


@given(st.lists(tiles(), min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_shuffled_quads_give_the_same_result(quads: list[np.ndarray], random: object) -> None:
    scores = np.linspace(0.9, 0.4, len(quads))
    order = list(range(len(quads)))
    random.shuffle(order)
    kept = non_maximum_suppression(np.array(quads), scores)
    assert [order[index] for index in non_maximum_suppression(np.array(quads)[order], scores[order])] == kept


@given(st.lists(tiles(), min_size=1, max_size=10))
def test_second_pass_drops_nothing(quads: list[np.ndarray]) -> None:
    """The best is always kept."""
    scores = np.linspace(0.9, 0.4, len(quads))
    kept = non_maximum_suppression(np.array(quads), scores)
    assert kept[0] == 0
    assert non_maximum_suppression(np.array(quads)[kept], scores[kept]) == list(range(len(kept)))


def test_dropped_quad_drops_no_other() -> None:
    square = np.array([[0, 0], [30, 0], [30, 30], [0, 30]], np.float32)
    chain = np.array([square, square + np.float32((15, 0)), square + np.float32((30, 0))])
    assert non_maximum_suppression(chain, np.array([0.9, 0.8, 0.7])) == [0, 2]
    assert non_maximum_suppression(chain, np.array([0.8, 0.9, 0.7])) == [1]


def test_no_quads_give_no_indices() -> None:
    assert non_maximum_suppression(np.zeros((0, 4, 2), np.float32), np.zeros(0)) == []

"""Triangle meshes, made with NumPy: rounded boxes, prisms, sheets and solids of revolution, in millimetres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

CORNER_POINTS = 5  # points on each round corner of an outline; with smooth normals five look round on tiles of 110 px
BEVEL_RINGS = 4
Ring = tuple[np.ndarray, np.ndarray]  # points and normals, `(K, 3)` each, of a closed line around a solid


@dataclass(frozen=True, slots=True)
class Solid:
    """A mesh: `points_mm` and `normals`, each `(N, 3)`; texture coordinates `uv (N, 2)`; `triangles (M, 3)`.

    Triangles are anticlockwise as seen from outside.
    """

    points_mm: np.ndarray
    normals: np.ndarray
    uv: np.ndarray
    triangles: np.ndarray

    def moved(self, rotation: np.ndarray, position_mm: np.ndarray) -> Solid:
        """Return the solid rotated by `rotation (3, 3)` and then moved by `position_mm (3,)`."""
        return Solid(self.points_mm @ rotation.T + position_mm, self.normals @ rotation.T, self.uv, self.triangles)


def merge(solids: Sequence[Solid]) -> Solid:
    """Concatenate solids to one mesh; the triangles keep their order."""
    starts = np.cumsum([0, *(len(solid.points_mm) for solid in solids[:-1])])
    return Solid(
        np.concatenate([solid.points_mm for solid in solids]),
        np.concatenate([solid.normals for solid in solids]),
        np.concatenate([solid.uv for solid in solids]),
        np.concatenate([solid.triangles + at for solid, at in zip(solids, starts, strict=True)]),
    )


def _rings(rings: Sequence[Ring], cap: bool) -> Solid:
    """Join rings of equal length to a surface, each to the next; `cap` closes the first by a fan of triangles."""
    count = len(rings[0][0])
    points, normals = (np.concatenate(parts) for parts in zip(*rings, strict=True))
    at, after = np.arange(count), np.roll(np.arange(count), -1)
    triangles = []
    for start, next_start in pairwise(range(0, len(points), count)):
        triangles.append(np.stack([start + at, next_start + at, next_start + after], axis=1))
        triangles.append(np.stack([start + at, next_start + after, start + after], axis=1))
    if cap:
        points, normals = (np.vstack([values, values[:count].mean(axis=0)]) for values in (points, normals))
        triangles.append(np.stack([np.full(count, len(points) - 1), at, after], axis=1))
    return Solid(points, normals, np.zeros((len(points), 2)), np.concatenate(triangles))


def _outline(width: float, height: float, radius: float, inset: float) -> tuple[np.ndarray, np.ndarray]:
    """Return points and outward normals of a rounded rectangle, anticlockwise, `(4 * CORNER_POINTS, 2)` each.

    The points are `inset` inside the outline.
    """
    radius = min(radius, width / 2, height / 2)
    turn = np.add.outer(np.arange(4) * np.pi / 2, np.linspace(0, np.pi / 2, CORNER_POINTS)).ravel()
    normals = np.column_stack([np.cos(turn), np.sin(turn)])
    corners = np.repeat([(1, 1), (-1, 1), (-1, -1), (1, -1)], CORNER_POINTS, axis=0)
    return corners * (width / 2 - radius, height / 2 - radius) + normals * (radius - inset), normals


def rounded_box(width: float, height: float, thickness: float, corner: float, bevel: float) -> tuple[Solid, Solid]:
    """Return a box with round corners and bevelled rims as two solids: its front, and the rest.

    The box extends from z = 0, its back, to `thickness`; the centre of the back is the origin, x points right and y up.
    The front is the flat face with its bevel; its `uv` are (0, 0) at the top left and (1, 1) at the bottom right.
    """
    bevel = min(bevel, thickness / 2.2)
    corner = max(corner, bevel * 1.05)

    def ring(angle: float, z: float) -> Ring:
        flat, outward = _outline(width, height, corner, bevel * (1 - np.sin(angle)))
        up = np.full(len(flat), np.cos(angle))
        return np.column_stack([flat, np.full(len(flat), z)]), np.column_stack([outward * np.sin(angle), up])

    angles = np.linspace(0, np.pi / 2, BEVEL_RINGS)
    front = _rings([ring(a, thickness - bevel * (1 - np.cos(a))) for a in angles], cap=True)
    uv = front.points_mm[:, :2] * (1 / width, -1 / height) + 0.5
    rest = [*(ring(np.pi - a, bevel * (1 - np.cos(a))) for a in angles), ring(np.pi / 2, thickness - bevel)]
    back = _rings(rest, cap=True)
    inverted = Solid(back.points_mm, back.normals, back.uv, back.triangles[:, ::-1])
    return Solid(front.points_mm, front.normals, uv, front.triangles), inverted


def _flat(points_mm: np.ndarray, texture_mm: float) -> Solid:
    """Return the mesh of a flat convex polygon `(N, 3)`, anticlockwise from outside; a unit of `uv` is `texture_mm`."""
    normal = np.cross(points_mm, np.roll(points_mm, -1, axis=0)).sum(axis=0)
    normal /= np.linalg.norm(normal)
    along = (points_mm[1] - points_mm[0]) / np.linalg.norm(points_mm[1] - points_mm[0])
    uv = points_mm @ np.column_stack([np.cross(along, normal), along]) / texture_mm
    fan = np.array([(0, at, at + 1) for at in range(1, len(points_mm) - 1)])
    return Solid(points_mm, np.tile(normal, (len(points_mm), 1)), uv, fan)


def prism(polygon_mm: np.ndarray, x0: float, x1: float, texture_mm: float = 120.0) -> Solid:
    """Extrude a convex polygon `(N, 2)` of y and z along x, from `x0` to `x1`; a unit of `uv` is `texture_mm` long."""
    y, z = np.asarray(polygon_mm, float).T
    clockwise = y @ (np.roll(z, -1) - np.roll(z, 1)) < 0
    polygon = np.stack([y, z], axis=1)[:: -1 if clockwise else 1]
    polygon = polygon[np.linalg.norm(polygon - np.roll(polygon, 1, axis=0), axis=1) > 1e-6]
    edges = zip(polygon, np.roll(polygon, -1, axis=0), strict=True)
    sides = [np.array([(x0, *a), (x0, *b), (x1, *b), (x1, *a)]) for a, b in edges]
    ends = [np.insert(polygon[::-1], 0, x0, axis=1), np.insert(polygon, 0, x1, axis=1)]
    return merge([_flat(points, texture_mm) for points in (*sides, *ends)])


def sheet(corners_mm: np.ndarray, uv: np.ndarray) -> Solid:
    """Return a flat sheet at z = 0 that faces up; `corners_mm (4, 2)`: anticlockwise, `uv (4, 2)`: of the corners."""
    return replace(_flat(np.insert(corners_mm, 2, 0.0, axis=1), 1.0), uv=uv)


def revolve(profile_mm: np.ndarray, points_around: int = 28) -> Solid:
    """Return the solid of revolution about z; the profile `(N, 2)`, radius and height, goes up on the outside first."""
    profile = np.asarray(profile_mm, np.float64)
    along = np.gradient(profile, axis=0)
    slopes = np.column_stack([along[:, 1], -along[:, 0]])
    slopes /= np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True), 1e-9)
    turn = np.linspace(0, 2 * np.pi, points_around, endpoint=False)
    circle = np.column_stack([np.cos(turn), np.sin(turn), np.ones(points_around)])
    rings = [
        (circle * (radius, radius, height), circle * (outward, outward, upward))
        for (radius, height), (outward, upward) in zip(profile, slopes, strict=True)
    ]
    return _rings(rings[::-1], cap=False)


def capsule(start_mm: np.ndarray, end_mm: np.ndarray, radius: float) -> Solid:
    """Return a cylinder with round ends from `start_mm (3,)` to `end_mm (3,)`."""
    axis = np.asarray(end_mm, float) - start_mm
    length = float(np.linalg.norm(axis))
    angles = np.linspace(-np.pi / 2, np.pi / 2, 12)
    profile = np.column_stack([radius * np.cos(angles), radius * np.sin(angles) + (angles > 0) * length])
    z = axis / length
    x = np.linalg.svd(z[None])[2][1]
    return revolve(profile, 16).moved(np.column_stack([x, np.cross(z, x), z]), np.asarray(start_mm, float))

"""Triangle meshes with NumPy: rounded boxes, prisms and solids of revolution, in millimetres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CORNER_POINTS = 5
"""Points on each round corner of an outline; with smooth normals five show no edges at 110 px."""
BEVEL_RINGS = 4


@dataclass(frozen=True, slots=True)
class Solid:
    """A mesh: `points_mm` and `normals` `(N, 3) float32`, `uv (N, 2) float32`, `triangles (M, 3) uint32`."""

    points_mm: np.ndarray
    normals: np.ndarray
    uv: np.ndarray
    triangles: np.ndarray

    def moved(self, rotation: np.ndarray, position_mm: np.ndarray) -> Solid:
        """Return the solid rotated by `rotation (3, 3)` and then moved by `position_mm (3,)`."""
        points = self.points_mm @ rotation.T + position_mm
        return Solid(points.astype(np.float32), (self.normals @ rotation.T).astype(np.float32), self.uv, self.triangles)


def merge(solids: Sequence[Solid]) -> Solid:
    """Return one mesh of all solids; their triangles keep their order."""
    starts = np.cumsum([0, *(len(solid.points_mm) for solid in solids[:-1])])
    return Solid(
        np.concatenate([solid.points_mm for solid in solids]),
        np.concatenate([solid.normals for solid in solids]),
        np.concatenate([solid.uv for solid in solids]),
        np.concatenate([solid.triangles + np.uint32(at) for solid, at in zip(solids, starts, strict=True)]),
    )


def _rings(rings: Sequence[tuple[np.ndarray, np.ndarray]], cap: bool) -> Solid:
    """Join closed rings of points and normals, `(K, 3)` each, into a surface; `cap` closes the first ring by a fan."""
    count = len(rings[0][0])
    points = np.concatenate([ring[0] for ring in rings])
    normals = np.concatenate([ring[1] for ring in rings])
    at, after = np.arange(count), np.roll(np.arange(count), -1)
    triangles = []
    for ring in range(len(rings) - 1):
        a, b, c, d = ring * count + at, ring * count + after, (ring + 1) * count + after, (ring + 1) * count + at
        triangles += [np.stack([a, d, c], axis=1), np.stack([a, c, b], axis=1)]
    if cap:
        points = np.concatenate([points, rings[0][0].mean(axis=0, keepdims=True)])
        normals = np.concatenate([normals, rings[0][1].mean(axis=0, keepdims=True)])
        triangles.append(np.stack([np.full(count, len(points) - 1), at, after], axis=1))
    return Solid(
        points.astype(np.float32),
        normals.astype(np.float32),
        np.zeros((len(points), 2), np.float32),
        np.concatenate(triangles).astype(np.uint32),
    )


def _outline(width: float, height: float, radius: float, inset: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the points and outward normals, `(4 * CORNER_POINTS, 2)` each, of a rounded rectangle, anticlockwise."""
    radius = min(radius, width / 2, height / 2)
    angles = np.linspace(0, np.pi / 2, CORNER_POINTS)
    points, normals = [], []
    for quarter, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        turn = angles + quarter * np.pi / 2
        normal = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        middle = np.array([sx * (width / 2 - radius), sy * (height / 2 - radius)])
        points.append(middle + normal * (radius - inset))
        normals.append(normal)
    return np.concatenate(points), np.concatenate(normals)


def rounded_box(width: float, height: float, thickness: float, corner: float, bevel: float) -> tuple[Solid, Solid]:
    """Return the front and the rest of a box with round corners and bevelled rims, from z = 0 (back) to `thickness`.

    The middle of the back is the origin, x points right and y up. The front is the flat face with its bevel, with `uv`
    from (0, 0) at its top left to (1, 1) at its bottom right.
    """
    bevel = min(bevel, thickness / 2.2)
    corner = max(corner, bevel * 1.05)

    def ring(angle: float, z: float) -> tuple[np.ndarray, np.ndarray]:
        flat, outward = _outline(width, height, corner, bevel * (1 - np.sin(angle)))
        up = np.full(len(flat), np.cos(angle))
        return np.column_stack([flat, np.full(len(flat), z)]), np.column_stack([outward * np.sin(angle), up])

    angles = np.linspace(0, np.pi / 2, BEVEL_RINGS)
    front = _rings([ring(a, thickness - bevel * (1 - np.cos(a))) for a in angles], cap=True)
    u, v = front.points_mm[:, 0] / width + 0.5, 0.5 - front.points_mm[:, 1] / height
    front = Solid(front.points_mm, front.normals, np.stack([u, v], axis=1).astype(np.float32), front.triangles)
    side = [ring(np.pi / 2, thickness - bevel), *(ring(np.pi - a, bevel * (1 - np.cos(a))) for a in angles[::-1])]
    back = _rings(side[::-1], cap=True)
    turned = Solid(back.points_mm, back.normals, back.uv, back.triangles[:, ::-1])
    return front, turned


def prism(polygon_mm: np.ndarray, x0: float, x1: float, texture_mm: float = 100.0) -> Solid:
    """Return a convex polygon `(N, 2)` of y and z, extruded from `x0` to `x1`, with flat sides.

    `uv` runs along x and around the polygon, one unit for `texture_mm`.
    """
    polygon = np.asarray(polygon_mm, np.float64)
    following = np.roll(polygon, -1, axis=0)
    if ((following[:, 0] - polygon[:, 0]) * (following[:, 1] + polygon[:, 1])).sum() > 0:
        polygon = polygon[::-1]
        following = np.roll(polygon, -1, axis=0)
    points, normals, uv = [], [], []
    triangles: list[np.ndarray] = []
    around = 0.0
    for a, b in zip(polygon, following, strict=True):
        length = float(np.linalg.norm(b - a))
        if length < 1e-6:
            continue
        at = 4 * len(triangles)
        points.append(np.array([(x0, *a), (x1, *a), (x1, *b), (x0, *b)]))
        normals.append(np.tile([0.0, (b - a)[1] / length, -(b - a)[0] / length], (4, 1)))
        uv.append(np.array([(x0, around), (x1, around), (x1, around + length), (x0, around + length)]) / texture_mm)
        triangles.append(np.array([(at, at + 2, at + 1), (at, at + 3, at + 2)]))
        around += length
    start = 4 * len(points)
    fan = np.stack(
        [np.zeros(len(polygon) - 2, int), np.arange(1, len(polygon) - 1), np.arange(2, len(polygon))], axis=1
    )
    for x, outward in ((x0, -1.0), (x1, 1.0)):
        points.append(np.column_stack([np.full(len(polygon), x), polygon]))
        normals.append(np.tile([outward, 0.0, 0.0], (len(polygon), 1)))
        uv.append(polygon / texture_mm)
        triangles.append(start + (fan if outward > 0 else fan[:, ::-1]))
        start += len(polygon)
    return Solid(
        np.concatenate(points).astype(np.float32),
        np.concatenate(normals).astype(np.float32),
        np.concatenate(uv).astype(np.float32),
        np.concatenate(triangles).astype(np.uint32),
    )


def sheet(corners_mm: np.ndarray, uv: np.ndarray) -> Solid:
    """Return a flat sheet that faces up, from `(4, 2)` corners, x and y anticlockwise, and their `uv`."""
    points = np.column_stack([corners_mm, np.zeros(4)]).astype(np.float32)
    up = np.tile(np.array([0.0, 0.0, 1.0], np.float32), (4, 1))
    return Solid(points, up, np.asarray(uv, np.float32), np.array([[0, 1, 2], [0, 2, 3]], np.uint32))


def revolve(profile_mm: np.ndarray, points_around: int = 28) -> Solid:
    """Return the solid of revolution about z of a profile `(N, 2)` of radius and height, from the bottom up outside."""
    profile = np.asarray(profile_mm, np.float64)
    along = np.gradient(profile, axis=0)
    slopes = np.column_stack([along[:, 1], -along[:, 0]])
    slopes /= np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True), 1e-9)
    turn = np.linspace(0, 2 * np.pi, points_around, endpoint=False)
    cos, sin = np.cos(turn), np.sin(turn)
    rings = [
        (
            np.column_stack([radius * cos, radius * sin, np.full(points_around, height)]),
            np.column_stack([slope[0] * cos, slope[0] * sin, np.full(points_around, slope[1])]),
        )
        for (radius, height), slope in zip(profile, slopes, strict=True)
    ]
    return _rings(rings[::-1], cap=False)


def capsule(start_mm: np.ndarray, end_mm: np.ndarray, radius: float) -> Solid:
    """Return a cylinder with round ends from `start_mm (3,)` to `end_mm (3,)`."""
    axis = np.asarray(end_mm, float) - start_mm
    length = float(np.linalg.norm(axis))
    angles = np.linspace(-np.pi / 2, np.pi / 2, 12)
    profile = np.column_stack([radius * np.cos(angles), radius * np.sin(angles) + (angles > 0) * length])
    z = axis / length
    x = np.cross(z, [0.0, 0.0, 1.0] if abs(z[2]) < 0.9 else [1.0, 0.0, 0.0])
    x /= np.linalg.norm(x)
    return revolve(profile, 16).moved(np.column_stack([x, np.cross(z, x), z]), np.asarray(start_mm, float))

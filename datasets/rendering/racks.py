"""Racks: designs with one to four steps, their solids, and the lines on which tiles stand.

A rack's own frame: x to the player's right, y away from the player, z up, the middle of its front edge at the origin.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.datasets.rendering.solids import Solid, merge, prism
from tilekeeper.datasets.synthesis.printings.printing import Pool, Printing

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class RackDesign:
    """A kind of rack, with ranges `(least, most)` from which each rack is sampled. `_of_height`: in heights of a tile.

    `rise_of_height`: height of a step; below 1 a row hides the lower part of the row behind it. `tilt_deg`: angle of
    the tiles from the vertical. `lip_mm`: height of a ledge's rim. `shelf_mm`: depth of a flat step between two rows.
    `back_of_height`: height of the panel behind the last row. `tiles_wide`: width of a row, in tiles. `end_caps`:
    whether there are plates at both ends. `held_out`: whether it is in the pool `kept-out`.
    """

    name: str
    steps: int
    rise_of_height: Range
    tilt_deg: Range
    lip_mm: Range
    shelf_mm: Range
    back_of_height: Range
    tiles_wide: Range
    materials: tuple[str, ...]
    end_caps: bool
    held_out: bool = False


ALL_MATERIALS: tuple[str, ...] = ("black", "white", "wood", "colour")
PLASTIC: tuple[str, ...] = ("black", "white", "colour")
DESIGNS = (
    RackDesign("bar", 1, (1, 1), (12, 30), (3, 7), (0, 0), (0.3, 0.9), (8, 15), ALL_MATERIALS, False),
    RackDesign("bench", 1, (1, 1), (18, 35), (1.5, 4), (0, 0), (0.8, 1.1), (6, 12), ("wood",), True),
    RackDesign("two-step", 2, (0.45, 0.8), (14, 28), (2, 5), (0, 2), (0.7, 1.05), (8, 14), ALL_MATERIALS, False),
    RackDesign("two-step-ends", 2, (0.7, 1.0), (12, 26), (2, 6), (0, 4), (0.5, 1.0), (7, 13), PLASTIC, True),
    RackDesign("two-shelves", 2, (0.42, 0.7), (10, 20), (2, 4), (5, 14), (0.4, 0.9), (8, 12), ("wood", "white"), False),
    RackDesign("three-step", 3, (0.4, 0.65), (15, 30), (2, 4.5), (0, 1.5), (0.6, 1.0), (8, 14), PLASTIC, False),
    RackDesign("three-step-ends", 3, (0.45, 0.75), (12, 28), (2, 5), (0, 3), (0.6, 1.05), (8, 12), ALL_MATERIALS, True),
    RackDesign("three-flat", 3, (0.4, 0.58), (24, 35), (1.5, 3.5), (0, 3), (0.5, 0.9), (7, 12), ALL_MATERIALS, False),
    RackDesign("four-step", 4, (0.4, 0.6), (15, 28), (2, 4), (0, 2), (0.5, 0.9), (7, 11), ALL_MATERIALS, False),
    RackDesign("tall-lip", 2, (0.75, 1.0), (12, 24), (7, 12), (0, 2), (0.8, 1.1), (8, 13), ("wood", "colour"), True),
    RackDesign("stadium", 3, (0.48, 0.72), (18, 32), (2, 4), (0, 0.5), (0.7, 1.0), (9, 14), ALL_MATERIALS, True, True),
    RackDesign("tray", 2, (0.55, 0.8), (20, 34), (3, 6), (1, 8), (0.4, 0.8), (8, 14), PLASTIC, False, True),
    RackDesign("stairs", 4, (0.5, 0.7), (12, 22), (1.5, 3), (2, 6), (0.5, 1.0), (6, 10), ALL_MATERIALS, False, True),
)
LEDGE_ROOM_MM = 0.8, 2.5  # depth of a ledge beyond the thickness of a tile


def designs(pool: Pool) -> tuple[RackDesign, ...]:
    """Return the designs of a pool: for `kept-out` the held-out designs, for `train` the others, for `any` all."""
    return tuple(d for d in DESIGNS if pool == "any" or d.held_out == (pool == "kept-out"))


@dataclass(frozen=True, slots=True)
class Rack:
    """One rack: its solid, and the lines on which tiles stand, the back row first.

    `rests_mm (rows, 3)`: points at x = 0 where the back of a tile meets the ledge; tiles stand from `-half_width_mm`
    to `half_width_mm`. `up (3,)`, `normal (3,)`: the directions of all tiles' tops and faces. `ledge_mm`: depth of a
    ledge.
    """

    material: str
    solid: Solid
    rests_mm: np.ndarray
    half_width_mm: float
    up: np.ndarray
    normal: np.ndarray
    ledge_mm: float


def build_rack(rng: np.random.Generator, design: RackDesign, printing: Printing) -> Rack:
    """Sample one rack of a design, for tiles of a printing."""
    tilt, height = np.radians(rng.uniform(*design.tilt_deg)), printing.height_mm
    up, out = np.array([np.sin(tilt), np.cos(tilt)]), np.array([-np.cos(tilt), np.sin(tilt)])
    ledge, wall = printing.thickness_mm + rng.uniform(*LEDGE_ROOM_MM), rng.uniform(1.5, 3.5)
    rise, lip = rng.uniform(*design.rise_of_height) * height, rng.uniform(*design.lip_mm)
    pitch = (ledge + wall + rise * np.sin(tilt)) / np.cos(tilt) + rng.uniform(*design.shelf_mm)
    first = np.array([(ledge + wall) * np.cos(tilt) + rng.uniform(0, 3), rng.uniform(2, 14)])
    rests = [first + step * np.array([pitch, rise]) for step in range(design.steps)]
    rims = [rest + out * (ledge + wall) for rest in rests]
    tops = [rest + up * ((rim - rest) @ up) for rest, rim in zip(rests, rims[1:], strict=False)]
    tops.append(rests[-1] + up * rng.uniform(*design.back_of_height) * height)
    polygons = [_to_ground(*line) for line in (*zip(rims, rests, strict=True), *zip(rests, tops, strict=True))]
    polygons += [_to_ground(*line) for line in zip(tops, rims[1:], strict=False)]
    polygons += [_lip(rest + out * ledge, rim, up, lip) for rest, rim in zip(rests, rims, strict=True)]
    behind, leg = rng.uniform(2, 6), rng.uniform(0, 15)
    (y, z), half = tops[-1], rng.uniform(*design.tiles_wide) * printing.width_mm / 2
    polygons.append(np.array([(y, z), (y + behind, z), (y + behind + leg, 0), (y, 0)]))
    side = half + rng.uniform(1, 6)
    parts = [prism(polygon, -side, side) for polygon in polygons]
    if design.end_caps:
        parts += _end_caps(rng, np.concatenate(polygons), side)
    material = design.materials[int(rng.integers(len(design.materials)))]
    rests_mm, directions = np.insert(rests[::-1], 0, 0.0, axis=1), np.insert([up, out], 0, 0.0, axis=1)
    return Rack(material, merge(parts), rests_mm, half, directions[0], directions[1], ledge)


def _to_ground(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the polygon between the line from `a` to `b` and the table, `(4, 2)` y and z."""
    return np.array([a, b, [b[0], 0.0], [a[0], 0.0]])


def _lip(inner: np.ndarray, outer: np.ndarray, up: np.ndarray, lip_mm: float) -> np.ndarray:
    """Return the rim of a ledge with a round top."""
    middle, across = (inner + outer) / 2, (inner - outer) / 2
    radius = float(np.linalg.norm(across))
    angles = np.linspace(0, np.pi, 7)[:, None]
    top = middle + up * max(lip_mm - radius, 0.0) + np.cos(angles) * across + np.sin(angles) * radius * up
    return np.concatenate([top, [outer], [inner]])


def _end_caps(rng: np.random.Generator, points_mm: np.ndarray, x_mm: float) -> list[Solid]:
    """Return plates at both ends of a rack, at `-x_mm` and `x_mm`, a little larger than its cross-section."""
    grow, thick = rng.uniform(0.5, 4), rng.uniform(2, 5)
    hull = cv2.convexHull(points_mm.astype(np.float32))[:, 0].astype(np.float64)
    outward = hull - hull.mean(axis=0)
    hull += outward * grow / np.linalg.norm(outward, axis=1, keepdims=True)
    hull[:, 1] = np.maximum(hull[:, 1], 0)
    return [prism(hull, x, x + thick) for x in (-x_mm - thick, x_mm)]

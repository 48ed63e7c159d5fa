"""Racks as data: designs with one to four steps, their solids, and the places of tiles on them.

A rack's own frame: x to the player's right, y away from the player, z up, the middle of its front edge at the origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from tilekeeper.datasets.rendering.solids import Solid, merge, prism
from tilekeeper.datasets.synthesis.printings.printing import Pool, Printing

Material = Literal["black", "white", "wood", "colour"]
Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class RackDesign:
    """A kind of rack; each range `(least, most)` is drawn for one rack. `_of_height` is in heights of a tile.

    `tilt_deg` is the angle of the tile plane from the vertical. `rise_of_height` is the height of a step: the row in
    front hides the lower part of a row where it is below 1. `lip_mm` is the height of the ledge's rim, `shelf_mm` the
    depth of a flat step between two rows, `back_of_height` the height of the panel behind the last row.
    """

    name: str
    steps: int
    rise_of_height: Range
    tilt_deg: Range
    lip_mm: Range
    shelf_mm: Range
    back_of_height: Range
    tiles_wide: Range
    materials: tuple[Material, ...]
    end_caps: bool
    held_out: bool = False


ALL_MATERIALS: tuple[Material, ...] = ("black", "white", "wood", "colour")
PLASTIC: tuple[Material, ...] = ("black", "white", "colour")
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
    RackDesign(
        "stairs", 4, (0.5, 0.7), (12, 22), (1.5, 3), (2, 6), (0.5, 1.0), (6, 10), ("wood", "black"), False, True
    ),
)
LEDGE_ROOM_MM = 0.8, 2.5
"""Depth of a ledge beyond the thickness of a tile."""
TEXTURE_MM = 120.0


def designs(pool: Pool) -> tuple[RackDesign, ...]:
    """Return the designs of a pool; `kept-out` has only held-out ones, `train` none of these."""
    return tuple(d for d in DESIGNS if pool == "any" or d.held_out == (pool == "kept-out"))


@dataclass(frozen=True, slots=True)
class Rack:
    """One rack: its solid, and the lines on which tiles stand, the back row first.

    `rests_mm (rows, 3)` are the points at x = 0 where the back of a tile meets the ledge; tiles stand from
    `-half_width_mm` to `half_width_mm`. `up (3,)` and `normal (3,)` are the directions of all tiles.
    """

    design: RackDesign
    material: Material
    solid: Solid
    rests_mm: np.ndarray
    half_width_mm: float
    up: np.ndarray
    normal: np.ndarray
    ledge_mm: float


def build_rack(rng: np.random.Generator, design: RackDesign, printing: Printing) -> Rack:
    """Draw one rack of a design, for tiles of a printing."""
    tilt = np.radians(rng.uniform(*design.tilt_deg))
    up, out = np.array([np.sin(tilt), np.cos(tilt)]), np.array([-np.cos(tilt), np.sin(tilt)])
    height = printing.height_mm
    ledge, lip, thick = (
        printing.thickness_mm + rng.uniform(*LEDGE_ROOM_MM),
        rng.uniform(*design.lip_mm),
        rng.uniform(1.5, 3.5),
    )
    rise, shelf = rng.uniform(*design.rise_of_height) * height, rng.uniform(*design.shelf_mm)
    pitch = (ledge + thick + rise * np.sin(tilt)) / np.cos(tilt) + shelf
    back, foot = rng.uniform(*design.back_of_height) * height, rng.uniform(2, 14)
    half = rng.uniform(*design.tiles_wide) * printing.width_mm / 2
    first = np.array([(ledge + thick) * np.cos(tilt) + rng.uniform(0, 3), foot])
    rests = [first + step * np.array([pitch, rise]) for step in range(design.steps)]
    polygons: list[np.ndarray] = []
    for step, rest in enumerate(rests):
        rim = rest + out * (ledge + thick)
        polygons += [_to_ground(rim, rest), _lip(rest + out * ledge, rim, up, lip)]
        if step + 1 < design.steps:
            next_rim = rests[step + 1] + out * (ledge + thick)
            top = rest + up * ((next_rim - rest) @ up)
            polygons += [_to_ground(rest, top), _to_ground(top, next_rim)]
        else:
            top, behind = rest + up * back, rng.uniform(2, 6)
            leg = np.array([top[0] + behind + rng.uniform(0, 15), 0.0])
            polygons += [_to_ground(rest, top), np.array([top, (top[0] + behind, top[1]), leg, (top[0], 0)])]
    margin = rng.uniform(1, 6)
    parts = [prism(polygon, -half - margin, half + margin, TEXTURE_MM) for polygon in polygons]
    if design.end_caps:
        parts += _end_caps(rng, np.concatenate(polygons), half + margin)
    return Rack(
        design,
        design.materials[int(rng.integers(len(design.materials)))],
        merge(parts),
        np.array([[0.0, *rest] for rest in rests[::-1]]),
        half,
        np.array([0.0, *up]),
        np.array([0.0, *out]),
        ledge,
    )


def _to_ground(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the polygon below the line from `a` to `b`, down to the table."""
    return np.array([a, b, [b[0], 0.0], [a[0], 0.0]])


def _lip(inner: np.ndarray, outer: np.ndarray, up: np.ndarray, lip_mm: float) -> np.ndarray:
    """Return the rim of a ledge with a round top."""
    middle, radius = (inner + outer) / 2, float(np.linalg.norm(outer - inner)) / 2
    across = (inner - outer) / (2 * radius)
    angles = np.linspace(0, np.pi, 7)[:, None]
    top = middle + up * max(lip_mm - radius, 0.0) + radius * (np.cos(angles) * across + np.sin(angles) * up)
    return np.concatenate([top, [outer], [inner]])


def _end_caps(rng: np.random.Generator, points_mm: np.ndarray, x_mm: float) -> list[Solid]:
    grow, thick = rng.uniform(0.5, 4), rng.uniform(2, 5)
    hull = cv2.convexHull(points_mm.astype(np.float32))[:, 0].astype(np.float64)
    middle = hull.mean(axis=0)
    hull = middle + (hull - middle) * (1 + grow / np.linalg.norm(hull - middle, axis=1, keepdims=True))
    hull[:, 1] = np.maximum(hull[:, 1], 0)
    return [prism(hull, x, x + thick, TEXTURE_MM) for x in (-x_mm - thick, x_mm)]

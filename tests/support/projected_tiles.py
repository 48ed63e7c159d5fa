"""Tiles laid out on a plane in millimetres, and cameras that look at it: ground truth for tests of geometry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

TILE_WH_MM = (27.0, 38.0)


def tile_mm(middle_mm: tuple[float, float], angle_deg: float = 0.0) -> np.ndarray:
    """Return the corners `(4, 2)` of one tile, clockwise from its own top left; y runs down."""
    width, height = TILE_WH_MM
    corners = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    return corners @ _turn(angle_deg).T + np.asarray(middle_mm)


def row_mm(
    start_mm: tuple[float, float],
    count: int,
    *,
    angle_deg: float = 0.0,
    gaps_mm: float | Sequence[float] = 0.6,
    staggers_mm: Sequence[float] = (),
    turns_deg: Sequence[float] = (),
    on_head: Sequence[int] = (),
) -> list[np.ndarray]:
    """Return a row that starts at the middle of its first tile and runs to the right of one turned by `angle_deg`."""
    gaps = [gaps_mm] * (count - 1) if isinstance(gaps_mm, int | float) else list(gaps_mm)
    along, down = _turn(angle_deg)[:, 0], _turn(angle_deg)[:, 1]
    tiles, place = [], 0.0
    for at in range(count):
        stagger = staggers_mm[at] if at < len(staggers_mm) else 0.0
        turn = turns_deg[at] if at < len(turns_deg) else 0.0
        middle = np.asarray(start_mm) + along * place + down * stagger
        quad = tile_mm(tuple(middle), angle_deg + turn)
        tiles.append(np.roll(quad, 2, axis=0) if at in on_head else quad)
        if at < len(gaps):
            place += TILE_WH_MM[0] + gaps[at]
    return tiles


def seen_by_camera(
    tiles_mm: Sequence[np.ndarray], tilt_deg: float = 0.0, turn_deg: float = 0.0, px_per_mm: float = 2.0
) -> np.ndarray:
    """Return `(N, 4, 2) float32` pixels of a camera that looks at (0, 0), tilted from straight above.

    The camera is 900 mm away and the picture 1920×1080; `turn_deg` turns the table under it.
    """
    points = np.asarray(tiles_mm, float).reshape(-1, 2) @ _turn(turn_deg).T
    tilt = np.radians(tilt_deg)
    distance_mm = 900.0
    depth = distance_mm - points[:, 1] * np.sin(tilt)
    projected = (
        np.stack([points[:, 0], points[:, 1] * np.cos(tilt)], axis=1) * (px_per_mm * distance_mm / depth)[:, None]
    )
    return (projected + np.array([960, 540])).reshape(-1, 4, 2).astype(np.float32)


def _turn(angle_deg: float) -> np.ndarray:
    angle = np.radians(angle_deg)
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])

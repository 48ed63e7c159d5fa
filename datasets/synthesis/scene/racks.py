"""Layout of tiles on a rack, seen from the front."""

from __future__ import annotations

import numpy as np

from tilekeeper.datasets.synthesis.clutter.catalogue import rack
from tilekeeper.datasets.synthesis.printings.printing import Printing
from tilekeeper.datasets.synthesis.scene.composition import Sprite
from tilekeeper.datasets.synthesis.scene.layouts import FlatTile, stock


def lay_rack(
    rng: np.random.Generator, printing: Printing, width_mm: float, height_mm: float
) -> tuple[list[FlatTile], Sprite]:
    """Lay tiles on a rack that is seen from the front, so that its tiles are parallel to the camera's table plane.

    Returns the tiles and the sprite of the rack.
    """
    wide = int(rng.integers(5, 11))
    for _ in range(8):
        made = rack(rng, 2.5, wide)
        if made.view == "front":  # only then are the tiles parallel to the image
            break
    bgra, scale = made.image, made.face_wh_px[0] / printing.width_mm
    centre = np.array([width_mm / 2 + rng.normal(0, 8), height_mm / 2 + rng.normal(0, 8)])
    turn = rng.normal(0, 0.06)
    cos, sin = np.cos(turn), np.sin(turn)
    labels = stock(rng)
    laid: list[FlatTile] = []
    for row, line in enumerate(made.rows_px):
        ends = (np.asarray(line, float)[[0, -1]] - [bgra.shape[1] / 2, bgra.shape[0] / 2]) / scale
        x = ends[0][0] + printing.width_mm * rng.uniform(0.5, 1.0)
        y = (ends[0][1] + ends[1][1]) / 2 - printing.height_mm * rng.uniform(0.44, 0.52)
        while x < ends[1][0] - printing.width_mm / 2:
            if rng.random() < 0.75:
                twist = rng.normal(0, 0.02) + (np.pi if rng.random() < 0.03 else 0.0)
                laid.append(
                    FlatTile(
                        labels.pop(), centre[0] + x * cos - y * sin, centre[1] + x * sin + y * cos, turn + twist, row
                    )
                )
                x += printing.width_mm * (1 + abs(rng.normal(0, 0.02)))
            else:
                x += printing.width_mm * rng.uniform(0.1, 1.2)
    return laid, Sprite(bgra, scale, float(centre[0]), float(centre[1]), float(turn))

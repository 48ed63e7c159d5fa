"""Exact ground truth of a rendered image: the visible share of each face, the mask of faces, and the annotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from tilekeeper.datasets.rendering.tiles import PlacedTile
from tilekeeper.datasets.synthesis.printings.faces import BLANK, number_box
from tilekeeper.datasets.synthesis.printings.printing import Printing
from tilekeeper.datasets.synthesis.scene.camera import Camera
from tilekeeper.datasets.synthesis.scene.tables import LEAST_PX

COUNTED_SHARE = 0.45
"""Tiles with less of their face visible are ignored. On a stepped rack the row in front hides up to half of a tile,
and people still read its number."""
READABLE_SHARE = 0.85
"""A number counts as readable if this share of its box is visible: with less a 6 may be an 8, and an 11 a 1."""
SHOWN_PX = 12  # faces with fewer visible pixels are left out of the ground truth, because nobody sees them
GRID = 24  # points along each side of a box on a face, at which its visible share is measured
ROUND_CORNERS = 0.97  # share of the flat outline that a face with round corners covers


@dataclass(frozen=True, slots=True)
class SeenTile:
    """A tile that is visible in the image.

    `number`: the tile's index in the scene; `quad_px (4, 2)`: its corners; `visible`, `readable`: the visible shares of
    its face and of its number's box; `cut`: whether a part of it is outside the image.
    """

    tile: PlacedTile
    number: int
    quad_px: np.ndarray
    visible: float
    readable: float
    cut: bool

    @property
    def counts(self) -> bool:
        """Whether a reader should read the tile: it is large enough, and enough of it is visible."""
        edges = np.linalg.norm(np.roll(self.quad_px, -1, axis=0) - self.quad_px, axis=1)
        large = float((edges[:2] + edges[2:]).min() / 2) >= LEAST_PX
        return large and self.visible >= COUNTED_SHARE and self.readable >= READABLE_SHARE


def see_tiles(tiles: Sequence[PlacedTile], printing: Printing, owner: np.ndarray, camera: Camera) -> list[SeenTile]:
    """Return the tiles with a visible face, without face-down ones.

    `owner (H, W)`: index of the tile whose face is visible at each pixel, or -1.
    """
    corners = np.array([[0.0, 0.0], [1, 0], [1, 1], [0, 1]])
    grid = (np.stack(np.meshgrid(*[np.arange(GRID)] * 2), axis=2).reshape(-1, 2) + 0.5) / GRID
    size = owner.shape[::-1]
    pixels = np.bincount(owner[owner >= 0], minlength=len(tiles))

    def share(number: int, box: tuple[float, float, float, float]) -> float:
        """Return the visible share of a box on a tile's face; parts outside the image are not visible."""
        points = camera.project(tiles[number].on_face(printing, grid * np.subtract(box[2:], box[:2]) + box[:2]))
        inside = np.floor(points[((points >= 0) & (points < size)).all(axis=1)]).astype(int)
        return float((owner[inside[:, 1], inside[:, 0]] == number).sum() / len(grid))

    visible_tiles = []
    for number, tile in enumerate(tiles):
        quad = camera.project(tile.on_face(printing, corners)).astype(np.float32)
        faces_away = cv2.contourArea(quad, oriented=True) < 0  # only the tile's upper bevel is visible then
        if tile.label == BLANK or pixels[number] < SHOWN_PX or faces_away:
            continue
        visible = min(1.0, share(number, (0.0, 0.0, 1.0, 1.0)) / ROUND_CORNERS)
        cut = bool((quad < 0).any() or (quad > size).any())
        visible_tiles.append(
            SeenTile(tile, number, quad, visible, share(number, number_box(printing, tile.label)), cut)
        )
    return visible_tiles


def annotate(
    visible_tiles: Sequence[SeenTile], owner: np.ndarray, name: str, layout: str, design: str
) -> tuple[dict[str, Any], np.ndarray]:
    """Return the entry of `photos.json` and the mask of faces `(H, W) uint8`.

    The entry has the keys of `synthesis.scene.tables.as_annotation`, and for each tile its `rack` (-1 if none) and
    `sure`, whether its number is readable although a part of the tile may be hidden. Tiles are in reading order: rack
    by rack, the back row first, each row as its player sees it from left to right. The mask is k + 1 on the visible
    face of tile k; then follow the faces in `ignore_px`, in the order of the boxes.
    """
    ordered = sorted(visible_tiles, key=lambda s: (s.tile.rack < 0, s.tile.rack, s.tile.row, s.number))
    counted = [s for s in ordered if s.counts or s.cut]
    ignored = [s for s in ordered if not (s.counts or s.cut)]
    mask = np.zeros(owner.shape, np.uint8)
    for value, tile in enumerate([*counted, *ignored], start=1):
        mask[owner == tile.number] = min(value, 255)
    tiles = [
        {
            "label": s.tile.label,
            "polygon_px": [[round(float(x), 2), round(float(y), 2)] for x, y in s.quad_px],
            "cut": s.cut,
            "row": s.tile.row,
            "rack": s.tile.rack,
            "visible": round(s.visible, 3),
            "sure": s.counts,
        }
        for s in counted
    ]
    height, width = owner.shape
    entry = {"file": name, "width": width, "height": height, "session": layout, "rack_design": design, "tiles": tiles}
    boxes = [cv2.boundingRect((owner == s.number).astype(np.uint8)) for s in ignored]
    # Training tilts images from a low camera only a little. Racks are marked as such, because they are askew already.
    low = {"low": layout == "rack"}
    return entry | {"ignore_px": [[x, y, x + w, y + h] for x, y, w, h in boxes]} | low, mask

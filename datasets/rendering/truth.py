"""Exact truth of a rendering: the visible share of each face, the mask of faces, and the annotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from tilekeeper.datasets.rendering.tiles import PlacedTile
from tilekeeper.datasets.synthesis.printings.faces import BLANK
from tilekeeper.datasets.synthesis.printings.printing import Printing
from tilekeeper.datasets.synthesis.scene.camera import Camera
from tilekeeper.datasets.synthesis.scene.tables import LEAST_PX

COUNTED_SHARE = 0.45
"""Tiles with less of their face visible do not count. On a stepped rack the row in front hides up to half of a tile,
and people still read its number."""
READABLE_SHARE = 0.85
"""A number counts as readable if so much of its box is visible: below that a 6 may be an 8, and an 11 a 1."""
SHOWN_PX = 12
"""Faces with fewer visible pixels are left out of the truth: nobody sees them."""
ROUND_CORNERS = 0.97
"""Share of the flat outline that a face with round corners covers."""


@dataclass(frozen=True, slots=True)
class SeenTile:
    """A tile in the picture: its `quad_px (4, 2)`, the visible shares of its face and its number, its visible pixels.

    `shown_px` is the box x0, y0, x1, y1 of these pixels; `number` is the tile's index in the scene.
    """

    tile: PlacedTile
    number: int
    quad_px: np.ndarray
    visible: float
    readable: float
    cut: bool
    shown_px: tuple[int, int, int, int]

    @property
    def counts(self) -> bool:
        """Whether a reader must read the tile."""
        edges = np.linalg.norm(np.roll(self.quad_px, -1, axis=0) - self.quad_px, axis=1)
        large = float((edges[:2] + edges[2:]).min() / 2) >= LEAST_PX
        return large and self.visible >= COUNTED_SHARE and self.readable >= READABLE_SHARE


def number_box(printing: Printing, label: str) -> np.ndarray:
    """Return the corners `(4, 2)` of the number or joker on a face, in shares of it, clockwise from the top left."""
    height = printing.digit_height_of_height
    if label == "joker":
        half_w = printing.joker_scale / 2
        height = min(printing.joker_scale * printing.width_mm / printing.height_mm, 0.62)
        middle = max(printing.digit_centre_of_height, height / 2 + 0.05)
    else:
        half_w = 0.36 if len(label.split("-")[-1]) > 1 else 0.22
        middle = max(printing.digit_centre_of_height, height / 2 + 0.06)
    x0, x1, y0, y1 = 0.5 - half_w, 0.5 + half_w, middle - height / 2, middle + height / 2
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def _share(owner: np.ndarray, polygon_px: np.ndarray, number: int) -> float:
    """Return the share of a polygon whose pixels belong to a tile; what is outside of the picture does not."""
    x0, y0 = np.floor(polygon_px.min(axis=0)).astype(int)
    x1, y1 = np.ceil(polygon_px.max(axis=0)).astype(int) + 1
    inside = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillConvexPoly(inside, np.round((polygon_px - (x0, y0) - 0.5) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    clip_x, clip_y = max(x0, 0), max(y0, 0)
    part = owner[clip_y : max(y1, 0), clip_x : max(x1, 0)]
    own = part == number
    own = own & (inside[clip_y - y0 :, clip_x - x0 :][: part.shape[0], : part.shape[1]] > 0)
    return float(own.sum() / max(int(inside.sum()), 1))


def see_tiles(tiles: Sequence[PlacedTile], printing: Printing, owner: np.ndarray, camera: Camera) -> list[SeenTile]:
    """Return the tiles with a visible face, without those face down; `owner (H, W)` is each pixel's tile or -1."""
    corners = np.array([[0.0, 0.0], [1, 0], [1, 1], [0, 1]])
    height, width = owner.shape
    pixels = np.bincount(owner[owner >= 0], minlength=len(tiles))
    seen = []
    for number, tile in enumerate(tiles):
        if tile.label == BLANK or pixels[number] < SHOWN_PX:
            continue
        quad = camera.project(tile.on_face(printing, corners))
        number_quad = camera.project(tile.on_face(printing, number_box(printing, tile.label)))
        ys, xs = np.nonzero(owner == number)
        seen.append(
            SeenTile(
                tile,
                number,
                quad.astype(np.float32),
                min(1.0, _share(owner, quad, number) / ROUND_CORNERS),
                _share(owner, number_quad, number),
                bool((quad < 0).any() or (quad > (width, height)).any()),
                (int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1),
            )
        )
    return seen


def annotate(
    seen: Sequence[SeenTile], owner: np.ndarray, name: str, layout: str, design: str
) -> tuple[dict[str, Any], np.ndarray]:
    """Return the entry of `photos.json` and the mask of faces `(H, W) uint8`.

    The entry has the keys of `synthesis.scene.tables.as_annotation`, and for each tile its `rack` (-1 off racks) and
    `sure`: its number is readable although a part of it may be hidden. Tiles are in reading order: rack by rack, the
    back row first, each row as its player sees it from left to right. The mask is k + 1 on the visible face of tile k;
    faces in `ignore_px` follow those of the tiles, in the order of their boxes.
    """
    ordered = sorted(seen, key=lambda s: (s.tile.rack < 0, s.tile.rack, s.tile.row, s.number))
    counted = [s for s in ordered if s.counts or s.cut]
    ignored = [s for s in ordered if not any(s is other for other in counted)]
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
    # Training tilts pictures of low cameras little, for racks are seen askew already.
    return entry | {"ignore_px": [list(s.shown_px) for s in ignored], "low": layout == "rack"}, mask

"""Tiles as solids: where each stands, its corners, and the meshes and face atlas of all tiles of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.datasets.rendering.solids import Solid, merge, rounded_box
from tilekeeper.datasets.synthesis.printings.faces import draw_face
from tilekeeper.datasets.synthesis.printings.printing import Printing

SMALLEST_BEVEL_OF_WIDTH = 0.02
"""Moulded tiles never have sharp rims."""
ATLAS_COLUMNS = 12
DRAWN_WIDTH_PX = 128
"""Faces are drawn this wide, and then reduced; the drawing of thin lines is made for this size."""


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile in space; the world is in mm with z up.

    `position_mm (3,)` is the middle of its back. The columns of `rotation (3, 3)` are its right, its top and the
    normal of its face. `seed` picks one of the two copies; `row` is unique in the picture, -1 for a tile face down;
    `rack` is -1 off the racks.
    """

    label: str
    seed: int
    position_mm: np.ndarray
    rotation: np.ndarray
    row: int
    rack: int = -1

    def on_face(self, printing: Printing, shares: np.ndarray) -> np.ndarray:
        """Return the points `(N, 3)` mm of the face at `shares (N, 2)`: (0, 0) is its top left, (1, 1) the opposite."""
        x = (shares[:, 0] - 0.5) * printing.width_mm
        y = (0.5 - shares[:, 1]) * printing.height_mm
        local = np.column_stack([x, y, np.full(len(shares), printing.thickness_mm)])
        points: np.ndarray = local @ self.rotation.T + self.position_mm
        return points


@dataclass(frozen=True, slots=True)
class TileMeshes:
    """All tiles of a picture: the faces and the bodies as one mesh each, and the atlas of faces, BGR uint8.

    Tile k has the triangles from `k * triangles_per_face` to `(k + 1) * triangles_per_face` of `faces`.
    """

    faces: Solid
    bodies: Solid
    atlas_bgr: np.ndarray
    triangles_per_face: int


def build_tiles(tiles: Sequence[PlacedTile], printing: Printing, face_px: int) -> TileMeshes:
    """Return the meshes of the tiles; each face is `face_px` wide in the atlas."""
    bevel = max(printing.bevel_of_width, SMALLEST_BEVEL_OF_WIDTH) * printing.width_mm
    corner = printing.corner_of_width * printing.width_mm
    front, body = rounded_box(printing.width_mm, printing.height_mm, printing.thickness_mm, corner, bevel)
    keys = sorted({(tile.label, tile.seed) for tile in tiles})
    atlas, boxes = _draw_atlas(keys, printing, face_px)
    fronts = []
    for tile in tiles:
        placed = front.moved(tile.rotation, tile.position_mm)
        x, y, w, h = boxes[keys.index((tile.label, tile.seed))]
        uv = (front.uv * (w, h) + (x, y)) / atlas.shape[1::-1]
        fronts.append(Solid(placed.points_mm, placed.normals, uv.astype(np.float32), placed.triangles))
    bodies = merge([body.moved(tile.rotation, tile.position_mm) for tile in tiles])
    return TileMeshes(merge(fronts), bodies, atlas, len(front.triangles))


def _draw_atlas(
    keys: Sequence[tuple[str, int]], printing: Printing, face_px: int
) -> tuple[np.ndarray, list[tuple[int, int, int, int]]]:
    """Draw all faces into one image with margins; return it and each face's box x, y, w, h in px."""
    margin, images = 4, []
    for label, seed in keys:
        drawn = draw_face(printing, label, max(face_px, DRAWN_WIDTH_PX), seed).bgr
        size = face_px, round(face_px * drawn.shape[0] / drawn.shape[1])
        face = cv2.resize(drawn, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
        images.append(cv2.copyMakeBorder(face, margin, margin, margin, margin, cv2.BORDER_REPLICATE))
    height, width = images[0].shape[:2]
    rows = -(-len(images) // ATLAS_COLUMNS)
    atlas = np.zeros((rows * height, ATLAS_COLUMNS * width, 3), np.uint8)
    boxes = []
    for at, image in enumerate(images):
        y, x = at // ATLAS_COLUMNS * height, at % ATLAS_COLUMNS * width
        atlas[y : y + height, x : x + width] = image
        boxes.append((x + margin, y + margin, width - 2 * margin, height - 2 * margin))
    return atlas, boxes

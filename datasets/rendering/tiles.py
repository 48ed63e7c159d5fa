"""Tiles in space: their poses, their meshes, and the texture atlas of their faces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from tilekeeper.datasets.rendering.solids import Solid, merge, rounded_box
from tilekeeper.datasets.synthesis.noise import fractal
from tilekeeper.datasets.synthesis.printings.faces import draw_face
from tilekeeper.datasets.synthesis.printings.printing import Printing

SMALLEST_BEVEL_OF_WIDTH = 0.02  # moulded tiles never have sharp rims
DRAWN_WIDTH_PX = 128  # faces are drawn at least this wide and then reduced, as thin lines are drawn for this size
ATLAS_MARGIN_PX = 4
YELLOWED = (0.16, 0.05, 0.01)  # shares of blue, green and red light that the most yellowed tile absorbs
DIRT_OF_WIDTH = 0.04  # width of the dirty rim of a tile


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile in space; the world is in mm with z up.

    `position_mm (3,)`: the centre of its back; `rotation (3, 3)`: its columns point to the tile's right, to its top and
    out of its face; `seed`: which of the two copies it is; `row`: number of its row, unique in the image, -1 for a
    face-down tile; `rack`: number of its rack, -1 if it is on none.
    """

    label: str
    seed: int
    position_mm: np.ndarray
    rotation: np.ndarray
    row: int
    rack: int = -1

    def on_face(self, printing: Printing, shares: np.ndarray) -> np.ndarray:
        """Return points `(N, 3)` of the face in mm; `shares (N, 2)`: (0, 0) is top left, (1, 1) bottom right."""
        x = (shares[:, 0] - 0.5) * printing.width_mm
        y = (0.5 - shares[:, 1]) * printing.height_mm
        local = np.column_stack([x, y, np.full(len(shares), printing.thickness_mm)])
        return np.asarray(local @ self.rotation.T + self.position_mm)


@dataclass(frozen=True, slots=True)
class TileMeshes:
    """All tiles of an image: one mesh of all faces, one of all bodies, and the texture atlas of the faces, BGR uint8.

    The face of tile k has the triangles from `k * triangles_per_face` up to `(k + 1) * triangles_per_face`, exclusive.
    """

    faces: Solid
    bodies: Solid
    atlas_bgr: np.ndarray
    triangles_per_face: int


def build_tiles(tiles: Sequence[PlacedTile], printing: Printing, face_px: int, wear: float = 0.0) -> TileMeshes:
    """Return the meshes of the tiles; `face_px`: width of a face in the atlas; `wear`: 0 (new) to 1 (worn)."""
    bevel = max(printing.bevel_of_width, SMALLEST_BEVEL_OF_WIDTH) * printing.width_mm
    corner = printing.corner_of_width * printing.width_mm
    front, body = rounded_box(printing.width_mm, printing.height_mm, printing.thickness_mm, corner, bevel)
    keys = sorted({(tile.label, tile.seed) for tile in tiles})
    atlas = np.concatenate([_draw_face(printing, key, face_px, wear) for key in keys])
    height, width = len(atlas) // len(keys), atlas.shape[1]
    fronts = []
    for tile in tiles:
        inside = front.uv * (width - 2 * ATLAS_MARGIN_PX, height - 2 * ATLAS_MARGIN_PX) + ATLAS_MARGIN_PX
        uv = np.add(inside, (0, keys.index((tile.label, tile.seed)) * height)) / (width, len(atlas))
        fronts.append(replace(front.moved(tile.rotation, tile.position_mm), uv=uv))
    bodies = merge([body.moved(tile.rotation, tile.position_mm) for tile in tiles])
    return TileMeshes(merge(fronts), bodies, atlas, len(front.triangles))


def _draw_face(printing: Printing, key: tuple[str, int], face_px: int, wear: float) -> np.ndarray:
    """Return the face of a tile, BGR uint8, with a margin that repeats its edge; `key`: its label and its copy."""
    drawn = draw_face(printing, key[0], max(face_px, DRAWN_WIDTH_PX), key[1]).bgr
    if wear:
        drawn = _worn(np.random.default_rng([printing.joker_seed, *key[0].encode(), key[1]]), drawn, wear)
    size = face_px, round(face_px * drawn.shape[0] / drawn.shape[1])
    face = cv2.resize(drawn, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
    return np.pad(face, [(ATLAS_MARGIN_PX,) * 2, (ATLAS_MARGIN_PX,) * 2, (0, 0)], "edge")


def _worn(rng: np.random.Generator, face_bgr: np.ndarray, wear: float) -> np.ndarray:
    """Add a random yellow tint, dirt along the edge and fine scratches to a face `(h, w, 3)`."""
    height, width = face_bgr.shape[:2]
    gain = np.ones((height, width), np.float32)
    for _ in range(rng.poisson(5 * wear)):
        start, end = (rng.uniform(0, (width, height)) + rng.normal(0, 0.1 * width, (2, 2))).astype(int).tolist()
        cv2.line(gain, start, end, 1 + rng.uniform(-0.3, 0.15), 1, cv2.LINE_AA)
    inside = cv2.copyMakeBorder(np.ones((height, width), np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    from_rim = cv2.distanceTransform(inside, cv2.DIST_L2, 3)[1:-1, 1:-1] / (DIRT_OF_WIDTH * width)
    dirt = np.exp(-from_rim) * np.clip(fractal(rng, (width, height), width / 2, 3) + 0.5, 0, 2)
    gain *= 1 - 0.2 * wear * dirt
    tint = 1 - wear * rng.random() * np.array(YELLOWED)
    return np.asarray(np.clip(face_bgr * gain[..., None] * tint, 0, 255))

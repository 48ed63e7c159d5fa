"""Compose an image of tiles on a surface with exact ground truth: corners, visible share and row of every tile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.printings.faces import BLANK, Face, bevel_shade, draw_face
from tilekeeper.datasets.synthesis.printings.printing import Printing
from tilekeeper.datasets.synthesis.scene.camera import Camera
from tilekeeper.datasets.synthesis.scene.layouts import FlatTile

_SHIFT = 4


@dataclass(frozen=True, slots=True)
class TrueTile:
    """A tile in a rendered image.

    `quad_px (4, 2) float32`: clockwise from the tile's own top left; `visible`: visible share of its face, 0 to 1;
    `cut`: whether the image's edge cuts it; `row`: index of its meld.
    """

    label: str
    quad_px: np.ndarray
    visible: float
    cut: bool
    row: int


@dataclass(frozen=True, slots=True)
class Sprite:
    """An object on or over the table.

    `bgra (h, w, 4) uint8`: its image with straight alpha; `x_mm`, `y_mm`: its centre; `turn`: clockwise in radians;
    `z_mm`: its height; `over`: whether it is painted after the tiles.
    """

    bgra: np.ndarray
    px_per_mm: float
    x_mm: float
    y_mm: float
    turn: float
    z_mm: float = 0.0
    over: bool = False


DrawFace = Callable[[Printing, str, int, int], Face]
"""Function that draws the face of a tile, with the arguments of `draw_face`."""


class Scene:
    """Painter's algorithm: an image that is painted from the table up, and the visible tile at each pixel.

    `owner (h, w)`: index of that tile, below 0 if there is none.
    """

    def __init__(
        self, ground: np.ndarray, camera: Camera, printing: Printing, light_angle: float, draw: DrawFace = draw_face
    ) -> None:
        self._draw = draw
        self.image = ground.astype(np.float32)
        self.camera = camera
        self.printing = printing
        self.light_angle = light_angle
        self.owner: np.ndarray = np.full(ground.shape[:2], -1, np.int16)
        self._faces: dict[tuple[str, int, int], Face] = {}

    def _fill(self, polygon_px: np.ndarray, bgr: np.ndarray, owner: int) -> None:
        fixed = np.round(polygon_px * 2**_SHIFT).astype(np.int32)
        cv2.fillConvexPoly(self.image, fixed, bgr.tolist(), cv2.LINE_AA, _SHIFT)
        cv2.fillConvexPoly(self.owner, fixed, owner, cv2.LINE_8, _SHIFT)

    def _paste(self, bgr: np.ndarray, alpha: np.ndarray, homography: np.ndarray, owner: int) -> None:
        """Warp a sprite onto the image; pixels that it covers by more than half belong to `owner`."""
        height, width = alpha.shape
        outline = cv2.perspectiveTransform(
            np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float64), homography
        )[0]
        image_height, image_width = self.owner.shape
        x0, y0 = np.maximum(np.floor(outline.min(axis=0)).astype(int) - 1, 0)
        x1, y1 = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + 2, (image_width, image_height))
        if x0 >= x1 or y0 >= y1:
            return
        shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]], np.float64)
        size = int(x1 - x0), int(y1 - y0)
        premultiplied = np.dstack([bgr * alpha[..., None], alpha]).astype(np.float32)
        warped = cv2.warpPerspective(premultiplied, shift @ homography, size, flags=cv2.INTER_LINEAR)
        part = self.image[y0:y1, x0:x1]
        part *= 1 - warped[..., 3:]
        part += warped[..., :3]
        self.owner[y0:y1, x0:x1][warped[..., 3] > 0.5] = owner

    def shade(self, polygons_px: list[np.ndarray], strength: float, blur_px: float) -> None:
        """Darken the image under polygons `(K, 2)`, with a soft edge, as shadows do."""
        mask = np.zeros(self.owner.shape, np.uint8)
        for polygon in polygons_px:
            cv2.fillPoly(mask, [np.round(polygon * 2**_SHIFT).astype(np.int32)], 255, cv2.LINE_AA, _SHIFT)
        soft = cv2.GaussianBlur(mask, (0, 0), max(0.6, blur_px)).astype(np.float32) / 255
        self.image *= 1 - strength * soft[..., None]

    def put_sprite(self, sprite: Sprite) -> None:
        """Paint an object over everything painted so far."""
        height, width = sprite.bgra.shape[:2]
        scale, cos, sin = 1 / sprite.px_per_mm, np.cos(sprite.turn), np.sin(sprite.turn)
        to_mm = np.array([[cos, -sin, sprite.x_mm], [sin, cos, sprite.y_mm], [0, 0, 1]]) @ np.array(
            [[scale, 0, -(width - 1) * scale / 2], [0, scale, -(height - 1) * scale / 2], [0, 0, 1]]
        )
        alpha = sprite.bgra[..., 3].astype(np.float32) / 255
        self._paste(sprite.bgra[..., :3].astype(np.float32), alpha, self.camera.plane(sprite.z_mm) @ to_mm, -2)

    def _face(self, label: str, seed: int, width_px: float) -> Face:
        level = 128 if width_px > 80 else 64 if width_px > 32 else 32
        if width_px > 150:
            level = 224
        key = label, seed, level
        if key not in self._faces:
            if level >= 128:
                self._faces[key] = self._draw(self.printing, label, level, seed)
            else:
                big = self._draw(self.printing, label, 128, seed)
                size = level, round(level * big.alpha.shape[0] / 128)
                self._faces[key] = Face(
                    cv2.resize(big.bgr, size, interpolation=cv2.INTER_AREA),
                    cv2.resize(big.alpha, size, interpolation=cv2.INTER_AREA),
                )
        return self._faces[key]

    def corners(self, tile: FlatTile, z_mm: float) -> np.ndarray:
        """Return the tile's corners `(4, 2)` at height `z_mm`, in pixels, clockwise from its own top left."""
        half_w, half_h = self.printing.width_mm / 2, self.printing.height_mm / 2
        cos, sin = np.cos(tile.turn), np.sin(tile.turn)
        local = np.array([[-half_w, -half_h], [half_w, -half_h], [half_w, half_h], [-half_w, half_h]])
        ground = local @ np.array([[cos, sin], [-sin, cos]]) + [tile.x_mm, tile.y_mm]
        return self.camera.project(np.column_stack([ground, np.full(4, z_mm + tile.lift_mm)]))

    def put_tiles(self, laid: list[FlatTile], seeds: list[int]) -> list[np.ndarray]:
        """Paint tiles, far ones first; return their quads `(4, 2)` ordered as `laid`. `seeds`: one per face."""
        thickness = self.printing.thickness_mm
        shadow_mm = np.array([np.cos(self.light_angle), np.sin(self.light_angle)]) * thickness * 0.6
        shadows = [
            self.corners(FlatTile(t.label, t.x_mm + shadow_mm[0], t.y_mm + shadow_mm[1], t.turn, t.row, t.lift_mm), 0.0)
            for t in laid
        ]
        if laid:
            size = float(np.mean([np.linalg.norm(q[1] - q[0]) for q in shadows]))
            self.shade(shadows, 0.45, size * 0.1)
            self.shade([self.corners(t, 0.0) for t in laid], 0.5, size * 0.03)
        quads = [self.corners(t, thickness).astype(np.float32) for t in laid]
        depth = [self.camera.projection[2] @ np.array([t.x_mm, t.y_mm, t.lift_mm * 4, 1.0]) for t in laid]
        base = np.array(self.printing.base_bgr, np.float32)
        for i in sorted(range(len(laid)), key=lambda i: -depth[i]):
            bottom, top = self.corners(laid[i], 0.0), quads[i]
            for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
                side = np.array([bottom[a], bottom[b], top[b], top[a]])
                facing = (side[1] - side[0])[0] * (side[3] - side[0])[1] - (side[1] - side[0])[1] * (side[3] - side[0])[
                    0
                ]
                if facing < 0:
                    normal = laid[i].turn + (-np.pi / 2, 0, np.pi / 2, np.pi)[a]
                    lit = 0.62 - 0.22 * np.cos(normal - self.light_angle)
                    self._fill(side, base * lit, -3)
            width_px = float(np.linalg.norm(top[1] - top[0]))
            face = self._face(laid[i].label, seeds[i], width_px)
            height, width = face.alpha.shape
            corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
            shade = bevel_shade(self.printing, width, height, self.light_angle + np.pi - laid[i].turn)
            self._paste(face.bgr * shade[..., None], face.alpha, cv2.getPerspectiveTransform(corners, top), i)
        return quads

    def truth(self, laid: list[FlatTile], quads: list[np.ndarray]) -> list[TrueTile]:
        """Return the ground truth of the finished image: all tiles except face-down ones, with their visible share."""
        height, width = self.owner.shape
        counts = np.bincount((self.owner[self.owner >= 0]).astype(np.int64), minlength=len(laid))
        tiles = []
        for i, (tile, quad) in enumerate(zip(laid, quads, strict=True)):
            if tile.label == BLANK:
                continue
            area = abs(cv2.contourArea(quad)) * 0.97
            cut = bool((quad.min(axis=0) < 0).any() or (quad.max(axis=0) > (width, height)).any())
            tiles.append(TrueTile(tile.label, quad, float(min(1.0, counts[i] / max(area, 1.0))), cut, tile.row))
        return tiles

"""The table of a recording under a fixed camera, with one printing, one surface and clutter along the edges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.clutter.catalogue import CLUTTER
from tilekeeper.datasets.synthesis.printings.faces import draw_face
from tilekeeper.datasets.synthesis.printings.printing import Pool, Printing, choices, draw_printing
from tilekeeper.datasets.synthesis.recordings.light import SteadyCamera, SteadyLight
from tilekeeper.datasets.synthesis.recordings.pieces import Piece
from tilekeeper.datasets.synthesis.recordings.places import PITCH, Floor, Spot
from tilekeeper.datasets.synthesis.scene.camera import Camera, look_at
from tilekeeper.datasets.synthesis.scene.composition import DrawFace, Scene, Sprite
from tilekeeper.datasets.synthesis.scene.layouts import FlatTile
from tilekeeper.datasets.synthesis.surfaces.catalogue import SURFACES

LINE = 1.42
"""Distance between lines of melds, in tile heights."""
EDGE_PX = 14
"""Distance of tiles from the edges of the image."""
CLUTTER_ROOM = 2.3
"""Width of the area for clutter on the left and on the right, in tile widths."""
HAND_Z_MM = 22.0


@dataclass(frozen=True, slots=True)
class Pose:
    """The pose of a piece: its centre on the table, `turn` clockwise in radians, and its height when carried."""

    x_mm: float
    y_mm: float
    turn: float
    lift_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges of the image on the table in mm; the centre of the image is at (0, 0)."""

    west_mm: float
    north_mm: float
    east_mm: float
    south_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """The appearance of a real table and its tiles, used instead of a random one.

    `surface`: name of the table; `ground_bgr (H, W, 3) uint8`: image of the empty table; `printing`: sizes of the
    tiles; `draw`: function that draws their faces.
    """

    surface: str
    ground_bgr: np.ndarray
    printing: Printing
    draw: DrawFace


class Studio:
    """The constant parts of a recording (camera, table, clutter, light), and functions that paint its frames."""

    def __init__(
        self,
        rng: np.random.Generator,
        pool: Pool,
        wh: tuple[int, int],
        tile_px: float,
        surface: str | None = None,
        clutter: int = 3,
        looks: Looks | None = None,
    ) -> None:
        """Sample a printing, a surface, `clutter` objects and light; `looks` replace printing and surface.

        `tile_px`: width of a tile in the middle of the image. Raises `ValueError` for an unknown surface, or if the
        image is too small for its tiles.
        """
        if surface is not None and surface not in SURFACES:
            raise ValueError(f"there is no surface {surface!r}; there is {', '.join(SURFACES)}")
        drawn = draw_printing(rng, pool)
        self.printing = looks.printing if looks else drawn
        self.px_per_mm = tile_px / self.printing.width_mm
        self.camera = look_at(
            wh,
            (0.0, 0.0),
            self.px_per_mm,
            tilt=float(rng.uniform(0.08, 0.24)),
            heading=float(rng.normal(0, 0.15)),
            roll=float(rng.normal(0, 0.012)),
            field=float(rng.uniform(0.9, 1.15)),
        )
        self.edges = _edges(self.camera)
        names = choices("surfaces", tuple(SURFACES), pool)
        self.surface = surface or names[int(rng.integers(len(names)))]
        if looks:
            self.surface = looks.surface
        ground = _ground(rng, self.surface, self.camera, self.edges, self.px_per_mm, looks)
        self.light_angle = float(rng.uniform(0, 2 * np.pi))
        self._scene = Scene(ground, self.camera, self.printing, self.light_angle, looks.draw if looks else draw_face)
        self._middle_mm = np.zeros(2)
        self.floor = self._fit_floor(wh, tile_px)
        for sprite in self._clutter(rng, clutter):
            self._shade_under(sprite, 8.0)
            self._scene.put_sprite(sprite)
        self._bare = self._scene.image.copy()
        self._light = SteadyLight(rng, wh, self.printing.gloss)
        self._camera = SteadyCamera(rng, tile_px)

    def pose(self, spot: Spot) -> Pose:
        """Convert a spot of the floor to a pose on the table."""
        x = (spot.x - self.floor.columns / 2) * PITCH * self.printing.width_mm
        y = (spot.y - (self.floor.lines - 1) / 2) * LINE * self.printing.height_mm
        return Pose(self._middle_mm[0] + x, self._middle_mm[1] + y, spot.turn)

    def paint(self, lying: Iterable[tuple[Piece, Pose]]) -> tuple[np.ndarray, np.ndarray, dict[int, np.ndarray]]:
        """Paint the table with pieces on it.

        Returns the scene `(h, w, 3) float32`, the mask of tiles `(h, w) bool`, and by key each piece's quad
        `(4, 2) float32` in pixels, clockwise from its own top left.
        """
        self._scene.image = self._bare.copy()
        self._scene.owner[:] = -1
        quads = self._put(list(lying))
        return self._scene.image, self._scene.owner >= 0, quads

    def paint_over(
        self,
        scene: np.ndarray,
        on_tiles: np.ndarray,
        carried: Iterable[tuple[Piece, Pose]],
        hand: Sprite | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Paint carried pieces and a hand over a copy of a painted table; return scene and mask as `paint` does."""
        self._scene.image = scene.copy()
        self._scene.owner[:] = np.where(on_tiles, 0, -1)
        self._put(list(carried))
        if hand is not None:
            self._shade_under(hand, HAND_Z_MM)
            self._scene.put_sprite(hand)
        return self._scene.image, self._scene.owner >= 0

    def take(self, rng: np.random.Generator, scene: np.ndarray, on_tiles: np.ndarray) -> np.ndarray:
        """Take a photo `(h, w, 3) uint8` BGR of a painted table, with noise from `rng`."""
        return self.take_again(rng, self.expose(scene, on_tiles))

    def expose(self, scene: np.ndarray, on_tiles: np.ndarray) -> np.ndarray:
        """Return the camera's image `(h, w, 3) uint8` of a painted table, without noise."""
        return self._camera.expose(self._light(scene, on_tiles))

    def take_again(self, rng: np.random.Generator, exposed_bgr: np.ndarray) -> np.ndarray:
        """Take another frame of an exposed image; only the noise differs."""
        return self._camera.grain(rng, exposed_bgr)

    def _put(self, pieces: list[tuple[Piece, Pose]]) -> dict[int, np.ndarray]:
        if not pieces:
            return {}
        laid = [FlatTile(piece.tile.label, pose.x_mm, pose.y_mm, pose.turn, 0, pose.lift_mm) for piece, pose in pieces]
        # Copies of a tile may differ slightly, but each piece always looks the same.
        quads = self._scene.put_tiles(
            laid, [piece.key // 52 % 2 if piece.key < 104 else piece.key for piece, _ in pieces]
        )
        return {piece.key: quad for (piece, _), quad in zip(pieces, quads, strict=True)}

    def _fit_floor(self, wh: tuple[int, int], tile_px: float) -> Floor:
        """Return the largest floor whose tiles are all well inside the image; raise `ValueError` if there is none."""
        aspect = self.printing.height_mm / self.printing.width_mm
        columns = wh[0] / tile_px / PITCH - 2 * CLUTTER_ROOM
        for lines in range(int(wh[1] / (tile_px * aspect * LINE)) + 1, 1, -1):
            half_h = ((lines - 1) * LINE + 1.1) * self.printing.height_mm / 2
            half_w = columns * PITCH * self.printing.width_mm / 2
            corners = np.array([[-half_w, -half_h], [half_w, -half_h], [half_w, half_h], [-half_w, half_h]])
            for down_mm in np.linspace(0.3, -0.5, 17) * self.printing.height_mm:
                down = np.array([0.0, down_mm])
                lifted = np.column_stack([corners + down, np.full(4, self.printing.thickness_mm)])
                flat = np.column_stack([corners + down, np.zeros(4)])
                projected = np.vstack([self.camera.project(lifted), self.camera.project(flat)])
                if (projected > EDGE_PX).all() and (projected < np.array(wh) - EDGE_PX).all():
                    self._middle_mm = down
                    return Floor(lines, columns)
        raise ValueError(f"a picture of {wh[0]}×{wh[1]} is too small for tiles {tile_px:.0f} px wide")

    def _clutter(self, rng: np.random.Generator, count: int) -> list[Sprite]:
        """Return `count` objects in the corners and at the sides, outside the floor; the image's edge cuts most."""
        names = tuple(CLUTTER)
        half_w = self.floor.columns * PITCH * self.printing.width_mm / 2
        spots = [(side, share) for side in (-1, 1) for share in (-0.85, 0.0, 0.85)]
        scale = min(self.px_per_mm * 1.5, 3.0)
        sprites = []
        for index in rng.permutation(len(spots))[:count]:
            side, share = spots[int(index)]
            bgra = CLUTTER[names[int(rng.integers(len(names)))]](rng, scale)
            turn = float(rng.uniform(-np.pi, np.pi))
            high, wide = bgra.shape[0] / scale, bgra.shape[1] / scale
            reach = (abs(np.cos(turn)) * wide + abs(np.sin(turn)) * high) / 2
            x = side * (half_w + 6.0 + reach)
            y = share * (self.edges.south_mm if share > 0 else -self.edges.north_mm)
            sprites.append(Sprite(bgra, scale, float(x), float(y), turn))
        return sprites

    def _shade_under(self, sprite: Sprite, height_mm: float) -> None:
        """Darken the scene by the soft shadow of an object at a height; computed at a quarter of the resolution."""
        away = np.array([np.cos(self.light_angle), np.sin(self.light_angle)]) * height_mm * 0.8
        height, width = sprite.bgra.shape[:2]
        cos, sin, size = np.cos(sprite.turn), np.sin(sprite.turn), 1 / sprite.px_per_mm
        to_mm = np.array([[cos, -sin, sprite.x_mm + away[0]], [sin, cos, sprite.y_mm + away[1]], [0, 0, 1]])
        to_mm = to_mm @ np.array([[size, 0, -width * size / 2], [0, size, -height * size / 2], [0, 0, 1]])
        quarter = np.diag([0.25, 0.25, 1.0])
        image_height, image_width = self._scene.image.shape[:2]
        small_wh = -(-image_width // 4), -(-image_height // 4)
        shadow = cv2.warpPerspective(sprite.bgra[..., 3], quarter @ self.camera.plane() @ to_mm, small_wh)
        shadow = cv2.GaussianBlur(shadow.astype(np.float32), (0, 0), max(1.0, 0.1 * height_mm * self.px_per_mm))
        whole = cv2.resize(shadow, (small_wh[0] * 4, small_wh[1] * 4), interpolation=cv2.INTER_LINEAR)
        self._scene.image *= (1 - 0.45 / 255 * whole[:image_height, :image_width])[..., None]


def _edges(camera: Camera) -> Edges:
    width, height = camera.wh
    corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]], float)
    on_table = corners @ np.linalg.inv(camera.plane()).T
    x, y = (on_table[:, :2] / on_table[:, 2:]).T
    return Edges(float(x.min()), float(y.min()), float(x.max()), float(y.max()))


def _ground(
    rng: np.random.Generator, surface: str, camera: Camera, edges: Edges, px_per_mm: float, looks: Looks | None = None
) -> np.ndarray:
    """Return the image of the surface as the camera sees it, filled up to all corners."""
    wide_mm, high_mm = edges.east_mm - edges.west_mm, edges.south_mm - edges.north_mm
    size_wh = int(wide_mm * px_per_mm) + 2, int(high_mm * px_per_mm) + 2
    texture = _covering(looks.ground_bgr, size_wh) if looks else SURFACES[surface](rng, size_wh, px_per_mm)
    to_mm = np.array([[1 / px_per_mm, 0, edges.west_mm], [0, 1 / px_per_mm, edges.north_mm], [0, 0, 1]])
    return cv2.warpPerspective(
        texture, camera.plane() @ to_mm, camera.wh, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101
    )


def _covering(image_bgr: np.ndarray, size_wh: tuple[int, int]) -> np.ndarray:
    """Enlarge or shrink an image until it covers `size_wh`, and return its middle part of that size."""
    factor = max(want / have for want, have in zip(size_wh, image_bgr.shape[1::-1], strict=True))
    whole = cv2.resize(image_bgr, None, fx=factor * 1.001, fy=factor * 1.001, interpolation=cv2.INTER_CUBIC)
    left, top = ((have - want) // 2 for have, want in zip(whole.shape[1::-1], size_wh, strict=True))
    return np.asarray(whole[top : top + size_wh[1], left : left + size_wh[0]])

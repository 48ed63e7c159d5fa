"""A canvas in millimetres for drawing clutter, and soft shadows.

Colours extend beyond the object's outline, which is a separate alpha channel, so that edges have no dark fringe.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.noise import Colour, fractal, grain, relight, scaled
from tilekeeper.datasets.synthesis.surfaces.lettering import write

_SHIFT = 4  # OpenCV draws at sixteenths of a pixel
CLEAR_PX = 2
Point = tuple[float, float]


def rounded(x: float, y: float, w: float, h: float, radius: float = 0.0) -> np.ndarray:
    """Return the outline `(N, 2) float64` of a rectangle with rounded corners, in the units of the arguments."""
    radius = min(radius, w / 2, h / 2)
    if radius <= 0:
        return np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], dtype=float)
    turn = np.linspace(0, np.pi / 2, 7)
    corner = np.stack([np.cos(turn), np.sin(turn)], axis=1) * radius
    flip = np.array
    return np.concatenate(
        [
            corner * flip([1, 1]) + (x + w - radius, y + h - radius),
            corner[::-1] * flip([-1, 1]) + (x + radius, y + h - radius),
            corner * flip([-1, -1]) + (x + radius, y + radius),
            corner[::-1] * flip([1, -1]) + (x + w - radius, y + radius),
        ]
    )


def move_outline(points: np.ndarray, dx: float, dy: float) -> np.ndarray:
    """Return an outline moved by (dx, dy)."""
    outline: np.ndarray = points + np.array([dx, dy])
    return outline


def place_outline(points: np.ndarray, turn_rad: float, x: float, y: float) -> np.ndarray:
    """Return an outline rotated by `turn_rad` clockwise around the origin and then moved by (x, y)."""
    cos, sin = np.cos(turn_rad), np.sin(turn_rad)
    outline: np.ndarray = points @ np.array([[cos, sin], [-sin, cos]]) + np.array([x, y])
    return outline


def oval(x: float, y: float, rx: float, ry: float | None = None, turn_rad: float = 0.0) -> np.ndarray:
    """Return the outline `(40, 2) float64` of an ellipse around (x, y), in the units of the arguments."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    u, v = np.cos(angle) * rx, np.sin(angle) * (rx if ry is None else ry)
    cos, sin = np.cos(turn_rad), np.sin(turn_rad)
    return np.stack([x + u * cos - v * sin, y + u * sin + v * cos], axis=1)


def star(x: float, y: float, radius: float, points: int = 5, inner: float = 0.45, turn_rad: float = 0.0) -> np.ndarray:
    """Return the outline `(2 * points, 2) float64` of a star around (x, y), in the units of the arguments.

    `inner`: inner radius as a share of `radius`.
    """
    angle = turn_rad + np.linspace(0, 2 * np.pi, 2 * points, endpoint=False)
    reach = radius * np.where(np.arange(2 * points) % 2 == 0, 1.0, inner)
    return np.stack([x + reach * np.cos(angle), y + reach * np.sin(angle)], axis=1)


class Canvas:
    """An image of an object and its outline (alpha), drawn in millimetres; `sprite` returns both as BGRA."""

    def __init__(self, rng: np.random.Generator, wh_mm: tuple[float, float], px_per_mm: float, colour: Colour) -> None:
        self.rng = rng
        self.scale = px_per_mm
        w, h = (max(6, round(side * px_per_mm)) for side in wh_mm)
        self.image: np.ndarray = np.full((h, w, 3), np.rint(colour), dtype=np.uint8)
        self.alpha: np.ndarray = np.zeros((h, w), dtype=np.uint8)

    def _fixed(self, points_mm: np.ndarray | Sequence[Point]) -> np.ndarray:
        return np.rint((np.asarray(points_mm, dtype=float) * self.scale - 0.5) * (1 << _SHIFT)).astype(np.int32)

    def width_px(self, width_mm: float) -> int:
        """Convert a stroke's width to whole pixels, at least 1."""
        return max(1, round(width_mm * self.scale))

    def body(self, points_mm: np.ndarray | Sequence[Point], opacity: float = 1.0) -> None:
        """Add a polygon to the outline of the object."""
        cv2.fillPoly(self.alpha, [self._fixed(points_mm)], 255.0 * opacity, cv2.LINE_AA, _SHIFT)

    def hole(self, points_mm: np.ndarray | Sequence[Point]) -> None:
        """Cut a polygon out of the outline of the object."""
        cv2.fillPoly(self.alpha, [self._fixed(points_mm)], 0.0, cv2.LINE_AA, _SHIFT)

    def fill(self, points_mm: np.ndarray | Sequence[Point], colour: Colour, body: bool = False) -> None:
        """Paint a polygon; with `body` it is also added to the object's outline."""
        cv2.fillPoly(self.image, [self._fixed(points_mm)], colour, cv2.LINE_AA, _SHIFT)
        if body:
            self.body(points_mm)

    def line(
        self,
        points_mm: np.ndarray | Sequence[Point],
        colour: Colour,
        width_mm: float,
        closed: bool = False,
        body: bool = False,
    ) -> None:
        """Paint a line through points; with `body` it is also added to the object's outline."""
        points, width = [self._fixed(points_mm)], self.width_px(width_mm)
        if body:
            cv2.polylines(self.image, points, closed, colour, width + 2, cv2.LINE_AA, _SHIFT)
            cv2.polylines(self.alpha, points, closed, 255.0, width, cv2.LINE_AA, _SHIFT)
        else:
            cv2.polylines(self.image, points, closed, colour, width, cv2.LINE_AA, _SHIFT)

    def text(self, text: str, x: float, y: float, height_mm: float, ink: Colour) -> None:
        """Write a short text centred at (x, y); a text less than 3 px high is drawn as a bar."""
        if height_mm * self.scale < 3.0:
            half = 0.35 * height_mm * len(text)
            self.line([(x - half, y), (x + half, y)], ink, height_mm * 0.5)
            return
        write(self.rng, self.image, text, (x * self.scale, y * self.scale), height_mm * self.scale, ink)

    def soften(self, sigma_mm: float) -> None:
        """Blur everything painted so far, but not the outline."""
        if sigma_mm * self.scale > 0.3:
            self.image = cv2.GaussianBlur(self.image, (0, 0), sigma_mm * self.scale)

    def sprite(self, bevel_mm: float = 0.0, uneven: float = 0.04, noise: float = 1.5) -> np.ndarray:
        """Return the object as BGRA `(h, w, 4) uint8` with straight alpha, after adding light on its rims and noise.

        `bevel_mm`: width of the lit rims; `uneven`: strength of slow changes in brightness; `noise`: of the grain, in
        levels. `CLEAR_PX` clear pixels are added on each side, so that the edges stay smooth if the object is rotated.
        """
        h, w = self.alpha.shape
        gain = 1.0 + np.float32(uneven) * fractal(self.rng, (w, h), max(8.0, 0.6 * max(w, h)), 3)
        if bevel_mm > 0:
            soft = cv2.GaussianBlur(self.alpha, (0, 0), max(0.6, bevel_mm * self.scale)).astype(np.float32)
            angle = self.rng.uniform(0, 2 * np.pi)
            slope = cv2.Sobel(soft, cv2.CV_32F, 1, 0) * np.float32(np.cos(angle))
            slope += cv2.Sobel(soft, cv2.CV_32F, 0, 1) * np.float32(np.sin(angle))
            gain += slope * np.float32(self.rng.uniform(0.1, 0.45) / max(float(np.abs(slope).max()), 1e-3))
        image = grain(self.rng, relight(self.image, np.clip(gain, 0.2, 1.9)), noise)
        image = cv2.copyMakeBorder(image, CLEAR_PX, CLEAR_PX, CLEAR_PX, CLEAR_PX, cv2.BORDER_REPLICATE)
        alpha = cv2.copyMakeBorder(self.alpha, CLEAR_PX, CLEAR_PX, CLEAR_PX, CLEAR_PX, cv2.BORDER_CONSTANT, value=0)
        return np.dstack([image, alpha])


def soft_shadow(alpha: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the darkness of an object's shadow, `(h, w) float32`, 0 to 1; `alpha (h, w)`: uint8, or float 0 to 1.

    The result has the size of the alpha: pad a sprite, or pass the alpha of the whole image, to get the shadow beyond
    the object. The shadow has a dark seam around the object and a wide soft part on one side; the area under the object
    is dark, too. Raises `ValueError` for an alpha of another dimension.
    """
    if alpha.ndim != 2:
        raise ValueError(f"an alpha is (h, w), this one has the shape {alpha.shape}")
    solid = alpha.astype(np.float32) / (255.0 if alpha.dtype == np.uint8 else 1.0)
    h, w = solid.shape
    size = float(np.sqrt(max(float(solid.sum()), 1.0)))
    angle, reach = rng.uniform(0, 2 * np.pi), size * rng.uniform(0.01, 0.12)
    # A quarter of the resolution is enough for wide blurs.
    step = 4 if min(h, w) >= 64 else 1
    small = cv2.resize(solid, (max(1, w // step), max(1, h // step)), interpolation=cv2.INTER_AREA)
    move = np.array([[1, 0, reach * np.cos(angle) / step], [0, 1, reach * np.sin(angle) / step]], dtype=np.float32)
    cast = cv2.warpAffine(small, move, (small.shape[1], small.shape[0]))
    cast = cv2.GaussianBlur(cast, (0, 0), max(0.6, reach * rng.uniform(0.3, 1.0) / step))
    cast = cv2.resize(cast, (w, h), interpolation=cv2.INTER_LINEAR)
    seam = cv2.GaussianBlur(solid, (0, 0), max(0.8, size * rng.uniform(0.004, 0.015)))
    cast, seam = cast * np.float32(rng.uniform(0.15, 0.65)), seam * np.float32(rng.uniform(0.2, 0.6))
    shadow: np.ndarray = np.clip(np.maximum(cast, seam), 0, 1)
    return shadow


def shade_round(canvas: Canvas, x: float, y: float, radius: float, colour: Colour, depth: float, hollow: bool) -> None:
    """Paint a disc shaded as a bowl (`hollow`) or a dome; `depth`: contrast of the shading, 0 to 1."""
    steps = 8
    angle = canvas.rng.uniform(0, 2 * np.pi)
    lean = np.array([np.cos(angle), np.sin(angle)]) * radius * 0.35
    for i in range(steps):
        share = i / (steps - 1)
        gain = 1 + depth * ((0.5 - share) if hollow else (share - 0.5))
        centre = np.array([x, y]) + lean * share
        canvas.fill(oval(centre[0], centre[1], radius * (1 - 0.62 * share)), scaled(colour, gain))

"""Tiles drawn one by one for the classifier, each group in a new printing. No PyTorch here.

A rendered table has about a hundred tiles of one printing. A tile drawn alone takes three milliseconds, so almost every
batch shows a new printing, and every joker and number is equally frequent.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.printings.faces import BLANK, Face, bevel_shade, draw_face, number_box
from tilekeeper.datasets.synthesis.printings.printing import INKS, Printing, choices, draw_printing
from tilekeeper.datasets.synthesis.printings.typefaces import SEVENS
from tilekeeper.datasets.synthesis.surfaces.catalogue import SURFACES
from tilekeeper.vision.types import JOKER, NOT_A_TILE

FACE_PX = 64
"""Width of a drawn face."""
JOKERS, BLANKS, BETWEEN = 0.09, 0.03, 0.07
"""Shares of jokers, of face-down tiles and of places between two tiles; the rest are numbers."""

LOW, LOW_SIDES = 0.2, (0.15, 0.6)
"""Share of groups seen by a low camera, and how far the tiles' sides extend beyond the faces, in face heights."""
LINES = 0.25
"""Share of groups whose jokers are drawn in thin lines."""
RACK, LEAST_HIDDEN = 0.25, 0.1
"""Share of groups whose tiles stand on a rack, and the smallest share of a face that the row or step in front hides; it
hides at most everything below the number."""
STEP = 0.3
"""Share of tiles on a rack with the edge of a step in front of them; the others have a row of tiles there."""
DRAWN = 0.4
"""Share of groups whose figures are drawn stroke by stroke; the others use typefaces."""

Drawn = tuple[np.ndarray, int, int]
"""A stored crop `(h, w, 3) uint8`, its number (0 to 14) and its ink (-1 for none)."""


class FaceStudio:
    """Draws crops of the size `store_wh` in which the tile's corners are at `quad (4, 2)`."""

    def __init__(self, rng: np.random.Generator, store_wh: tuple[int, int], quad: np.ndarray) -> None:
        self._rng = rng
        self._wh = store_wh
        self._quad = quad.astype(np.float64)
        self._surfaces = choices("surfaces", tuple(SURFACES), "train")
        self._grounds: list[np.ndarray] = []
        self._lean: np.ndarray | None = None
        self._on_rack = False

    def draw_crops(self, count: int) -> list[Drawn]:
        """Draw `count` crops of one new printing."""
        printing = draw_printing(self._rng)
        # figures narrower and wider than in any typeface, and all kinds of seven equally often
        stretch, seven = float(np.exp(self._rng.normal(-0.05, 0.18))), SEVENS[int(self._rng.integers(len(SEVENS)))]
        figures = int(self._rng.integers(2**31)) if self._rng.random() < DRAWN else None
        printing = replace(printing, digit_stretch=stretch, seven=seven, figures=figures)
        printing = replace(printing, joker_lines=self._rng.random() < LINES)
        ground, light = self._ground(), float(self._rng.uniform(0, 2 * np.pi))
        self._lean, self._on_rack = None, bool(self._rng.random() < RACK)
        if not self._on_rack and self._rng.random() < LOW:
            way, reach = self._rng.uniform(0, 2 * np.pi), self._rng.uniform(*LOW_SIDES)
            self._lean = np.array([np.cos(way), np.sin(way)]) * reach
        return [self._draw_crop(printing, ground, light) for _ in range(count)]

    def _label(self) -> str:
        chance = self._rng.random()
        if chance < JOKERS:
            return "joker"
        if chance < JOKERS + BLANKS:
            return BLANK
        return f"{INKS[int(self._rng.integers(4))]}-{int(self._rng.integers(1, 14))}"

    def _ground(self) -> np.ndarray:
        """Return the image of a table top; a dozen are kept, and one in twenty calls replaces the oldest."""
        rng = self._rng
        if len(self._grounds) < 12 or rng.random() < 0.05:
            name = self._surfaces[int(rng.integers(len(self._surfaces)))]
            self._grounds = [*self._grounds[-11:], SURFACES[name](rng, (320, 320), float(rng.uniform(1.5, 5)))]
        return self._grounds[int(rng.integers(len(self._grounds)))]

    def _draw_crop(self, printing: Printing, ground: np.ndarray, light: float) -> Drawn:
        rng = self._rng
        width, height = self._wh
        x, y = int(rng.integers(ground.shape[1] - width)), int(rng.integers(ground.shape[0] - height))
        canvas = ground[y : y + height, x : x + width].astype(np.float32)
        size = self._quad[2] - self._quad[0]
        label = self._label()
        between = label != BLANK and rng.random() < BETWEEN
        shift = np.zeros(2)
        if between:  # the crop is centred near the gap between two tiles
            side = rng.random() < 0.75
            away = rng.uniform(0.38, 0.62) * (1 if rng.random() < 0.5 else -1)
            shift = np.array([away, rng.normal(0, 0.08)] if side else [rng.normal(0, 0.08), away])
        gap, twist = abs(rng.normal(0, 0.03)), rng.normal(0, 0.03)
        crowded = rng.random() < 0.65 or between
        for column, row in ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, 1)):
            if crowded and rng.random() < (0.7 if row == 0 else 0.25):
                steps = 1 + gap, 1 + 2 * gap + abs(rng.normal(0, 0.1))
                place = shift + np.multiply((column, row), steps)
                turn = twist + rng.normal(0, 0.02) + (np.pi if rng.random() < 0.08 else 0.0)
                self._put(canvas, printing, self._label(), self._quad + place * size, turn, light)
        self._put(canvas, printing, label, self._quad + shift * size, 0.0, light)
        if self._on_rack:
            self._hide_below(canvas, printing, label, light)
        crop = np.clip(canvas, 0, 255).astype(np.uint8)
        if between or label == BLANK:
            return crop, NOT_A_TILE, -1
        if label == "joker":
            return crop, JOKER, -1
        ink, number = label.split("-")
        return crop, int(number) - 1, INKS.index(ink)

    def _hide_below(self, canvas: np.ndarray, printing: Printing, label: str, light: float) -> None:
        """Draw the tiles of the row in front, or the edge of a step, over the lower part of the tile."""
        rng, size = self._rng, self._quad[2] - self._quad[0]
        shown = number_box(printing, label)[3] if label != BLANK else 0.5
        if shown > 1 - LEAST_HIDDEN:
            return
        top = rng.uniform(shown, 1 - LEAST_HIDDEN)
        if rng.random() < STEP:
            at = round(self._quad[0, 1] + top * size[1])
            canvas[at:] = rng.uniform(0, 255, 3) if rng.random() < 0.5 else rng.uniform(0, 120)
            return
        first = rng.uniform(-1, 0)
        for column in (first - 1, first, first + 1, first + 2):
            if rng.random() < 0.9:
                self._put(
                    canvas, printing, self._label(), self._quad + (column, top) * size, rng.normal(0, 0.02), light
                )

    def _put(
        self, canvas: np.ndarray, printing: Printing, label: str, quad: np.ndarray, turn: float, light: float
    ) -> None:
        """Draw a tile with its shadow and one of its sides."""
        rng = self._rng
        middle = quad.mean(axis=0)
        cos, sin = np.cos(turn), np.sin(turn)
        quad = (quad - middle) @ np.array([[cos, sin], [-sin, cos]]) + middle
        width = float(np.linalg.norm(quad[1] - quad[0]))
        away = np.array([np.cos(light), np.sin(light)])
        shadow = np.zeros(canvas.shape[:2], np.uint8)
        cv2.fillConvexPoly(shadow, np.round(quad + away * 0.06 * width).astype(np.int32), 255)
        soft = cv2.GaussianBlur(shadow, (0, 0), 0.05 * width + 0.5).astype(np.float32)[..., None] / 255
        canvas *= 1 - 0.5 * soft
        if self._lean is not None or rng.random() < 0.6:  # at an angle, the body shows below the face
            lean = rng.normal(0, 0.07, 2) * width * printing.thickness_mm / 8
            if self._lean is not None:
                lean = self._lean * float(np.linalg.norm(quad[2] - quad[1]))
            side = cv2.convexHull(np.concatenate([quad, quad + lean]).astype(np.float32)).astype(np.int32)
            dimmed = np.array(printing.base_bgr) * rng.uniform(0.45, 0.85)
            body = np.zeros(canvas.shape[:2], np.uint8)
            cv2.fillConvexPoly(body, side, 255, cv2.LINE_AA)
            share = body.astype(np.float32)[..., None] / 255
            canvas += share * (dimmed - canvas)
        face: Face = draw_face(printing, label, FACE_PX, int(rng.integers(2)))
        high, wide = face.alpha.shape
        shade = bevel_shade(printing, wide, high, light + np.pi - turn)[..., None]
        layers = np.dstack([_bend_print(rng, face.bgr) * shade * face.alpha[..., None], face.alpha])
        outline = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - np.float32(0.5)
        view = cv2.getPerspectiveTransform(outline, quad.astype(np.float32))
        warped = cv2.warpPerspective(layers, view, self._wh, flags=cv2.INTER_LINEAR)
        canvas *= 1 - warped[..., 3:]
        canvas += warped[..., :3]


def _bend_print(rng: np.random.Generator, bgr: np.ndarray) -> np.ndarray:
    """Distort a face's print slightly with probability 0.5, as digits that no typeface has; its edges stay straight."""
    if rng.random() < 0.5:
        return bgr
    high, wide = bgr.shape[:2]
    bend = rng.normal(0, rng.uniform(0.5, 2.2), (2, 6, 5)).astype(np.float32)
    bend[:, [0, -1]] = 0
    bend[:, :, [0, -1]] = 0
    x, y = np.meshgrid(np.arange(wide, dtype=np.float32), np.arange(high, dtype=np.float32))
    dx, dy = (cv2.resize(part, (wide, high), interpolation=cv2.INTER_CUBIC) for part in bend)
    return cv2.remap(bgr, x + dx, y + dy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)

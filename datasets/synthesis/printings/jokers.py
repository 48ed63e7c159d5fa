"""Draw the jokers of rendered tiles as ink masks: faces, stars, letters, butterflies and more."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.printings.emblems import EMBLEMS, SIZE_PX
from tilekeeper.datasets.synthesis.printings.typefaces import set_text

_SHIFT = 4


def _fixed_point(x: float, y: float) -> tuple[int, int]:
    """Convert a point from 0 to 1 of the image's side to OpenCV's fixed-point pixels with `_SHIFT` fractional bits."""
    return round(x * SIZE_PX * 2**_SHIFT), round(y * SIZE_PX * 2**_SHIFT)


def _disc(mask: np.ndarray, x: float, y: float, radius: float, ink: int = 255, line: float = -1) -> None:
    thickness = -1 if line < 0 else max(1, round(line * SIZE_PX))
    cv2.circle(mask, _fixed_point(x, y), round(radius * SIZE_PX * 2**_SHIFT), ink, thickness, cv2.LINE_AA, _SHIFT)


def _oval(
    mask: np.ndarray,
    x: float,
    y: float,
    rx: float,
    ry: float,
    angle: float = 0,
    start: float = 0,
    end: float = 360,
    ink: int = 255,
    line: float = -1,
) -> None:
    thickness = -1 if line < 0 else max(1, round(line * SIZE_PX))
    axes = round(rx * SIZE_PX * 2**_SHIFT), round(ry * SIZE_PX * 2**_SHIFT)
    cv2.ellipse(mask, _fixed_point(x, y), axes, angle, start, end, ink, thickness, cv2.LINE_AA, _SHIFT)


def _shape(mask: np.ndarray, points: list[tuple[float, float]], ink: int = 255) -> None:
    cv2.fillPoly(mask, [np.array([_fixed_point(x, y) for x, y in points], np.int32)], ink, cv2.LINE_AA, _SHIFT)


def _smile(mask: np.ndarray, rng: np.random.Generator) -> None:
    _disc(mask, 0.5, 0.5, 0.44, line=rng.uniform(0.03, 0.07))
    eye = rng.uniform(0.05, 0.09)
    for x in (0.34, 0.66):
        _oval(mask, x, 0.38, eye, eye * rng.uniform(0.8, 1.5))
    _oval(mask, 0.5, 0.52, 0.25, rng.uniform(0.16, 0.26), 0, 15, 165, line=rng.uniform(0.03, 0.06))
    _disc(mask, 0.5, 0.52, rng.uniform(0.02, 0.05))


def _grin(mask: np.ndarray, rng: np.random.Generator) -> None:
    _disc(mask, 0.5, 0.5, 0.45)
    for x in (0.33, 0.67):
        _oval(mask, x, 0.38, 0.1, rng.uniform(0.08, 0.13), ink=0)
        _disc(mask, x + 0.02, 0.4, 0.04)
    _oval(mask, 0.5, 0.56, 0.28, 0.24, 0, 0, 180, ink=0)
    _shape(mask, [(0.3, 0.61), (0.7, 0.61), (0.7, 0.65), (0.3, 0.65)])


def _star(mask: np.ndarray, rng: np.random.Generator) -> None:
    points = int(rng.integers(5, 9))
    inner = rng.uniform(0.4, 0.55)
    turn = np.pi * np.arange(2 * points) / points - np.pi / 2
    radius = np.where(np.arange(2 * points) % 2, 0.46 * inner, 0.46)
    outline = [(0.5 + r * np.cos(t), 0.5 + r * np.sin(t)) for r, t in zip(radius, turn, strict=True)]
    _shape(mask, outline)
    if rng.random() < 0.4:
        _shape(mask, [(0.5 + (x - 0.5) * 0.6, 0.5 + (y - 0.5) * 0.6) for x, y in outline], ink=0)


def _paste(mask: np.ndarray, text: np.ndarray, centre_y: float = 0.5) -> None:
    height, width = text.shape
    scale = min(1.0, 0.96 * SIZE_PX / width)
    text = cv2.resize(text, (max(1, int(width * scale)), max(1, int(height * scale))), interpolation=cv2.INTER_AREA)
    height, width = text.shape
    top, left = round(centre_y * SIZE_PX - height / 2), (SIZE_PX - width) // 2
    mask[top : top + height, left : left + width] = text


def _letter(mask: np.ndarray, rng: np.random.Generator, typeface: str) -> None:
    _paste(mask, set_text(typeface, "J", round(SIZE_PX * rng.uniform(0.6, 0.85))))
    if rng.random() < 0.4:
        _disc(mask, 0.5, 0.5, 0.46, line=0.04)


def _word(mask: np.ndarray, rng: np.random.Generator, typeface: str) -> None:
    _paste(mask, set_text(typeface, "JOKER", 60), 0.5 if rng.random() < 0.5 else 0.3)
    if rng.random() < 0.5:
        small = np.zeros_like(mask)
        _star(small, rng)
        half = cv2.resize(small, None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)
        top, left = round(0.56 * SIZE_PX), round(0.3 * SIZE_PX)
        mask[top : top + half.shape[0], left : left + half.shape[1]] = half


def _butterfly(mask: np.ndarray, rng: np.random.Generator) -> None:
    spread = rng.uniform(0.18, 0.24)
    for side in (-1, 1):
        _oval(mask, 0.5 + side * 0.22, 0.36, spread, 0.17, side * 40)
        _oval(mask, 0.5 + side * 0.18, 0.66, spread * 0.75, 0.14, -side * 40)
        _disc(mask, 0.5 + side * 0.24, 0.34, 0.06, ink=0)
        _oval(mask, 0.5 + side * 0.07, 0.18, 0.07, 0.1, 0, 180, 360, line=0.02)
    _oval(mask, 0.5, 0.5, 0.035, 0.3)


def _hat(mask: np.ndarray, rng: np.random.Generator) -> None:
    tip = rng.uniform(0.04, 0.07)
    _shape(mask, [(0.2, 0.6), (0.1, 0.2), (0.36, 0.4), (0.5, 0.1), (0.64, 0.4), (0.9, 0.2), (0.8, 0.6)])
    for x, y in ((0.1, 0.18), (0.5, 0.08), (0.9, 0.18)):
        _disc(mask, x, y, tip)
    _shape(mask, [(0.2, 0.64), (0.8, 0.64), (0.78, 0.72), (0.22, 0.72)])
    _oval(mask, 0.5, 0.76, 0.22, 0.16, 0, 0, 180, line=0.04)


def _sun(mask: np.ndarray, rng: np.random.Generator) -> None:
    rays = int(rng.integers(8, 14))
    for turn in 2 * np.pi * np.arange(rays) / rays:
        tip = (0.5 + 0.47 * np.cos(turn), 0.5 + 0.47 * np.sin(turn))
        sides = [(0.5 + 0.3 * np.cos(turn + d), 0.5 + 0.3 * np.sin(turn + d)) for d in (-0.16, 0.16)]
        _shape(mask, [tip, *sides])
    _disc(mask, 0.5, 0.5, 0.27)
    for x in (0.41, 0.59):
        _disc(mask, x, 0.45, 0.035, ink=0)
    _oval(mask, 0.5, 0.52, 0.13, 0.1, 0, 20, 160, ink=0, line=0.03)


def _moustache(mask: np.ndarray, rng: np.random.Generator) -> None:
    _oval(mask, 0.5, 0.5, 0.36, 0.45, line=rng.uniform(0.025, 0.05))
    for x in (0.37, 0.63):
        _oval(mask, x, 0.38, 0.06, 0.04)
        _oval(mask, x, 0.28, 0.09, 0.04, 0, 180, 360, line=0.03)
    for side in (-1, 1):
        _oval(mask, 0.5 + side * 0.11, 0.6, 0.14, 0.05, side * 15)
    _oval(mask, 0.5, 0.72, 0.1, 0.05, 0, 0, 180)


def _twins(mask: np.ndarray, rng: np.random.Generator) -> None:
    _shape(mask, [(0.1, 0.1), (0.9, 0.1), (0.5, 0.5)])
    _shape(mask, [(0.1, 0.9), (0.9, 0.9), (0.5, 0.5)])
    _disc(mask, 0.5, 0.5, rng.uniform(0.1, 0.18), ink=0)
    _disc(mask, 0.5, 0.5, 0.07)


_DRAW: dict[str, Callable[[np.ndarray, np.random.Generator], None]] = {
    "smile": _smile, "grin": _grin, "star": _star, "butterfly": _butterfly,
    "hat": _hat, "sun": _sun, "moustache": _moustache, "twins": _twins,
}  # fmt: skip


def line_drawing(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the outlines of a joker's mask, in lines of 2 to 5 % of its width."""
    width = max(2, round(rng.uniform(0.02, 0.05) * SIZE_PX))
    lines: np.ndarray = cv2.morphologyEx(
        mask, cv2.MORPH_GRADIENT, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
    )
    return lines


def joker_mask(name: str, typeface: str, rng: np.random.Generator) -> np.ndarray:
    """Draw the joker `name` (one of `printing.JOKERS`): `(SIZE_PX, SIZE_PX) uint8`, 255 where there is ink."""
    if name in EMBLEMS:
        return EMBLEMS[name](rng)
    mask = np.zeros((SIZE_PX, SIZE_PX), np.uint8)
    if name == "letter":
        _letter(mask, rng, typeface)
    elif name == "word":
        _word(mask, rng, typeface)
    else:
        _DRAW[name](mask, rng)
    return mask

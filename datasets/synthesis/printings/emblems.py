"""Random emblems for jokers and suit signs: figures, blobs and rosettes.

A maker of tiles can print any shape as a joker. After training on thousands of random shapes, the classifier labels an
unknown shape as a joker, and not as the number that it resembles most.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

SIZE_PX = 192
_SHIFT = 4


def _fixed(points: np.ndarray) -> np.ndarray:
    """Convert points from 0 to 1 of the image's side to OpenCV's fixed-point pixels, int32 with `_SHIFT` bits."""
    fixed: np.ndarray = np.round(points * SIZE_PX * 2**_SHIFT).astype(np.int32)
    return fixed


def _fill(mask: np.ndarray, points: np.ndarray, ink: int = 255) -> None:
    cv2.fillPoly(mask, [_fixed(points)], ink, cv2.LINE_AA, _SHIFT)


def _wave(rng: np.random.Generator, turn: np.ndarray, terms: int) -> np.ndarray:
    """Return the radii, about 1, of a random smooth closed curve at the angles `turn`."""
    radius = np.ones_like(turn)
    for term in range(1, terms + 1):
        radius += rng.normal(0, 0.45 / term) * np.cos(term * turn + rng.uniform(0, 2 * np.pi))
    bounded: np.ndarray = np.clip(radius, 0.25, 2.2)
    return bounded


def _mirrored(mask: np.ndarray) -> np.ndarray:
    """Replace the right half of a mask by the mirror image of its left half."""
    left = mask[:, : SIZE_PX // 2]
    return np.hstack([left, left[:, ::-1]])


def blob(rng: np.random.Generator) -> np.ndarray:
    """Return the mask of a rounded shape with holes, usually with mirror symmetry."""
    mask = np.zeros((SIZE_PX, SIZE_PX), np.uint8)
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    radius = _wave(rng, turn, int(rng.integers(3, 8)))
    shape = np.column_stack([np.cos(turn), np.sin(turn)]) * radius[:, None]
    _fill(mask, 0.5 + 0.46 * shape / np.abs(shape).max())
    for _ in range(int(rng.integers(0, 5))):
        hole = np.column_stack([np.cos(turn), np.sin(turn)]) * (0.04 + 0.1 * rng.random()) * rng.uniform(0.5, 1.5, 2)
        _fill(mask, hole + rng.uniform(0.2, 0.8, 2), 0)
    return _mirrored(mask) if rng.random() < 0.75 else mask


def rosette(rng: np.random.Generator) -> np.ndarray:
    """Return the mask of a shape with rotational symmetry: flowers, suns, crosses, cogs."""
    mask = np.zeros((SIZE_PX, SIZE_PX), np.uint8)
    folds = int(rng.integers(2, 13))
    turn = np.linspace(0, 2 * np.pi, 240, endpoint=False)
    part = np.abs(((turn * folds / (2 * np.pi)) % 1) - 0.5) * 2
    low, sharp = rng.uniform(0.25, 0.8), float(np.exp(rng.normal(0, 0.7)))
    radius = low + (1 - low) * part**sharp
    if rng.random() < 0.3:
        radius = np.where(part > rng.uniform(0.3, 0.7), 1.0, low)
    tilt = -np.pi / 2 if rng.random() < 0.7 else rng.uniform(0, 2 * np.pi)
    shape = np.column_stack([np.cos(turn + tilt), np.sin(turn + tilt)]) * radius[:, None]
    _fill(mask, 0.5 + 0.47 * shape)
    if rng.random() < 0.5:
        inner = rng.uniform(0.2, 0.85)
        _fill(mask, 0.5 + 0.47 * inner * (shape if rng.random() < 0.5 else shape / radius[:, None] * low), 0)
        if rng.random() < 0.5:
            _fill(mask, 0.5 + 0.47 * inner * rng.uniform(0.3, 0.8) * low * shape / radius[:, None])
    return mask


def figure(rng: np.random.Generator) -> np.ndarray:
    """Return the mask of a mostly symmetric combination of discs, bars, polygons, arcs and rings, such as a crown."""
    mask = np.zeros((SIZE_PX, SIZE_PX), np.uint8)
    line = float(rng.uniform(0.03, 0.1))
    for _ in range(int(rng.integers(3, 9))):
        ink = 0 if mask.any() and rng.random() < 0.3 else 255
        kind = rng.random()
        centre = np.array([rng.uniform(0.1, 0.55), rng.uniform(0.12, 0.88)])
        size = rng.uniform(0.05, 0.32, 2) * (0.6 if ink == 0 else 1.0)
        if rng.random() < 0.35:
            centre[0] = 0.5
        if kind < 0.35:
            thickness = -1 if rng.random() < 0.6 else max(1, round(line * SIZE_PX))
            start = 0.0 if rng.random() < 0.6 else rng.uniform(0, 360)
            end = start + (360.0 if start == 0.0 else rng.uniform(90, 270))
            axes = tuple(int(v) for v in _fixed(size))
            spot = tuple(int(v) for v in _fixed(centre))
            cv2.ellipse(mask, spot, axes, rng.uniform(-60, 60), start, end, ink, thickness, cv2.LINE_AA, _SHIFT)
        elif kind < 0.75:
            corners = int(rng.integers(3, 6))
            turn = np.sort(rng.uniform(0, 2 * np.pi, corners))
            _fill(mask, centre + np.column_stack([np.cos(turn), np.sin(turn)]) * size, ink)
        else:
            ends = _fixed(np.clip([centre, centre + rng.normal(0, 0.25, 2)], 0.04, 0.96))
            width = max(1, round(line * SIZE_PX))
            first, last = (tuple(int(v) for v in end) for end in ends)
            cv2.line(mask, first, last, ink, width, cv2.LINE_AA, _SHIFT)
    return _filled_out(_mirrored(mask) if rng.random() < 0.85 else mask)


def _filled_out(mask: np.ndarray) -> np.ndarray:
    """Enlarge the drawn part until it fills the image except for a margin; an empty mask becomes a disc."""
    ys, xs = np.nonzero(mask > 60)
    if len(xs) < 400:
        mask[:] = 0
        cv2.circle(mask, (SIZE_PX // 2, SIZE_PX // 2), SIZE_PX // 3, 255, -1, cv2.LINE_AA)
        return mask
    part = mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
    scale = 0.94 * SIZE_PX / max(part.shape)
    size = max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale))
    part = cv2.resize(part, size, interpolation=cv2.INTER_LINEAR)
    filled = np.zeros_like(mask)
    top, left = (SIZE_PX - size[1]) // 2, (SIZE_PX - size[0]) // 2
    filled[top : top + size[1], left : left + size[0]] = part
    return filled


EMBLEMS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {"figure": figure, "blob": blob, "rosette": rosette}

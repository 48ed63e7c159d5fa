"""Draw the face of one tile of a printing, seen from straight above in even light."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.printings.emblems import EMBLEMS
from tilekeeper.datasets.synthesis.printings.jokers import joker_mask, line_drawing
from tilekeeper.datasets.synthesis.printings.printing import INKS, Printing
from tilekeeper.datasets.synthesis.printings.typefaces import atlas, set_text

BLANK = "blank"
"""The label of a face-down tile: a body without print."""


@dataclass(frozen=True, slots=True)
class Face:
    """An image of a face: `bgr (h, w, 3) float32`, 0 to 255; `alpha (h, w) float32`, 0 to 1, with round corners."""

    bgr: np.ndarray
    alpha: np.ndarray


def rounded(width: int, height: int, radius: float) -> np.ndarray:
    """Return the coverage `(height, width) float32`, 0 to 1, of a rectangle with round corners."""
    x = np.abs(np.arange(width) + 0.5 - width / 2) - (width / 2 - radius)
    y = np.abs(np.arange(height) + 0.5 - height / 2) - (height / 2 - radius)
    outside = np.hypot(np.maximum(x, 0)[None], np.maximum(y, 0)[:, None])
    distance = outside + np.minimum(np.maximum(x[None], y[:, None]), 0) - radius
    cover: np.ndarray = np.clip(0.5 - distance, 0, 1).astype(np.float32)
    return cover


def _place(canvas: np.ndarray, mask: np.ndarray, centre_x: float, centre_y: float) -> None:
    """Add `mask` to `canvas` (both uint8), centred at a point and clipped at the edges, by the maximum."""
    height, width = mask.shape
    left, top = round(centre_x - width / 2), round(centre_y - height / 2)
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + width, canvas.shape[1]), min(top + height, canvas.shape[0])
    if x0 < x1 and y0 < y1:
        part = canvas[y0:y1, x0:x1]
        np.maximum(part, mask[y0 - top : y1 - top, x0 - left : x1 - left], out=part)


def _heavier(text: np.ndarray, by_px: float) -> np.ndarray:
    """Make the strokes of a text mask thicker by `by_px` pixels at each edge, or thinner if it is negative."""
    if abs(by_px) < 0.1:
        return text
    grow = cv2.dilate if by_px > 0 else cv2.erode
    room = int(np.ceil(abs(by_px))) if by_px > 0 else 0
    text = cv2.copyMakeBorder(text, 0, 0, room, room, cv2.BORDER_CONSTANT, value=0)
    whole, part = int(abs(by_px)), abs(by_px) % 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * whole + 1, 2 * whole + 1))
    wider = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * whole + 3, 2 * whole + 3))
    edge = cv2.BORDER_CONSTANT if by_px > 0 else cv2.BORDER_REPLICATE
    less, more = grow(text, disc, borderType=edge), grow(text, wider, borderType=edge)
    return cv2.addWeighted(less, 1 - part, more, part, 0)


def _leaning(text: np.ndarray, slant: float) -> np.ndarray:
    """Shear a text mask to the right by `slant`, the tangent of the angle."""
    if not slant:
        return text
    height, width = text.shape
    extra = int(np.ceil(abs(slant) * height))
    shear = np.array([[1, -slant, slant * (height - 1) if slant > 0 else 0], [0, 1, 0]], np.float64)
    return cv2.warpAffine(text, shear, (width + extra, height), flags=cv2.INTER_LINEAR)


def _sign_mask(name: str, size: int, seed: int = 0) -> np.ndarray:
    if name in EMBLEMS:
        return cv2.resize(EMBLEMS[name](np.random.default_rng(seed)), (size, size), interpolation=cv2.INTER_AREA)
    mask = np.zeros((size, size), np.uint8)
    half = size / 2
    outlines = {
        "triangle": [(half, 0), (size - 1, size - 1), (0, size - 1)],
        "square": [(1, 1), (size - 2, 1), (size - 2, size - 2), (1, size - 2)],
        "diamond": [(half, 0), (size - 1, half), (half, size - 1), (0, half)],
    }
    if name == "disc":
        cv2.circle(mask, (size // 2, size // 2), max(1, size // 2 - 1), 255, -1, cv2.LINE_AA)
    elif name == "ring":
        cv2.circle(mask, (size // 2, size // 2), max(1, size // 2 - 2), 255, max(1, size // 6), cv2.LINE_AA)
    elif name == "heart":
        for x in (0.28, 0.72):
            cv2.circle(mask, (int(size * x), int(size * 0.32)), max(1, int(size * 0.26)), 255, -1, cv2.LINE_AA)
        lower = np.array([(size * 0.04, size * 0.42), (size * 0.96, size * 0.42), (half, size - 1)], np.int32)
        cv2.fillPoly(mask, [lower], 255, cv2.LINE_AA)
    else:
        cv2.fillPoly(mask, [np.array(outlines[name], np.int32)], 255, cv2.LINE_AA)
    return mask


def _print_mask(printing: Printing, label: str, width: int, height: int, seed: int) -> np.ndarray:
    """Return the ink mask `(height, width) uint8` of the number, with its mark and sign, or of the joker."""
    mask = np.zeros((height, width), np.uint8)
    centre_y = printing.digit_centre_of_height * height
    if label == "joker":
        size = round(min(width * printing.joker_scale, height * 0.62))
        chance = np.random.default_rng([printing.joker_seed, seed])
        drawn = joker_mask(printing.joker, printing.typeface, chance)
        if printing.joker_lines:
            drawn = line_drawing(drawn, chance)
        drawn = cv2.resize(
            drawn, (size, size), interpolation=cv2.INTER_AREA if size < drawn.shape[0] else cv2.INTER_CUBIC
        )
        _place(mask, drawn, width / 2, max(centre_y, size / 2 + 0.05 * height))
        return mask
    ink, number = label.split("-")
    digit_height = round(printing.digit_height_of_height * height)
    text = set_text(printing.typeface, number, digit_height, printing.tracking, printing.seven, printing.figures)
    text_width = min(round(text.shape[1] * printing.digit_stretch), round(width * 0.84))
    text = cv2.resize(text, (max(2, text_width), digit_height), interpolation=cv2.INTER_AREA)
    text = _leaning(_heavier(text, printing.weight * digit_height), printing.slant)
    centre_y = max(centre_y, digit_height / 2 + 0.06 * height)
    _place(mask, text, width / 2, centre_y)
    below = centre_y + digit_height / 2
    if number in ("6", "9") and printing.mark != "none":
        size = max(2, round(0.07 * height))
        if printing.mark == "dot":
            mark = _sign_mask("disc", size)
            _place(
                mask,
                mark,
                width / 2 + text_width * 0.75 if seed % 2 else width / 2,
                below + (0 if seed % 2 else size * 1.1),
            )
        else:
            bar = np.full(
                (max(1, size // 3), round(text_width * (0.5 if printing.mark == "bar-short" else 1.0))), 255, np.uint8
            )
            _place(mask, bar, width / 2, below + size * 0.8)
        below += 1.6 * size
    if printing.sign != "none":
        name = printing.sign
        if printing.sign_by_ink:
            name = ("disc", "triangle", "square", printing.sign)[INKS.index(ink)]
        size = max(3, round(0.13 * height))
        _place(mask, _sign_mask(name, size, printing.joker_seed), width / 2, min(below + size * 0.9, height * 0.9))
    return mask


def _relief(bgr: np.ndarray, height_map: np.ndarray, strength: float) -> None:
    """Shade `bgr` in place by a height map (0 to 1) that is lit from the upper left."""
    dx = cv2.Sobel(height_map, cv2.CV_32F, 1, 0, ksize=3)
    dy = cv2.Sobel(height_map, cv2.CV_32F, 0, 1, ksize=3)
    bgr += np.clip((dx + dy) * strength, -60, 45)[..., None]


def draw_face(printing: Printing, label: str, width_px: int, seed: int = 0) -> Face:
    """Draw the face of a tile; `label`: "red-7", "joker" or `BLANK`; `seed`: varies the two copies of a tile."""
    width, height = width_px, round(width_px * printing.height_mm / printing.width_mm)
    rng = np.random.default_rng(seed)
    bgr = np.empty((height, width, 3), np.float32)
    bgr[:] = printing.base_bgr
    alpha = rounded(width, height, printing.corner_of_width * width)
    unit = width / 100
    if printing.dimple != "none" and label != BLANK:
        recess: np.ndarray = np.zeros((height, width), np.float32)
        centre = (width // 2, round(printing.digit_centre_of_height * height))
        radius = round(0.42 * width)
        if printing.dimple == "square":
            corner = (
                np.array([centre[0] - radius, centre[1] - radius]),
                np.array([centre[0] + radius, centre[1] + radius]),
            )
            cv2.rectangle(recess, tuple(map(int, corner[0])), tuple(map(int, corner[1])), 1.0, -1, cv2.LINE_AA)
        else:
            line = -1 if printing.dimple == "recess" else max(1, round(2.5 * unit))
            cv2.circle(recess, centre, radius, 1.0, line, cv2.LINE_AA)
        recess = cv2.GaussianBlur(recess, (0, 0), max(0.6, 1.4 * unit))
        _relief(bgr, -recess, 26 * printing.dimple_strength)
        bgr -= recess[..., None] * 4 * printing.dimple_strength
    if printing.wordmark_style != "none" and label != BLANK:
        word = atlas()[f"{printing.typeface}/*{printing.wordmark}"]
        mark_height = max(3, round(0.09 * height))
        mark_width = min(round(word.shape[1] * mark_height / word.shape[0]), round(0.8 * width))
        canvas = np.zeros((height, width), np.uint8)
        _place(
            canvas,
            cv2.resize(word, (max(3, mark_width), mark_height), interpolation=cv2.INTER_AREA),
            width / 2,
            0.86 * height,
        )
        share = canvas.astype(np.float32) / 255
        if printing.wordmark_style == "embossed":
            _relief(bgr, cv2.GaussianBlur(share, (0, 0), max(0.5, 0.7 * unit)), 18)
        else:
            bgr += share[..., None] * 0.6 * (np.array([120, 110, 110], np.float32) - bgr)
    if label != BLANK:
        ink_mask = _print_mask(printing, label, width, height, seed).astype(np.float32) / 255
        ink = printing.joker_inks[seed % 2] if label == "joker" else INKS.index(label.split("-")[0])
        if printing.engraved:
            _relief(bgr, -cv2.GaussianBlur(ink_mask, (0, 0), max(0.5, unit)), 20 * printing.engraved)
        colour = np.array(printing.inks_bgr[ink], np.float32) + rng.normal(0, 3, 3).astype(np.float32)
        bgr += ink_mask[..., None] * (colour - bgr) * 0.97
    if printing.frame:
        inner = 0.06 * width
        border = rounded(width, height, 0.1 * width)
        cv2.rectangle(
            border,
            (round(inner), round(inner)),
            (width - round(inner), height - round(inner)),
            0.0,
            max(1, round(unit * 1.5)),
            cv2.LINE_AA,
        )
        bgr *= (1 - printing.frame * 0.5 * (1 - border) * alpha)[..., None]
    return Face(np.clip(bgr, 0, 255), alpha)


def number_box(printing: Printing, label: str) -> tuple[float, float, float, float]:
    """Return the box of the number or joker on a face: left, top, right, bottom, as shares of width and height."""
    height, margin = printing.digit_height_of_height, 0.06
    half_w = 0.36 if len(label.split("-")[-1]) > 1 else 0.22
    if label == "joker":
        half_w, margin = printing.joker_scale / 2, 0.05
        height = min(printing.joker_scale * printing.width_mm / printing.height_mm, 0.62)
    middle = max(printing.digit_centre_of_height, height / 2 + margin)
    return 0.5 - half_w, middle - height / 2, 0.5 + half_w, middle + height / 2


def bevel_shade(printing: Printing, width: int, height: int, light_angle: float) -> np.ndarray:
    """Return the gain `(height, width) float32`, about 1, of bevelled edges lit from an angle in radians."""
    bevel = max(1.0, printing.bevel_of_width * width)
    x, y = np.arange(width) + 0.5, np.arange(height) + 0.5
    left, right = np.clip(1 - x / bevel, 0, 1), np.clip(1 - (width - x) / bevel, 0, 1)
    top, bottom = np.clip(1 - y / bevel, 0, 1), np.clip(1 - (height - y) / bevel, 0, 1)
    cos, sin = np.cos(light_angle), np.sin(light_angle)
    slope = (right - left)[None] * cos + (bottom - top)[:, None] * sin
    gain: np.ndarray = (1 + 0.16 * slope).astype(np.float32)
    return gain

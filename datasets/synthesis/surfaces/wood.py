"""Wooden table tops: solid boards, planks, parquet, laminate and cork, drawn from distorted growth rings and fibres."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.noise import (
    Colour,
    any_colour,
    draw_rotated,
    fractal,
    grain,
    hsv,
    mix,
    paint,
    relight,
    scaled,
    white,
)


def board(
    rng: np.random.Generator,
    wh: tuple[int, int],
    px_per_mm: float,
    stops: Sequence[Colour],
    contrast: float = 1.0,
    knots: int = 0,
) -> np.ndarray:
    """Return wood with horizontal grain, BGR `(h, w, 3) uint8`; `stops`: colours from late wood to early wood."""
    w, h = wh
    half = (max(2, w // 2), max(2, h // 2))
    step_x, step_y = w / half[0] / px_per_mm, h / half[1] / px_per_mm
    x_mm = (np.arange(half[0], dtype=np.float32) * step_x)[None, :]
    y_mm = (np.arange(half[1], dtype=np.float32) * step_y)[:, None]
    reach_mm = float(rng.uniform(4, 22))
    warp = fractal(rng, half, (rng.uniform(120, 400) / step_x, rng.uniform(20, 80) / step_y), 4, 0.45)
    # A board cut near the heart of the tree has arched rings, one cut far from it nearly straight lines.
    centre_x, centre_y = rng.uniform(-0.3, 1.3) * w / px_per_mm, rng.uniform(-0.8, 1.8) * h / px_per_mm
    stretch = rng.uniform(5, 16)
    rings_mm = np.hypot((x_mm - centre_x) / stretch, y_mm - centre_y).astype(np.float32) + reach_mm * warp
    for _ in range(knots):
        knot_x, knot_y = rng.uniform(0, w) / px_per_mm, rng.uniform(0, h) / px_per_mm
        radius = rng.uniform(5, 18)
        away = ((x_mm - knot_x) / (2.2 * radius)) ** 2 + ((y_mm - knot_y) / radius) ** 2
        rings_mm += np.float32(rng.uniform(10, 30)) * np.exp(-away)
    ring_mm = rng.uniform(2.0, 9.0)
    profile = cv2.GaussianBlur(rng.random((1, 1024), dtype=np.float32), (0, 0), 2.0).ravel()
    saw = (np.arange(1024) % 16 / 16.0).astype(np.float32) ** 2
    profile = (profile - profile.mean()) / profile.std() * 0.16 + 0.5 + 0.25 * (saw - 0.33)
    values = profile[(rings_mm * (16.0 / ring_mm)).astype(np.int32) & 1023]
    values += 0.10 * fractal(rng, half, (300 / step_x, 40 / step_y), 3)
    values = cv2.resize(values, wh, interpolation=cv2.INTER_LINEAR)
    fibre = cv2.resize(white(rng, (max(2, int(w / (rng.uniform(8, 30) * px_per_mm)) + 2), h)), wh)
    values = cv2.addWeighted(
        values, contrast, fibre, rng.uniform(0.03, 0.09) * (0.5 + 0.5 * contrast), 0.5 - contrast / 2
    )
    return paint(values, stops, 0.1, 0.9)


def _stops(
    rng: np.random.Generator,
    hue: tuple[float, float],
    sat: tuple[float, float],
    val: tuple[float, float],
    depth: tuple[float, float] = (0.5, 0.75),
) -> list[Colour]:
    """Sample three tones of one wood, dark to light; `depth`: brightness of late wood relative to early wood."""
    tone, s, v = rng.uniform(*hue), rng.uniform(*sat), rng.uniform(*val)
    deep = rng.uniform(*depth)
    return [hsv(tone - 4, s * 1.12, v * deep), hsv(tone, s, v * (deep + 1) / 2), hsv(tone + 3, s * 0.92, v)]


def walnut(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a solid walnut or mahogany top."""
    stops = _stops(rng, (8, 26), (0.45, 0.7), (0.3, 0.62), (0.4, 0.7))
    return draw_rotated(
        rng, wh, lambda size: board(rng, size, px_per_mm, stops, rng.uniform(0.7, 1.3), int(rng.integers(3)))
    )


def oak(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a light oak, ash or beech top with open pores."""
    stops = _stops(rng, (22, 36), (0.25, 0.55), (0.62, 0.95), (0.62, 0.85))

    def draw(size: tuple[int, int]) -> np.ndarray:
        image = board(rng, size, px_per_mm, stops, rng.uniform(0.5, 1.1))
        pores = fractal(rng, size, (max(2.0, 7 * px_per_mm), max(1.0, 0.5 * px_per_mm)), 2)
        return relight(image, 1.0 - rng.uniform(0.08, 0.25) * np.clip(pores - 1.2, 0, 1))

    return draw_rotated(rng, wh, draw)


def lay_planks(
    rng: np.random.Generator,
    wood: np.ndarray,
    plank_px: float,
    length_px: float,
    gap_px: float,
    gap_colour: Colour,
    tone: float,
) -> np.ndarray:
    """Cut an image of wood into staggered planks, each with another part of the image and its own tone; same shape.

    `tone`: standard deviation of a plank's brightness.
    """
    h, w = wood.shape[:2]
    out = np.empty_like(wood)
    gap = max(1, round(gap_px))
    y = -rng.uniform(0, plank_px)
    while y < h:
        top, bottom = max(0, round(y)), min(h, round(y + plank_px))
        y += plank_px
        if bottom <= top:
            continue
        x = -rng.uniform(0, length_px)
        while x < w:
            left, right = max(0, round(x)), min(w, round(x + length_px))
            x += length_px * rng.uniform(0.7, 1.0)
            right = min(w, max(right, left + 1)) if x >= w else min(w, max(left + 1, round(x)))
            if right <= left or left >= w:
                continue
            from_y, from_x = int(rng.integers(0, h - (bottom - top) + 1)), int(rng.integers(0, w - (right - left) + 1))
            piece = wood[from_y : from_y + bottom - top, from_x : from_x + right - left]
            if rng.random() < 0.5:
                piece = piece[:, ::-1]
            out[top:bottom, left:right] = cv2.convertScaleAbs(
                piece, alpha=float(np.clip(rng.normal(1, tone), 0.6, 1.4))
            )
            if gap_px > 0:
                cv2.line(out, (left, top), (left, bottom), gap_colour, max(1, gap // 2), cv2.LINE_AA)
        if gap_px > 0:
            cv2.line(out, (0, top), (w, top), gap_colour, gap, cv2.LINE_AA)
    return out


def pine_planks(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return knotty pine planks with fine joints."""
    stops = _stops(rng, (24, 38), (0.35, 0.6), (0.75, 1.0), (0.6, 0.85))

    def draw(size: tuple[int, int]) -> np.ndarray:
        wood = board(rng, size, px_per_mm, stops, rng.uniform(0.6, 1.2), int(rng.integers(3, 9)))
        return lay_planks(
            rng,
            wood,
            rng.uniform(70, 160) * px_per_mm,
            rng.uniform(900, 2500) * px_per_mm,
            rng.uniform(0.5, 2) * px_per_mm,
            scaled(stops[0], 0.5),
            0.05,
        )

    return draw_rotated(rng, wh, draw)


def dark_planks(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return dark stained or weathered planks with open gaps, as of a garden table."""
    stops = _stops(rng, (5, 40), (0.1, 0.6), (0.2, 0.5), (0.35, 0.7))

    def draw(size: tuple[int, int]) -> np.ndarray:
        wood = board(rng, size, px_per_mm, stops, rng.uniform(0.8, 1.5), int(rng.integers(3)))
        return lay_planks(
            rng,
            wood,
            rng.uniform(35, 140) * px_per_mm,
            rng.uniform(700, 3000) * px_per_mm,
            rng.uniform(2, 9) * px_per_mm,
            hsv(25, 0.3, rng.uniform(0.0, 0.12)),
            0.1,
        )

    return draw_rotated(rng, wh, draw)


def painted_planks(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return painted planks, some worn down to the wood."""
    colour = any_colour(rng, (0.0, 0.45), (0.45, 1.0))
    stops = [scaled(colour, 0.86), colour, scaled(colour, 1.05)]

    def draw(size: tuple[int, int]) -> np.ndarray:
        image = board(rng, size, px_per_mm, stops, rng.uniform(0.3, 0.8))
        if rng.random() < 0.5:
            under = board(rng, size, px_per_mm, _stops(rng, (20, 35), (0.3, 0.5), (0.35, 0.7)), 1.0)
            worn = fractal(rng, size, (60 * px_per_mm, 8 * px_per_mm), 5, 0.7) > rng.uniform(0.9, 2.2)
            cv2.copyTo(under, worn.astype(np.uint8), image)
        return lay_planks(
            rng,
            image,
            rng.uniform(60, 160) * px_per_mm,
            rng.uniform(900, 3000) * px_per_mm,
            rng.uniform(1, 5) * px_per_mm,
            scaled(colour, rng.uniform(0.2, 0.6)),
            0.03,
        )

    return draw_rotated(rng, wh, draw)


def laminate(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return printed laminate: flat, even, grey to brown."""
    stops = _stops(rng, (10, 45), (0.05, 0.45), (0.35, 0.95), (0.75, 0.93))
    image = draw_rotated(rng, wh, lambda size: board(rng, size, px_per_mm, stops, rng.uniform(0.3, 0.9)))
    return grain(rng, image, rng.uniform(0, 2.5))


def butcher_block(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return glued strips of various tones, some of which have about the size of a tile."""
    stops = _stops(rng, (14, 36), (0.3, 0.6), (0.5, 0.95), (0.6, 0.85))

    def draw(size: tuple[int, int]) -> np.ndarray:
        wood = board(rng, size, px_per_mm, stops, rng.uniform(0.4, 0.9))
        return lay_planks(
            rng,
            wood,
            rng.uniform(18, 50) * px_per_mm,
            rng.uniform(60, 500) * px_per_mm,
            rng.uniform(0.0, 0.5) * px_per_mm,
            scaled(stops[0], 0.8),
            rng.uniform(0.06, 0.16),
        )

    return draw_rotated(rng, wh, draw)


def herringbone(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return herringbone parquet."""
    stops = _stops(rng, (12, 36), (0.25, 0.6), (0.35, 0.9), (0.6, 0.85))
    short = max(3, round(rng.uniform(20, 70) * px_per_mm))
    count = int(rng.integers(3, 7))
    tone = rng.uniform(0.05, 0.15)
    joint = scaled(stops[0], rng.uniform(0.3, 0.8))

    def draw(size: tuple[int, int]) -> np.ndarray:
        w, h = size
        wood = board(rng, (max(w, h), max(w, h)), px_per_mm, stops, rng.uniform(0.5, 1.1))
        upright = cv2.rotate(wood, cv2.ROTATE_90_CLOCKWISE)
        out = wood[:h, :w].copy()
        long = short * count
        side = max(w, h)
        # Along each diagonal, every horizontal stave has a vertical one at its end.
        for i in range(-(h // short) - 2 * count, (w + h) // short + count):
            for j in range(-count * 2, (w + h) // (2 * long) + count):
                x, y = i * short + j * long, (j * long - i * short) * -1
                for source, at_x, at_y, stave_w, stave_h in (
                    (wood, x, y, long, short),
                    (upright, x + long, y + short - long, short, long),
                ):
                    left, top, right, bottom = (
                        max(at_x, 0),
                        max(at_y, 0),
                        min(at_x + stave_w, w),
                        min(at_y + stave_h, h),
                    )
                    if right <= left or bottom <= top:
                        continue
                    sx, sy = (
                        int(rng.integers(0, side - (right - left) + 1)),
                        int(rng.integers(0, side - (bottom - top) + 1)),
                    )
                    piece = source[sy : sy + bottom - top, sx : sx + right - left]
                    out[top:bottom, left:right] = cv2.convertScaleAbs(
                        piece, alpha=float(np.clip(rng.normal(1, tone), 0.6, 1.4))
                    )
                    cv2.rectangle(out, (at_x, at_y), (at_x + stave_w - 1, at_y + stave_h - 1), joint, 1)
        return out

    return draw_rotated(rng, wh, draw)


def cork(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return cork or pressed board: brown crumbs, light and dark."""
    light = hsv(rng.uniform(22, 36), rng.uniform(0.35, 0.6), rng.uniform(0.55, 0.9))
    dark = scaled(light, rng.uniform(0.3, 0.6))
    crumbs = fractal(rng, wh, max(3.0, rng.uniform(2, 6) * px_per_mm), 3, 0.6)
    crumbs += 0.35 * fractal(rng, wh, 60 * px_per_mm, 2)
    return grain(
        rng, paint(crumbs, [dark, mix(dark, light, 0.8), light, scaled(light, 1.12)], -2.6, 2.6), rng.uniform(1, 5)
    )

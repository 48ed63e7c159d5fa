"""Stone and ceramic table tops: marble, granite, slate, concrete, terrazzo, and tiled tops with grout.

Tiled tops are the most important ones, because blank light rectangles of a game tile's size must not be detected.
"""

from __future__ import annotations

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
    plain,
    relight,
    scaled,
    white,
)


def _veined(
    rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float, base: list[Colour], vein: Colour, strength: float
) -> np.ndarray:
    """Return clouded stone with thin veins that fade in and out; `strength`: their opacity, 0 to 1."""
    w, h = wh
    half = (max(2, w // 2), max(2, h // 2))
    px = px_per_mm / 2
    image = paint(cv2.resize(fractal(rng, half, rng.uniform(60, 250) * px, 5, 0.6), wh), base, -2.2, 2.2)
    slope = rng.uniform(0, np.pi)
    x = np.arange(half[0], dtype=np.float32)[None, :]
    y = np.arange(half[1], dtype=np.float32)[:, None]
    along = (x * np.float32(np.cos(slope)) + y * np.float32(np.sin(slope))) / np.float32(px)
    ink = np.zeros((half[1], half[0]), np.float32)
    for _ in range(int(rng.integers(2, 5))):
        spacing_mm = rng.uniform(60, 260)
        field = along / spacing_mm + rng.uniform(0.25, 0.7) * fractal(rng, half, rng.uniform(80, 260) * px, 6, 0.5)
        distance = np.abs(field - np.rint(field + rng.uniform(0, 1)) + rng.uniform(-0.2, 0.2))
        width = rng.uniform(0.006, 0.035)
        comes = np.clip(fractal(rng, half, rng.uniform(60, 200) * px, 3) * 0.6 + 0.4, 0, 1)
        line = np.exp(-distance / width) * comes * rng.uniform(0.4, 1.0)
        ink = np.maximum(ink, line.astype(np.float32))
    alpha = cv2.resize(ink, wh, interpolation=cv2.INTER_LINEAR) * np.float32(strength)
    colour = plain((w, h), vein)
    return cv2.blendLinear(image, colour, 1 - alpha, alpha)


def white_marble(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return white or cream marble with grey, brown or gold veins."""
    tint, s, v = rng.uniform(20, 230), rng.uniform(0.0, 0.1), rng.uniform(0.78, 1.0)
    light = hsv(tint, s, v)
    vein = hsv(rng.choice([30, 40, 220]), rng.uniform(0.05, 0.5), rng.uniform(0.2, 0.6))
    image = _veined(
        rng, wh, px_per_mm, [scaled(light, rng.uniform(0.82, 0.96)), light, light], vein, rng.uniform(0.4, 1)
    )
    return grain(rng, image, rng.uniform(0, 3))


def dark_marble(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return black, green, red or brown marble with light veins."""
    dark = any_colour(rng, (0.0, 0.5), (0.05, 0.45))
    vein = mix(any_colour(rng, (0, 0.4), (0.7, 1)), (235, 240, 245), 0.5)
    image = _veined(rng, wh, px_per_mm, [scaled(dark, 0.7), dark, scaled(dark, 1.35)], vein, rng.uniform(0.4, 1))
    return grain(rng, image, rng.uniform(0, 3))


def granite(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return polished granite: patches of three or four minerals and bright or dark specks."""
    base = any_colour(rng, (0.0, 0.35), (0.15, 0.85))
    image = paint(
        fractal(rng, wh, rng.uniform(8, 40) * px_per_mm, 5, 0.7), [scaled(base, 0.7), base, scaled(base, 1.25)], -2, 2
    )
    for _ in range(int(rng.integers(2, 4))):
        mineral = mix(any_colour(rng, (0, 0.5), (0.0, 1.0)), base, rng.uniform(0, 0.4))
        patches = fractal(rng, wh, max(2.5, rng.uniform(1.5, 7) * px_per_mm), 2, 0.7)
        image[patches > rng.uniform(0.9, 2.0)] = np.rint(mineral)
    specks = white(rng, wh)
    if px_per_mm > 2:
        specks = cv2.GaussianBlur(specks, (0, 0), 0.35 * px_per_mm)
        specks = specks / specks.std()
    image[specks > rng.uniform(1.9, 2.8)] = np.rint(hsv(0, 0, rng.uniform(0.0, 1.0)))
    return cv2.GaussianBlur(image, (3, 3), 0)


def slate(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return split slate or sandstone with a rough relief lit from one side."""
    base = any_colour(rng, (0.0, 0.35), (0.15, 0.75))
    height = fractal(rng, wh, (rng.uniform(60, 200) * px_per_mm, rng.uniform(20, 90) * px_per_mm), 7, 0.62)
    lit_from_side = int(rng.integers(2))
    relief = cv2.Sobel(height, cv2.CV_32F, lit_from_side, 1 - lit_from_side, ksize=3)
    values = 0.25 * height + relief / max(float(relief.std()), 1e-6) * rng.uniform(0.2, 0.8)
    return paint(values, [scaled(base, 0.55), base, scaled(base, 1.4)], -2.6, 2.6)


def concrete(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return concrete, plaster or a stone composite with pits and stains."""
    base = hsv(rng.uniform(20, 220), rng.uniform(0, 0.15), rng.uniform(0.35, 0.9))
    clouds = fractal(rng, wh, rng.uniform(80, 300) * px_per_mm, 6, 0.6)
    image = paint(clouds, [scaled(base, 0.78), base, scaled(base, 1.14)], -2.5, 2.5)
    pits = fractal(rng, wh, max(2.0, rng.uniform(1, 3) * px_per_mm), 2) > rng.uniform(2.2, 3.2)
    image[pits] = np.rint(scaled(base, rng.uniform(0.4, 0.7)))
    return grain(rng, image, rng.uniform(1, 7))


def terrazzo(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return terrazzo: angular chips of several colours in a plain ground."""
    w, h = wh
    image = plain(wh, any_colour(rng, (0, 0.2), (0.2, 1.0)))
    palette = [any_colour(rng, (0.0, 0.7), (0.1, 1.0)) for _ in range(int(rng.integers(2, 7)))]
    chip_mm = rng.uniform(2.5, 14)
    count = int(min(1800, rng.uniform(0.25, 0.7) * w * h / (chip_mm * px_per_mm) ** 2))
    corners = rng.integers(3, 8, count)
    centres = rng.uniform(0, 1, (count, 2)) * (w, h)
    sizes = chip_mm * px_per_mm * rng.lognormal(-0.5, 0.5, count)
    for centre, size, sides in zip(centres, sizes, corners, strict=True):
        turns = np.sort(rng.uniform(0, 2 * np.pi, sides))
        points = centre + size * rng.uniform(0.5, 1.0, (sides, 1)) * np.stack([np.cos(turns), np.sin(turns)], axis=1)
        colour = palette[int(rng.integers(len(palette)))]
        cv2.fillPoly(image, [np.rint(points * 8).astype(np.int32)], colour, cv2.LINE_AA, 3)
    return grain(rng, image, rng.uniform(0, 4))


def _lay_stones(
    rng: np.random.Generator,
    wh: tuple[int, int],
    px_per_mm: float,
    stone_mm: tuple[float, float],
    colours: list[Colour],
    grout: Colour,
    offset: float,
) -> np.ndarray:
    """Return stones of one size in rows on grout, each with a tone of its own and bevelled edges.

    `offset`: shift of every other row, in stones.
    """
    w, h = wh
    stone_w, stone_h = max(4.0, stone_mm[0] * px_per_mm), max(4.0, stone_mm[1] * px_per_mm)
    gap = max(1.0, rng.uniform(0.6, 4.0) * px_per_mm)
    gap = min(gap, 0.25 * min(stone_w, stone_h))
    bevel = int(max(0, round(rng.uniform(-0.6, 1.2) * px_per_mm)))
    tone, slip = rng.uniform(0.0, 0.12), rng.uniform(0, 0.12) * gap * 3
    image = plain(wh, grout)
    inset = gap / 2
    top = -rng.uniform(0, stone_h)
    for row in range(int((h - top) / stone_h) + 1):
        y = top + row * stone_h
        start = -stone_w * (1 + offset * (row % 2))
        columns = int((w - start) / stone_w) + 1
        tones, kinds = rng.normal(1, tone, columns).tolist(), rng.integers(len(colours), size=columns).tolist()
        slips = rng.normal(0, slip, (columns, 2)).tolist()
        for column in range(columns):
            x, (dx, dy) = start + column * stone_w, slips[column]
            colour = scaled(colours[kinds[column]], tones[column])
            left, up = round(x + inset + dx), round(y + inset + dy)
            right, low = max(left + 1, round(x + stone_w - inset + dx)), max(up + 1, round(y + stone_h - inset + dy))
            cv2.rectangle(image, (left, up), (right, low), colour, -1)
            if bevel and min(stone_w, stone_h) > 6 * bevel:
                cv2.line(image, (left, up), (right, up), scaled(colour, 1.15), bevel)
                cv2.line(image, (left, low), (right, low), scaled(colour, 0.8), bevel)
    clouds = fractal(rng, wh, rng.uniform(8, 80) * px_per_mm, 5, 0.6)
    return grain(rng, relight(image, 1.0 + np.float32(rng.uniform(0.01, 0.07)) * clouds), rng.uniform(0, 4))


def mosaic(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return small mosaic stones, square or oblong, in a few colours on grout."""
    width = rng.uniform(8, 30)
    size = (width, width * float(rng.choice([1.0, 1.0, 1.42, 2.0, 0.5])))
    first = any_colour(rng, (0, 0.8), (0.2, 1.0))
    colours = [
        mix(first, any_colour(rng, (0, 0.8), (0.2, 1.0)), rng.uniform(0, 1)) for _ in range(int(rng.integers(1, 7)))
    ]
    grout = hsv(30, rng.uniform(0, 0.15), rng.choice([rng.uniform(0.1, 0.4), rng.uniform(0.6, 0.95)]))
    offset = float(rng.choice([0.0, 0.0, 0.5]))
    return draw_rotated(rng, wh, lambda wide: _lay_stones(rng, wide, px_per_mm, size, colours, grout, offset))


def tile_sized_stones(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return pale blank stones of a game tile's size and shape, the hardest negatives of all surfaces."""
    width = rng.uniform(20, 32)
    size = (width, width * rng.uniform(1.2, 1.6)) if rng.random() < 0.6 else (width * rng.uniform(1.2, 1.6), width)
    pale = hsv(rng.uniform(20, 60), rng.uniform(0.0, 0.22), rng.uniform(0.75, 1.0))
    grout = scaled(pale, rng.uniform(0.3, 0.85)) if rng.random() < 0.7 else any_colour(rng)
    offset = float(rng.choice([0.0, 0.5, 0.33]))
    return draw_rotated(
        rng, wh, lambda wide: _lay_stones(rng, wide, px_per_mm, size, [pale, scaled(pale, 0.97)], grout, offset)
    )


def ceramic(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return kitchen or floor tiles and bricks of 60 to 300 mm."""
    width = rng.uniform(60, 300)
    size = (width, width * float(rng.choice([1.0, 1.0, 0.5, 0.33])))
    colour = any_colour(rng, (0, 0.5), (0.25, 1.0))
    colours = [colour] if rng.random() < 0.5 else [colour, any_colour(rng, (0, 0.5), (0.1, 1.0))]
    grout = hsv(30, 0.1, rng.uniform(0.1, 0.95))
    offset = float(rng.choice([0.0, 0.5]))
    return draw_rotated(rng, wh, lambda wide: _lay_stones(rng, wide, px_per_mm, size, colours, grout, offset))

"""Cloths and carpets: weaves, felt, striped and knotted rugs, checked and patterned tablecloths, shag and towel."""

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
    wobble,
)


def _threads(rng: np.random.Generator, length_px: int, pitch_px: float) -> np.ndarray:
    """Return the index `(length_px,) int32` of the thread at each pixel of a line of slightly uneven threads."""
    count = int(length_px / pitch_px) + 4
    edges = np.cumsum(np.maximum(0.3, rng.normal(1.0, 0.12, count))) * pitch_px
    return np.searchsorted(edges, np.arange(length_px)).clip(0, count - 1).astype(np.int32)


def _round(index: np.ndarray) -> np.ndarray:
    """Return the height profile `(N,) float32` of threads along a line: 0 at a thread's edges, 1 in its middle.

    `index (N,)`: the thread at each pixel, as from `_threads`.
    """
    starts = np.flatnonzero(np.diff(index, prepend=-1))
    widths = np.diff(np.append(starts, len(index)))
    place = (np.arange(len(index)) - np.repeat(starts, widths) + 0.5) / np.repeat(widths, widths)
    swell: np.ndarray = np.sin(np.pi * place).astype(np.float32)
    return swell


def woven(
    rng: np.random.Generator, wh: tuple[int, int], pitch_px: float, warp: np.ndarray, weft: np.ndarray, depth: float
) -> np.ndarray:
    """Return a plain weave, BGR `(h, w, 3) uint8`.

    `warp (N, 3)`, `weft (M, 3)`: colours of the vertical and horizontal threads, repeated in order; `depth`: darkness
    between the threads, 0 to 1.
    """
    w, h = wh
    across, down = _threads(rng, w, pitch_px), _threads(rng, h, pitch_px)
    over = (across & 1).astype(np.uint8)[None, :] ^ (down & 1).astype(np.uint8)[:, None]
    tone_x = rng.normal(1, 0.05, across[-1] + 1)[across][:, None]
    tone_y = rng.normal(1, 0.05, down[-1] + 1)[down][:, None]
    line_x = np.clip(warp[across % len(warp)] * tone_x, 0, 255).astype(np.uint8)[None]
    line_y = np.clip(weft[down % len(weft)] * tone_y, 0, 255).astype(np.uint8)[:, None]
    image = spread(line_y, wh)
    cv2.copyTo(spread(line_x, wh), over, image)
    if pitch_px < 2.5:
        return cv2.GaussianBlur(image, (3, 3), 0)
    low, rise = 128 * (1 - depth), 128 * depth
    hill = spread((low + rise * _round(down)).astype(np.uint8)[:, None], wh)
    cv2.copyTo(spread((low + rise * _round(across)).astype(np.uint8)[None], wh), over, hill)
    return cv2.multiply(image, cv2.merge([hill, hill, hill]), scale=1.0 / 128.0)


def spread(line: np.ndarray, wh: tuple[int, int]) -> np.ndarray:
    """Repeat one row or one column of pixels over a whole image of the size `wh`."""
    return cv2.resize(line, wh, interpolation=cv2.INTER_NEAREST)


def weave(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a plain coarse cloth, such as canvas, a place mat or a sofa."""
    colour = any_colour(rng, (0, 0.8), (0.15, 0.95))
    other = mix(colour, any_colour(rng, (0, 0.6), (0.2, 1.0)), rng.uniform(0, 0.5))
    pitch = max(1.5, rng.uniform(0.7, 3.5) * px_per_mm)
    depth = rng.uniform(0.2, 0.6)

    def draw(size: tuple[int, int]) -> np.ndarray:
        image = woven(rng, size, pitch, np.array([colour]), np.array([other]), depth)
        return wobble(rng, image, 60 * px_per_mm, rng.uniform(0.2, 1.2) * px_per_mm)

    return grain(rng, draw_rotated(rng, wh, draw), rng.uniform(0, 8))


def linen(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return linen or cotton: fine crossed threads of uneven thickness, soft folds."""
    colour = any_colour(rng, (0, 0.5), (0.35, 1.0))

    def draw(size: tuple[int, int]) -> np.ndarray:
        thread = max(1.0, 0.6 * px_per_mm)
        values = fractal(rng, size, (30 * thread, thread), 3, 0.8) + fractal(rng, size, (thread, 30 * thread), 3, 0.8)
        return paint(values, [scaled(colour, rng.uniform(0.7, 0.92)), colour, scaled(colour, 1.1)], -3.5, 3.5)

    image = draw_rotated(rng, wh, draw)
    folds = fractal(rng, wh, rng.uniform(80, 400) * px_per_mm, 2, 0.4)
    return relight(image, 1.0 + np.float32(rng.uniform(0.0, 0.1)) * folds)


def felt(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return card-table felt: green, blue, red, grey or any."""
    hue = rng.choice([rng.uniform(95, 165), rng.uniform(200, 235), rng.uniform(345, 365), rng.uniform(0, 360)])
    colour = hsv(hue, rng.uniform(0.3, 0.95), rng.uniform(0.15, 0.7))
    fibres = fractal(rng, wh, max(2.0, rng.uniform(1, 5) * px_per_mm), 4, 0.8)
    fibres += rng.uniform(0, 0.8) * fractal(rng, wh, 80 * px_per_mm, 3)
    depth = rng.uniform(0.03, 0.18)
    return paint(fibres, [scaled(colour, 1 - 2 * depth), colour, scaled(colour, 1 + 2 * depth)], -3, 3)


def striped_rug(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a thick hand-woven rug: thick yarns, mostly black, white and grey, over thin light warp threads."""
    pitch_x = max(3.0, rng.uniform(3, 9) * px_per_mm)
    pitch_y = max(2.5, pitch_x * rng.uniform(0.35, 0.9))
    tones = np.array([hsv(rng.uniform(200, 260), rng.uniform(0, 0.15), v) for v in (0.12, 0.25, 0.5, 0.72, 0.9, 0.95)])
    if rng.random() < 0.4:
        tones[rng.integers(0, 6, 3)] = [any_colour(rng, (0.1, 0.8), (0.2, 0.9)) for _ in range(3)]

    def draw(size: tuple[int, int]) -> np.ndarray:
        w, h = size
        across, down = _threads(rng, w, pitch_x), _threads(rng, h, pitch_y)
        columns, rows = across[-1] + 1, down[-1] + 1
        # Neighbouring columns of yarn have one colour; single knots have another colour than their stripe.
        runs = np.repeat(rng.choice(6, columns, p=[0.14, 0.1, 0.16, 0.2, 0.25, 0.15]), rng.integers(1, 6, columns))
        stray = rng.integers(0, 6, (rows, columns))
        runs = np.where(rng.random((rows, columns)) < rng.uniform(0.08, 0.35), stray, runs[None, :columns])
        cells = tones[runs] * rng.normal(1, 0.08, (rows, columns, 1))
        rows_drawn = np.clip(cells, 0, 255).astype(np.uint8)[:, across]
        image = rows_drawn[down]
        bulge = np.sqrt(_round(across))[None, :] * np.sqrt(_round(down))[:, None]
        image = relight(image, np.float32(rng.uniform(0.3, 0.6)) + np.float32(0.6) * bulge)
        if rng.random() < 0.7:
            # The warp is visible as thin light threads in the gaps between columns.
            thin = (_round(across) < 0.35).astype(np.uint8)[None, :] & (_round(down) > 0.3).astype(np.uint8)[:, None]
            cv2.copyTo(plain(size, hsv(45, 0.1, 0.85)), thin, image)
        return wobble(rng, image, 3.0 * pitch_x, 0.16 * pitch_x)

    image = draw_rotated(rng, wh, draw)
    wool = fractal(rng, wh, max(2.0, 0.35 * pitch_x), 3, 0.8)
    return relight(image, 1.0 + np.float32(rng.uniform(0.06, 0.16)) * wool)


def _ornament(rng: np.random.Generator, size: int, palette: list[Colour]) -> np.ndarray:
    """Return a random motif with two axes of mirror symmetry, `(2 * size, 2 * size, 3) uint8`."""
    quarter = plain((size, size), palette[0])
    for _ in range(int(rng.integers(6, 16))):
        colour = palette[int(rng.integers(len(palette)))]
        centre = rng.integers(0, size, 2).tolist()
        kind = rng.integers(4)
        if kind == 0:
            axes = rng.integers(1, max(2, size // 3), 2).tolist()
            cv2.ellipse(quarter, centre, axes, float(rng.uniform(0, 180)), 0, 360, colour, -1)
        elif kind == 1:
            cv2.circle(quarter, centre, int(rng.integers(2, max(3, size // 2))), colour, int(rng.integers(1, 3)))
        elif kind == 2:
            reach = int(rng.integers(2, max(3, size // 3)))
            x, y = centre
            cv2.fillPoly(quarter, [np.array([(x - reach, y), (x, y - reach), (x + reach, y), (x, y + reach)])], colour)
        else:
            cv2.line(quarter, centre, rng.integers(0, size, 2).tolist(), colour, int(rng.integers(1, 3)))
    if rng.random() < 0.6:
        quarter = np.maximum(quarter, quarter.transpose(1, 0, 2)) if rng.random() < 0.5 else quarter
    top = np.hstack([quarter, quarter[:, ::-1]])
    return np.vstack([top, top[::-1]])


def persian(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a knotted oriental carpet: mirrored ornaments in a field, with border bands."""
    knot = max(1.0, rng.uniform(1.0, 3.0) * px_per_mm)
    hue = rng.choice([rng.uniform(-10, 20), rng.uniform(200, 240), rng.uniform(0, 360)])
    palette = [hsv(hue, rng.uniform(0.4, 0.8), rng.uniform(0.25, 0.6)), hsv(rng.uniform(25, 50), 0.35, 0.85)]
    palette += [any_colour(rng, (0.2, 0.8), (0.1, 0.8)) for _ in range(int(rng.integers(2, 5)))]

    def draw(size: tuple[int, int]) -> np.ndarray:
        knots_w, knots_h = max(8, int(size[0] / knot)), max(8, int(size[1] / knot))
        motif = _ornament(rng, int(rng.integers(12, 40)), palette)
        side = motif.shape[0]
        field = np.tile(motif, (-(-knots_h // side), -(-knots_w // side), 1))[:knots_h, :knots_w].copy()
        if rng.random() < 0.7:
            large = _ornament(rng, max(6, min(knots_w, knots_h) // int(rng.integers(3, 6))), palette)
            tall, wide = min(large.shape[0], knots_h), min(large.shape[1], knots_w)
            top, left = int(rng.integers(0, knots_h - tall + 1)), int(rng.integers(0, knots_w - wide + 1))
            field[top : top + tall, left : left + wide] = large[:tall, :wide]
        if rng.random() < 0.7:
            y = int(rng.uniform(0.05, 0.9) * knots_h)
            for _ in range(int(rng.integers(2, 6))):
                thick = int(rng.integers(2, max(3, knots_h // 12)))
                band = np.roll(_ornament(rng, max(3, thick), palette)[:thick], int(rng.integers(8)), axis=1)
                band = np.tile(band, (1, -(-knots_w // band.shape[1]), 1))[: max(0, knots_h - y), :knots_w]
                field[y : y + band.shape[0]] = band
                y += thick
        noisy = np.clip(field * rng.normal(1, 0.07, (knots_h, knots_w, 1)), 0, 255).astype(np.uint8)
        sharp = cv2.INTER_NEAREST if knot < 4 else cv2.INTER_LINEAR
        return wobble(rng, cv2.resize(noisy, size, interpolation=sharp), 30 * knot, 0.6 * knot)

    image = draw_rotated(rng, wh, draw)
    pile = fractal(rng, wh, max(2.0, knot), 2)
    return relight(image, 1.0 + np.float32(rng.uniform(0.03, 0.12)) * pile)


def checked(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a checked, gingham, tartan or striped tablecloth."""
    ground = hsv(rng.uniform(20, 60), rng.uniform(0, 0.12), rng.uniform(0.85, 1.0))
    if rng.random() < 0.25:
        ground = any_colour(rng, (0.2, 0.8), (0.2, 0.6))
    inks = [any_colour(rng, (0.3, 1.0), (0.15, 0.85)) for _ in range(int(rng.integers(1, 4)))]
    if rng.random() < 0.6:
        period = [(1.0, ground), (1.0, inks[0])]
    else:
        period = [
            (rng.uniform(0.1, 1.5), ground if rng.random() < 0.5 else inks[int(rng.integers(len(inks)))])
            for _ in range(int(rng.integers(3, 8)))
        ]
    unit = rng.uniform(5, 40) * px_per_mm
    lone = rng.random() < 0.2

    def line(length: int) -> np.ndarray:
        edges = np.cumsum([share for share, _ in period]) * unit
        band = np.searchsorted(edges, np.arange(length) % edges[-1], side="right").clip(0, len(period) - 1)
        bands: np.ndarray = np.array([colour for _, colour in period], dtype=np.uint8)[band]
        return bands

    def draw(size: tuple[int, int]) -> np.ndarray:
        down = spread(line(size[1])[:, None], size)
        return down if lone else cv2.addWeighted(spread(line(size[0])[None], size), 0.5, down, 0.5, 0)

    image = wobble(rng, draw_rotated(rng, wh, draw), 120 * px_per_mm, rng.uniform(0.3, 3) * px_per_mm)
    thread = fractal(rng, wh, max(2.0, 0.8 * px_per_mm), 2, 0.8)
    thread += fractal(rng, wh, 150 * px_per_mm, 2)
    return relight(image, 1.0 + np.float32(rng.uniform(0.01, 0.06)) * thread)


def _motif(rng: np.random.Generator) -> list[np.ndarray]:
    """Return the polygons of a random motif in a circle of radius 1: dot, leaf, flower, star, heart or bar."""
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    kind = rng.integers(6)
    if kind == 0:
        return [circle * rng.uniform(0.5, 1.0)]
    if kind == 1:
        leaf = np.stack([np.cos(turn), np.sin(turn) * np.sin(turn / 2) ** 1.5 * rng.uniform(0.3, 0.7)], axis=1)
        return [leaf, leaf @ np.array([[0.2, 0.7], [-0.7, 0.2]])] if rng.random() < 0.5 else [leaf]
    if kind == 2:
        petals = int(rng.integers(4, 9))
        centres = [np.array([np.cos(a), np.sin(a)]) * 0.6 for a in np.linspace(0, 2 * np.pi, petals, endpoint=False)]
        return [centre + circle * 0.34 for centre in centres]
    if kind == 3:
        radius = 1.0 - rng.uniform(0.3, 0.7) * (np.arange(24) % 4 == 2) - 0.2 * (np.arange(24) % 2)
        return [circle * radius[:, None]]
    if kind == 4:
        x = np.sin(turn) ** 3
        y = -(13 * np.cos(turn) - 5 * np.cos(2 * turn) - 2 * np.cos(3 * turn) - np.cos(4 * turn)) / 16
        return [np.stack([x, y], axis=1)]
    slim = rng.uniform(0.1, 0.7)
    return [np.array([(-1, -slim), (1, -slim), (1, slim), (-1, slim)])]


def patterned(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a printed cloth, oilcloth or wrapping paper with motifs in a lattice, sometimes irregular."""
    w, h = wh
    ground = any_colour(rng, (0, 0.8), (0.2, 1.0))
    image = plain(wh, ground)
    step = max(rng.uniform(12, 70) * px_per_mm, float(np.sqrt(w * h / 900)))
    motifs = [
        (_motif(rng), any_colour(rng, (0, 0.9), (0.1, 1.0)), rng.uniform(0.15, 0.48)) for _ in range(rng.integers(1, 4))
    ]
    tilt, strewn, spin = rng.uniform(0, np.pi), rng.uniform(0, 0.35) * (rng.random() < 0.6), rng.random() < 0.5
    cos, sin = np.cos(tilt), np.sin(tilt)
    reach = int(np.hypot(w, h) / step / 2) + 2
    for i in range(-reach, reach + 1):
        for j in range(-reach, reach + 1):
            u, v = np.array([i + 0.5 * (j % 2), j]) + rng.normal(0, 1, 2) * strewn
            x, y = w / 2 + step * (u * cos - v * sin), h / 2 + step * (u * sin + v * cos)
            if not (-step < x < w + step and -step < y < h + step):
                continue
            polygons, colour, size = motifs[(i + 2 * j) % len(motifs)]
            angle = rng.uniform(0, 2 * np.pi) if spin else tilt
            turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) * size * step
            for polygon in polygons:
                cv2.fillPoly(image, [np.rint((polygon @ turn + (x, y)) * 8).astype(np.int32)], colour, cv2.LINE_AA, 3)
    image = wobble(rng, image, 120 * px_per_mm, rng.uniform(0.2, 2.5) * px_per_mm)
    folds = fractal(rng, wh, 120 * px_per_mm, 6, 0.55)
    return relight(image, 1.0 + np.float32(rng.uniform(0.01, 0.06)) * folds)


def shag(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a long-pile carpet or fleece, whose strands lie in various directions."""
    w, h = wh
    base = any_colour(rng, (0, 0.5), (0.2, 0.95))
    image = paint(fractal(rng, wh, 15 * px_per_mm, 5, 0.7), [scaled(base, 0.4), base, scaled(base, 1.1)], -2, 2)
    length, count = max(5.0, rng.uniform(6, 22) * px_per_mm), 3500
    starts = rng.uniform(0, 1, (count, 1, 2)) * (w, h)
    lie = rng.uniform(0, 2 * np.pi) + rng.normal(0, rng.uniform(0.4, 2.5), (count, 1))
    bend = lie + rng.normal(0, 0.7, (count, 1))
    middle = starts + length * np.stack([np.cos(lie), np.sin(lie)], axis=2)
    ends = middle + length * np.stack([np.cos(bend), np.sin(bend)], axis=2)
    strands = np.rint(np.concatenate([starts, middle, ends], axis=1)).astype(np.int32)
    for shade, part in zip((0.55, 0.8, 1.0, 1.2), np.array_split(strands, 4), strict=True):
        cv2.polylines(image, list(part), False, scaled(base, shade), max(1, round(rng.uniform(0.5, 1.5) * px_per_mm)))
    return cv2.GaussianBlur(image, (3, 3), 0)


def quilted(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a quilt, towel, bubble or waffle cloth: cushions in a lattice, lit from one side."""
    colour = any_colour(rng, (0, 0.7), (0.25, 1.0))
    pitch = max(5.0, rng.uniform(4, 60) * px_per_mm)
    squash, depth = rng.uniform(0.6, 1.6), rng.uniform(0.1, 0.45)

    def draw(size: tuple[int, int]) -> np.ndarray:
        across = np.abs(np.sin(np.arange(size[0], dtype=np.float32) * (np.pi / pitch)))[None, :]
        down = np.abs(np.sin(np.arange(size[1], dtype=np.float32) * (np.pi / pitch / squash)))[:, None]
        return relight(plain(size, colour), 1.0 - np.float32(depth) * (1.0 - np.sqrt(across * down)))

    image = wobble(rng, draw_rotated(rng, wh, draw), 3 * pitch, 0.06 * pitch)
    return relight(image, 1.0 + np.float32(rng.uniform(0.02, 0.1)) * fractal(rng, wh, max(2.0, 2 * px_per_mm), 3, 0.7))

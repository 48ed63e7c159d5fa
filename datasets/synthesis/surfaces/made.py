"""Artificial surfaces: desks, glass, boards, print, leather, mats and metal, some with digits or boxes."""

from __future__ import annotations

import string

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.noise import (
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
from tilekeeper.datasets.synthesis.surfaces.lettering import write


def _pixel(x: float, y: float) -> tuple[int, int]:
    """Round a point to the nearest pixel."""
    return int(np.rint(x)), int(np.rint(y))


def painted_desk(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a smooth desk, white, grey, black or coloured, with a slow gradient and hardly any grain."""
    colour = hsv(rng.uniform(0, 360), rng.uniform(0, 0.12), rng.choice([rng.uniform(0.03, 0.2), rng.uniform(0.3, 1.0)]))
    if rng.random() < 0.3:
        colour = any_colour(rng, (0.1, 0.9), (0.15, 1.0))
    slow = fractal(rng, wh, max(wh) * rng.uniform(0.5, 1.5), 2, 0.3)
    fine = fractal(rng, wh, max(2.0, rng.uniform(0.8, 4) * px_per_mm), 2)
    gain = 1.0 + np.float32(rng.uniform(0.01, 0.12)) * slow + np.float32(rng.uniform(0.0, 0.03)) * fine
    return grain(rng, relight(plain(wh, colour), gain), rng.uniform(0, 2.5))


def glass(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a glass or lacquered top with blurred reflections of windows and lamps."""
    w, h = wh
    small = (max(2, w // 4), max(2, h // 4))
    image = plain(small, any_colour(rng, (0.0, 0.4), (0.03, 0.6)))
    shine = np.zeros_like(image)
    for _ in range(int(rng.integers(2, 7))):
        colour = scaled(hsv(rng.uniform(20, 240), rng.uniform(0, 0.3), 1.0), rng.uniform(0.25, 1.0))
        x, y = rng.uniform(-0.1, 1.0, 2) * small
        reach = rng.uniform(0.03, 0.4) * max(small)
        kind = rng.integers(3)
        if kind == 0:
            lean = rng.uniform(-0.4, 0.4)
            across, down = np.array([reach, lean * reach]), np.array([-lean * reach, reach * rng.uniform(0.4, 2.5)])
            panes = int(rng.integers(1, 4))
            for i in range(panes):
                corner = np.array([x, y]) + across * (i * 1.08)
                cv2.fillPoly(
                    shine,
                    [np.rint([corner, corner + across, corner + across + down, corner + down]).astype(int)],
                    colour,
                )
        elif kind == 1:
            cv2.circle(shine, (round(x), round(y)), max(1, round(reach * 0.3)), colour, -1)
        else:
            lean = rng.uniform(0, np.pi)
            far = np.array([np.cos(lean), np.sin(lean)]) * max(small) * 2
            middle, width = np.array([x, y]), max(1, round(reach * 0.3))
            cv2.line(shine, np.rint(middle - far).astype(int), np.rint(middle + far).astype(int), colour, width)
    blur = rng.uniform(0.2, 6.0)
    image = cv2.add(image, cv2.convertScaleAbs(cv2.GaussianBlur(shine, (0, 0), blur), alpha=rng.uniform(0.15, 0.9)))
    image = cv2.resize(image, wh, interpolation=cv2.INTER_LINEAR)
    return grain(rng, relight(image, 1.0 + 0.05 * fractal(rng, wh, 300 * px_per_mm, 2)), rng.uniform(0, 3))


def chessboard(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a chess or draughts board with a rim, letters and numbers."""
    square = max(6, round(rng.uniform(25, 60) * px_per_mm))
    light = hsv(rng.uniform(20, 55), rng.uniform(0, 0.4), rng.uniform(0.7, 1.0))
    dark = any_colour(rng, (0.1, 0.8), (0.05, 0.55))
    rim = scaled(dark, rng.uniform(0.5, 1.2))

    def draw(size: tuple[int, int]) -> np.ndarray:
        w, h = size
        left, top = round(w * rng.uniform(0.0, 1.0) - 4 * square), round(h * rng.uniform(0.0, 1.0) - 4 * square)
        image = plain(size, rim)
        board_wh = 8 * square
        cells = (np.add.outer(np.arange(8), np.arange(8)) % 2)[..., None]
        board: np.ndarray = np.where(cells, np.rint(dark), np.rint(light)).astype(np.uint8)
        board = cv2.resize(board, (board_wh, board_wh), interpolation=cv2.INTER_NEAREST)
        x0, y0, x1, y1 = max(left, 0), max(top, 0), min(left + board_wh, w), min(top + board_wh, h)
        if x1 > x0 and y1 > y0:
            image[y0:y1, x0:x1] = board[y0 - top : y1 - top, x0 - left : x1 - left]
        for i in range(8):
            middle = (i + 0.5) * square
            write(rng, image, str(8 - i), (left - square * 0.3, top + middle), square * 0.3, light)
            write(rng, image, "abcdefgh"[i], (left + middle, top + board_wh + square * 0.3), square * 0.3, light)
        return image

    image = draw_rotated(rng, wh, draw)
    streaks = fractal(rng, wh, (60 * px_per_mm, 6 * px_per_mm), 4, 0.6)
    return grain(rng, relight(image, 1.0 + np.float32(rng.uniform(0, 0.08)) * streaks), rng.uniform(0, 3))


def newspaper(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return newspaper or a printed page: columns of lines, headlines with numbers, grey pictures, tables."""
    paper = hsv(rng.uniform(30, 60), rng.uniform(0.0, 0.18), rng.uniform(0.75, 1.0))
    ink = hsv(0, 0, rng.uniform(0.05, 0.3))
    column_mm, line_mm = rng.uniform(38, 90), rng.uniform(2.2, 5)

    def draw(size: tuple[int, int]) -> np.ndarray:
        w, h = size
        image = plain(size, paper)
        column, line = column_mm * px_per_mm, max(3.0, line_mm * px_per_mm)
        x = -rng.uniform(0, column)
        while x < w:
            y = -rng.uniform(0, 20) * line
            while y < h:
                kind = rng.random()
                right = x + column - 2.5 * line
                if kind < 0.12:
                    tall = rng.uniform(6, 16) * line
                    low, high = (round(x), round(y)), (round(right), round(y + tall))
                    cv2.rectangle(image, low, high, mix(ink, paper, rng.uniform(0.1, 0.9)), -1)
                    cv2.circle(
                        image,
                        (round((x + right) / 2), round(y + tall / 2)),
                        max(1, round(tall * 0.3)),
                        mix(ink, paper, rng.uniform(0, 1)),
                        -1,
                    )
                    y += tall + line
                elif kind < 0.3:
                    letters = "".join(rng.choice(list(string.ascii_uppercase + string.digits + " "), 9))
                    write(rng, image, letters, ((x + right) / 2, y + 1.5 * line), 1.8 * line, ink)
                    y += 4 * line
                else:
                    for _ in range(int(rng.integers(4, 18))):
                        row, end = round(y), round(right if rng.random() < 0.8 else rng.uniform(x, right))
                        cv2.line(image, (round(x), row), (end, row), mix(ink, paper, 0.35), max(1, round(line * 0.4)))
                        y += line
                    y += 0.7 * line
            x += column
        return image

    def set_type(size: tuple[int, int]) -> np.ndarray:
        image = draw(size)
        # Gaps between words, and speckle inside them, make the bars of the lines look like printed text.
        line = max(3.0, line_mm * px_per_mm)
        words = (max(2, round(size[0] / (1.1 * line))), max(2, round(size[1] / line)))
        gaps = cv2.resize((rng.random(words[::-1]) < 0.2).astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
        speckle = (fractal(rng, size, max(2.0, 0.3 * line), 2) > 0.5).astype(np.uint8) * 255
        cv2.copyTo(plain(size, mix(paper, ink, 0.05)), cv2.bitwise_or(gaps, speckle), image)
        return image

    image = draw_rotated(rng, wh, set_type)
    return relight(image, 1.0 + np.float32(rng.uniform(0, 0.08)) * fractal(rng, wh, 140 * px_per_mm, 3))


def leather(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return grained leather or a vinyl desk mat, some with a stitched seam."""
    w, h = wh
    colour = any_colour(rng, (0.0, 0.7), (0.06, 0.6))
    cells = fractal(rng, wh, max(3.0, rng.uniform(1.5, 5) * px_per_mm), 2, 0.4)
    creases = 1.0 - np.abs(cells)
    gain = 1.0 - np.float32(rng.uniform(0.08, 0.3)) * np.clip(creases - 0.5, 0, 1)
    gain += 0.06 * fractal(rng, wh, 200 * px_per_mm, 2)
    image = relight(plain(wh, colour), gain)
    if rng.random() < 0.5:
        y, slope = rng.uniform(0, h), rng.uniform(-0.4, 0.4)
        stitch = max(3.0, rng.uniform(3, 7) * px_per_mm)
        thread = mix(colour, any_colour(rng, (0, 0.6), (0.4, 1)), 0.7)
        for x in np.arange(0, w, stitch * 1.6):
            ends = np.rint([(x, y + slope * x), (x + stitch, y + slope * (x + stitch))]).astype(int)
            cv2.line(image, ends[0], ends[1], thread, max(1, round(0.8 * px_per_mm)), cv2.LINE_AA)
    return grain(rng, image, rng.uniform(0, 3))


def play_mat(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a game mat or board with printed card places, tracks of numbered squares and rings."""
    ground = any_colour(rng, (0.1, 0.9), (0.1, 0.8))
    line = mix(ground, (255, 255, 255) if rng.random() < 0.7 else (0, 0, 0), rng.uniform(0.3, 0.9))
    fill = mix(ground, any_colour(rng, (0, 1), (0.2, 1)), rng.uniform(0, 0.6))

    def draw(size: tuple[int, int]) -> np.ndarray:
        w, h = size
        image = plain(size, ground)
        for _ in range(int(rng.integers(3, 9))):
            side = max(5.0, rng.uniform(15, 70) * px_per_mm)
            tall = side * rng.choice([1.0, 1.4, 1.55, 0.7])
            columns, rows = int(rng.integers(1, 9)), int(rng.integers(1, 5))
            x0, y0, space = rng.uniform(-0.1, 0.8) * w, rng.uniform(-0.1, 0.8) * h, rng.uniform(1.0, 1.4)
            filled, numbered, wide = (
                rng.random() < 0.5,
                rng.random() < 0.4,
                max(1, round(rng.uniform(0.4, 2) * px_per_mm)),
            )
            cv2.rectangle(
                image,
                _pixel(x0, y0),
                _pixel(x0 + columns * side * space, y0 + rows * tall * space),
                ground,
                -1,
            )
            for i in range(columns * rows):
                x, y = x0 + (i % columns) * side * space, y0 + (i // columns) * tall * space
                low, high = _pixel(x, y), _pixel(x + side, y + tall)
                if filled:
                    cv2.rectangle(image, low, high, fill, -1)
                cv2.rectangle(image, low, high, line, wide)
                if numbered:
                    write(rng, image, str(i + 1), (x + side / 2, y + tall / 2), 0.35 * side, line)
        if rng.random() < 0.5:
            centre = _pixel(*(rng.uniform(0, 1, 2) * size))
            cv2.circle(image, centre, round(rng.uniform(0.1, 0.4) * h), line, max(1, round(px_per_mm)), cv2.LINE_AA)
        return image

    return grain(rng, draw_rotated(rng, wh, draw), rng.uniform(1, 5))


def foam_mat(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a play rug or foam puzzle of coloured squares, each with one large digit or letter."""
    side = max(10.0, rng.uniform(60, 300) * px_per_mm)
    palette = [any_colour(rng, (0.3, 0.95), (0.4, 1.0)) for _ in range(int(rng.integers(3, 7)))]

    def draw(size: tuple[int, int]) -> np.ndarray:
        image = plain(size, palette[0])
        for y in np.arange(-rng.uniform(0, side), size[1], side):
            for x in np.arange(-side / 2, size[0], side):
                ground, ink = palette[int(rng.integers(len(palette)))], palette[int(rng.integers(len(palette)))]
                low, high = _pixel(x, y), _pixel(x + side, y + side)
                cv2.rectangle(image, low, high, ground, -1)
                cv2.rectangle(image, low, high, scaled(ground, 0.7), max(1, round(1.2 * px_per_mm)))
                text = str(rng.choice(list(string.digits * 3 + string.ascii_uppercase)))
                write(rng, image, text, (x + side / 2, y + side / 2), side * rng.uniform(0.4, 0.65), ink)
        return image

    image = draw_rotated(rng, wh, draw)
    return relight(image, 1.0 + np.float32(rng.uniform(0.02, 0.08)) * fractal(rng, wh, max(2.0, 2 * px_per_mm), 2))


def cutting_mat(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a cutting mat, graph paper or squared notebook: a ruled grid with numbers along it."""
    ground = any_colour(rng, (0.0, 0.9), (0.1, 0.5)) if rng.random() < 0.6 else hsv(50, 0.05, rng.uniform(0.85, 1))
    line = mix(ground, any_colour(rng, (0.0, 0.6), (0.3, 1.0)), rng.uniform(0.4, 1.0))
    cell = max(4.0, rng.choice([5.0, 10.0, 20.0, 25.4]) * px_per_mm)

    def draw(size: tuple[int, int]) -> np.ndarray:
        image = plain(size, ground)
        for i, x in enumerate(np.arange(0, size[0], cell)):
            cv2.line(image, (round(x), 0), (round(x), size[1]), line, 1 + (i % 5 == 0), cv2.LINE_AA)
        row = rng.uniform(0, size[1])
        for i, y in enumerate(np.arange(0, size[1], cell)):
            cv2.line(image, (0, round(y)), (size[0], round(y)), line, 1 + (i % 5 == 0), cv2.LINE_AA)
        for i, x in enumerate(np.arange(0, size[0], max(cell, 20.0))):
            write(rng, image, str(i), (x, row), min(max(4.0, 4 * px_per_mm), 0.6 * max(cell, 20.0)), line)
        return image

    return grain(rng, draw_rotated(rng, wh, draw), rng.uniform(0, 4))


def cardboard(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return brown card or wrapping paper, faintly ribbed, creased."""
    colour = hsv(rng.uniform(22, 38), rng.uniform(0.25, 0.5), rng.uniform(0.45, 0.8))

    def draw(size: tuple[int, int]) -> np.ndarray:
        ribs = np.sin(np.arange(size[1], dtype=np.float32) * (2 * np.pi / max(3.0, rng.uniform(3, 7) * px_per_mm)))
        values = 0.3 * ribs[:, None] + fractal(rng, size, (20 * px_per_mm, 3 * px_per_mm), 5, 0.7)
        return paint(values, [scaled(colour, 0.85), colour, scaled(colour, 1.1)], -3, 3)

    image = wobble(rng, draw_rotated(rng, wh, draw), 200 * px_per_mm, rng.uniform(0, 2) * px_per_mm)
    return relight(image, 1.0 + np.float32(rng.uniform(0, 0.08)) * fractal(rng, wh, 120 * px_per_mm, 4))


def metal(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return brushed steel or aluminium, or a folding table's dimpled plastic."""
    colour = hsv(rng.uniform(190, 240), rng.uniform(0, 0.08), rng.uniform(0.4, 0.95))

    def draw(size: tuple[int, int]) -> np.ndarray:
        brushed = fractal(rng, size, (rng.uniform(50, 300) * px_per_mm, max(1.0, 0.7 * px_per_mm)), 3, 0.7)
        return paint(brushed, [scaled(colour, rng.uniform(0.7, 0.9)), colour, scaled(colour, 1.15)], -3, 3)

    if rng.random() < 0.5:
        image = draw_rotated(rng, wh, draw)
    else:
        image = relight(plain(wh, colour), 1.0 + 0.05 * fractal(rng, wh, max(3.0, 4 * px_per_mm), 2, 0.5))
    return relight(image, 1.0 + np.float32(rng.uniform(0.03, 0.2)) * fractal(rng, wh, max(wh) * 0.6, 2, 0.3))

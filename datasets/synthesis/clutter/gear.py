"""Clutter: phones, keyboards, remote controls, calculators, pens, cables, spectacles, watches and rulers."""

from __future__ import annotations

import string

import numpy as np

from tilekeeper.datasets.synthesis.clutter.canvas import Canvas, move_outline, oval, place_outline, rounded
from tilekeeper.datasets.synthesis.clutter.table import WHITE, pale
from tilekeeper.datasets.synthesis.noise import Colour, any_colour, hsv, mix, scaled

_DARK: Colour = (28.0, 26.0, 25.0)


def _ink_on(colour: Colour) -> Colour:
    return (30.0, 28.0, 28.0) if sum(colour) > 380 else (235.0, 236.0, 238.0)


def phone(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a phone or tablet: dark, or with a bright screen of icons, a dial pad, a clock or chat bubbles."""
    w = rng.uniform(64, 80) if rng.random() < 0.8 else rng.uniform(130, 180)
    h = w * rng.uniform(1.4, 2.15)
    shell = any_colour(rng, (0, 0.5), (0.02, 0.6))
    canvas = Canvas(rng, (w, h), px_per_mm, shell)
    canvas.body(rounded(0.3, 0.3, w - 0.6, h - 0.6, w * 0.12))
    bright = rng.random() < 0.75
    ground = (pale(rng) if rng.random() < 0.5 else any_colour(rng, (0, 0.9), (0.1, 1))) if bright else _DARK
    canvas.fill(rounded(3, 3, w - 6, h - 6, w * 0.09), ground)
    if not bright:
        shine = [(w * 0.2, 4), (w * 0.7, 4), (w * 0.3, h - 4), (4, h - 4), (4, h * 0.5)]
        canvas.fill(shine, mix(_DARK, WHITE, rng.uniform(0.02, 0.15)))
        return canvas.sprite(1.0)
    ink, kind = _ink_on(ground), rng.integers(4)
    canvas.text(f"{rng.integers(0, 24)}:{rng.integers(10, 60)}", w * 0.2, 7, 2.5, ink)
    screen = (_icons, _dial_pad, _clock, _chat)[kind]
    screen(rng, canvas, (w, h), ground, ink)
    return canvas.sprite(0.8)


def _icons(rng: np.random.Generator, canvas: Canvas, wh: tuple[float, float], ground: Colour, ink: Colour) -> None:
    w, h = wh
    for row in range(int(h / w * 4)):
        for column in range(4):
            x, y = w * (0.1 + 0.21 * column), 16 + row * w * 0.25
            if y < h - w * 0.25 and rng.random() < 0.85:
                icon = any_colour(rng, (0.2, 1), (0.3, 1))
                canvas.fill(rounded(x, y, w * 0.16, w * 0.16, w * 0.04), icon)
                canvas.fill(oval(x + w * 0.08, y + w * 0.08, w * 0.04), _ink_on(icon))


def _dial_pad(rng: np.random.Generator, canvas: Canvas, wh: tuple[float, float], ground: Colour, ink: Colour) -> None:
    w, h = wh
    for key in range(12):
        x, y = w * (0.22 + 0.28 * (key % 3)), h * (0.42 + 0.13 * (key // 3))
        canvas.fill(oval(x, y, w * 0.11), mix(ground, ink, 0.12))
        canvas.text("123456789*0#"[key], x, y, w * 0.08, ink)


def _clock(rng: np.random.Generator, canvas: Canvas, wh: tuple[float, float], ground: Colour, ink: Colour) -> None:
    w, h = wh
    canvas.text(f"{rng.integers(0, 24):02d}:{rng.integers(0, 60):02d}", w / 2, h * 0.25, w * 0.16, ink)
    for i in range(int(rng.integers(1, 4))):
        canvas.fill(rounded(6, h * (0.4 + 0.15 * i), w - 12, h * 0.12, 4), mix(ground, WHITE, 0.4))


def _chat(rng: np.random.Generator, canvas: Canvas, wh: tuple[float, float], ground: Colour, ink: Colour) -> None:
    w, h = wh
    y = 16.0
    while y < h - 22:
        wide, tall, is_incoming = rng.uniform(0.3, 0.7) * w, rng.uniform(7, 20), rng.random() < 0.5
        bubble = any_colour(rng, (0.1, 0.8), (0.5, 1)) if is_incoming else mix(ground, ink, 0.15)
        canvas.fill(rounded(6 if is_incoming else w - 6 - wide, y, wide, tall, 3), bubble)
        start = 8 if is_incoming else w - 4 - wide
        for v in np.arange(y + 3, y + tall - 1, 4):
            canvas.line([(start, v), (start + wide * rng.uniform(0.3, 0.8), v)], _ink_on(bubble), 1)
        y += tall + 4


def keyboard(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a keyboard or a part of one, with letters, digits and signs on light or dark keys."""
    pitch, gap = rng.uniform(15, 19), rng.uniform(0.8, 4)
    columns, rows = int(rng.integers(4, 18)), int(rng.integers(3, 7))
    plate = pale(rng) if rng.random() < 0.5 else any_colour(rng, (0, 0.2), (0.03, 0.7))
    keys = pale(rng) if rng.random() < 0.55 else any_colour(rng, (0, 0.4), (0.05, 0.9))
    canvas = Canvas(rng, (columns * pitch + 12, rows * pitch + 12), px_per_mm, plate)
    canvas.body(rounded(0.3, 0.3, columns * pitch + 11.4, rows * pitch + 11.4, 5))
    ink, depth = _ink_on(keys), rng.uniform(0.5, 2.5)
    legends = ["1234567890-=" + string.ascii_uppercase, "QWERTYUIOP[]", "ASDFGHJKL;'#", "ZXCVBNM,./"]
    for row in range(rows):
        x = 6.0
        while x < columns * pitch + 2:
            units = 1.0 if rng.random() < 0.85 else float(rng.choice([1.25, 1.5, 2.0]))
            if row == rows - 1 and 0.25 < x / (columns * pitch) < 0.4:
                units = min(5.0, columns * 0.4)
            width = min(units * pitch, columns * pitch + 6 - x) - gap
            if width < 4:
                break
            y = 6 + row * pitch
            cap = rounded(x, y, width, pitch - gap, rng.uniform(1, 2))
            canvas.fill(move_outline(cap, 0.3, depth * 0.6), scaled(keys, 0.55))
            canvas.fill(cap, scaled(keys, 0.88))
            canvas.fill(rounded(x + depth * 0.7, y + depth * 0.3, width - 1.4 * depth, pitch - gap - depth, 2), keys)
            if units < 1.3:
                line = legends[row % 4]
                legend = line[int(x / pitch) % len(line)]
                place = rng.random() < 0.5
                canvas.text(legend, x + width * (0.5 if place else 0.35), y + pitch * 0.4, rng.uniform(3, 5), ink)
                if rng.random() < 0.25:
                    canvas.text(str(rng.integers(0, 10)), x + width * 0.7, y + pitch * 0.6, 2.2, ink)
            elif units < 3:
                canvas.text(
                    "".join(rng.choice(list(string.ascii_lowercase), 4)), x + width / 2, y + pitch * 0.4, 2.2, ink
                )
            x += width + gap
    return canvas.sprite(1.0, uneven=0.08)


def _pad(
    canvas: Canvas,
    box: tuple[float, float, float, float],
    columns: int,
    rows: int,
    keys: Colour,
    round_: bool,
    labels: str,
) -> None:
    """Draw a pad of keys, each with one character of `labels`, into a box (x, y, w, h) in mm."""
    x0, y0, w, h = box
    step_x, step_y = w / columns, h / rows
    for i in range(columns * rows):
        x, y = x0 + (i % columns + 0.5) * step_x, y0 + (i // columns + 0.5) * step_y
        colour = keys if canvas.rng.random() < 0.85 else any_colour(canvas.rng, (0.4, 1), (0.4, 0.9))
        size = min(step_x, step_y) * 0.38
        shape = (
            oval(x, y, size)
            if round_
            else rounded(x - step_x * 0.4, y - step_y * 0.38, step_x * 0.8, step_y * 0.76, 1.5)
        )
        canvas.fill(move_outline(shape, 0.3, 0.8), scaled(colour, 0.5))
        canvas.fill(shape, colour)
        canvas.text(labels[i % len(labels)], x, y, min(step_x, step_y) * 0.33, _ink_on(colour))


def remote(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a remote control with digits on pale or dark buttons."""
    w, h = rng.uniform(36, 56), rng.uniform(130, 220)
    shell = any_colour(rng, (0, 0.2), (0.04, 0.9))
    canvas = Canvas(rng, (w, h), px_per_mm, shell)
    canvas.body(rounded(0.3, 0.3, w - 0.6, h - 0.6, rng.uniform(3, 16)))
    keys = pale(rng) if rng.random() < 0.6 else any_colour(rng, (0, 0.2), (0.1, 0.6))
    rows = int(rng.integers(4, 6))
    round_ = rng.random() < 0.5
    _pad(canvas, (4, h * 0.16, w - 8, h * 0.36), 3, rows, keys, round_, "123456789-0+")
    _pad(canvas, (4, h * 0.72, w - 8, h * 0.2), 3, 3, keys, round_, "<>^v+-")
    canvas.fill(oval(w / 2, h * 0.62, w * 0.3), scaled(shell, 1.5))
    canvas.fill(oval(w / 2, h * 0.62, w * 0.14), keys)
    canvas.fill(oval(w * 0.25, h * 0.07, 3.5), (40, 30, 200))
    return canvas.sprite(2.5)


def calculator(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a pocket calculator with a number on its display."""
    w, h = rng.uniform(65, 120), rng.uniform(100, 170)
    shell = any_colour(rng, (0, 0.6), (0.08, 0.95))
    canvas = Canvas(rng, (w, h), px_per_mm, shell)
    canvas.body(rounded(0.3, 0.3, w - 0.6, h - 0.6, rng.uniform(2, 9)))
    display = hsv(rng.uniform(70, 160), rng.uniform(0.05, 0.25), rng.uniform(0.55, 0.8))
    canvas.fill(rounded(6, h * 0.07, w - 12, h * 0.17, 2), display)
    canvas.text(str(rng.integers(0, 10**7)), w * 0.55, h * 0.155, h * 0.08, (45, 50, 45))
    keys = pale(rng) if rng.random() < 0.5 else any_colour(rng, (0, 0.3), (0.1, 0.9))
    columns = int(rng.integers(4, 6))
    labels = "789/C456xM123-%0.=+" if columns == 5 else "789/456x123-0.=+"
    _pad(canvas, (5, h * 0.3, w - 10, h * 0.67), columns, int(rng.integers(4, 6)), keys, rng.random() < 0.2, labels)
    return canvas.sprite(1.8)


def pens(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return one to four pens, pencils or markers."""
    canvas = Canvas(rng, (170, 110), px_per_mm, (128, 128, 128))
    for _ in range(int(rng.integers(1, 5))):
        length, thick = rng.uniform(110, 150), rng.uniform(5, 13)
        turn, x, y = rng.uniform(-0.5, 0.5), rng.uniform(80, 90), rng.uniform(35, 75)
        colour, cap = any_colour(rng, (0.2, 1), (0.1, 1)), any_colour(rng, (0, 1), (0.05, 1))
        half = length / 2
        for i, gain in enumerate((0.6, 0.85, 1.05, 1.3, 0.95, 0.7)):
            stripe = rounded(-half, thick * (i / 6 - 0.5), length * 0.88, thick / 5.2)
            canvas.fill(place_outline(stripe, turn, x, y), scaled(colour, gain), body=True)
            canvas.fill(
                place_outline(rounded(-half, thick * (i / 6 - 0.5), length * 0.2, thick / 5.2), turn, x, y),
                scaled(cap, gain),
            )
        tip = np.array([(half - length * 0.12, -thick / 2), (half, 0), (half - length * 0.12, thick / 2)])
        canvas.fill(
            place_outline(tip, turn, x, y), hsv(35, 0.35, 0.85) if rng.random() < 0.5 else scaled(cap, 0.9), body=True
        )
        canvas.fill(place_outline(tip * 0.25 + np.array([half * 0.75, 0]), turn, x, y), scaled(colour, 0.4))
        if rng.random() < 0.5:
            clip = rounded(-half + 3, -thick * 0.15, length * 0.22, thick * 0.3, 1)
            canvas.fill(place_outline(clip, turn, x, y), hsv(220, 0.03, 0.85))
    return canvas.sprite(0.8)


def cable(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a loose cable in loops, with a plug."""
    w, h = rng.uniform(110, 260), rng.uniform(80, 200)
    colour = pale(rng) if rng.random() < 0.5 else any_colour(rng, (0, 0.6), (0.03, 0.5))
    canvas = Canvas(rng, (w, h), px_per_mm, colour)
    t = np.linspace(0, 1, 160)
    x, y = np.full_like(t, 0.5), np.full_like(t, 0.5)
    for wave in range(1, 5):
        x += 0.24 / wave * np.sin(2 * np.pi * (wave * t * rng.uniform(0.4, 1) + rng.random()))
        y += 0.24 / wave * np.sin(2 * np.pi * (wave * t * rng.uniform(0.4, 1) + rng.random()))
    path, thick = np.stack([np.clip(x, 0.04, 0.96) * w, np.clip(y, 0.04, 0.96) * h], axis=1), rng.uniform(2.5, 6)
    canvas.line(path, scaled(colour, 0.6), thick, body=True)
    canvas.line(move_outline(path, -thick * 0.08, -thick * 0.12), colour, thick * 0.65)
    canvas.line(move_outline(path, -thick * 0.15, -thick * 0.22), mix(colour, WHITE, 0.3), thick * 0.2)
    x_end, y_end = path[-1]
    turn = float(np.arctan2(*(path[-1] - path[-4])[::-1]))
    canvas.fill(
        place_outline(rounded(-12, -thick, 20, 2 * thick, 2), turn, x_end, y_end), scaled(colour, 0.9), body=True
    )
    canvas.fill(
        place_outline(rounded(8, -thick * 0.7, 10, thick * 1.4), turn, x_end, y_end), hsv(220, 0.05, 0.75), body=True
    )
    return canvas.sprite(0.6)


def spectacles(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return spectacles or sunglasses, folded or open."""
    frame = any_colour(rng, (0, 0.8), (0.03, 0.7))
    canvas = Canvas(rng, (150, 100), px_per_mm, frame)
    rx, ry, thick = rng.uniform(22, 28), rng.uniform(16, 25), rng.uniform(1.5, 5)
    dark = rng.random() < 0.6
    lens = any_colour(rng, (0, 0.5), (0.05, 0.35)) if dark else any_colour(rng, (0, 0.2), (0.7, 1.0))
    for side in (-1, 1):
        x = 75 + side * 31
        shape = oval(x, 65, rx, ry) if rng.random() < 0.5 else rounded(x - rx, 65 - ry, 2 * rx, 2 * ry, 9)
        canvas.fill(shape, lens)
        canvas.body(shape, 0.92 if dark else 0.2)
        shine = oval(x - rx * 0.3, 65 - ry * 0.3, rx * 0.4, ry * 0.15, 2.4)
        canvas.fill(shine, mix(lens, WHITE, 0.5))
        canvas.line(shape, frame, thick, closed=True, body=True)
        canvas.line(
            [(75 + side * 58, 62), (75 + side * 60, 20), (75 + side * rng.uniform(20, 58), 6)], frame, thick, body=True
        )
    canvas.line([(75 - 8, 60), (75, 56), (75 + 8, 60)], frame, thick, body=True)
    return canvas.sprite(0.6)


def watch(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a wrist watch with twelve numbers on its dial, and its strap."""
    strap, dial = (
        any_colour(rng, (0, 0.8), (0.05, 0.7)),
        pale(rng) if rng.random() < 0.6 else any_colour(rng, (0, 0.8), (0.05, 0.5)),
    )
    canvas = Canvas(rng, (50, 200), px_per_mm, strap)
    x, y, radius = 25.0, 100.0, rng.uniform(15, 22)
    canvas.fill(rounded(x - radius * 0.5, 6, radius, 188, 5), strap, body=True)
    for v in range(12, 60, 6):
        canvas.fill(oval(x, v, 1.2), scaled(strap, 0.3))
    canvas.fill(oval(x, y, radius), hsv(rng.choice([45, 220]), rng.uniform(0, 0.5), 0.75), body=True)
    canvas.fill(oval(x, y, radius * 0.86), dial)
    for hour in range(1, 13):
        angle = hour * np.pi / 6 - np.pi / 2
        canvas.text(
            str(hour),
            x + radius * 0.68 * np.cos(angle),
            y + radius * 0.68 * np.sin(angle),
            radius * 0.17,
            _ink_on(dial),
        )
    for reach, width in ((0.4, 1.4), (0.6, 0.9)):
        angle = rng.uniform(0, 2 * np.pi)
        canvas.line(
            [(x, y), (x + radius * reach * np.cos(angle), y + radius * reach * np.sin(angle))], _ink_on(dial), width
        )
    return canvas.sprite(1.0)


def ruler(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a ruler with marks and numbers along its edge."""
    length, wide = rng.choice([150.0, 200.0, 300.0]) + 10, rng.uniform(22, 36)
    colour = (
        hsv(rng.uniform(30, 50), rng.uniform(0.1, 0.6), rng.uniform(0.6, 1.0))
        if rng.random() < 0.6
        else any_colour(rng)
    )
    canvas = Canvas(rng, (length, wide), px_per_mm, colour)
    canvas.body(rounded(0.3, 0.3, length - 0.6, wide - 0.6, 1))
    for mm in range(int(length) - 9):
        if mm % 5 == 0 or px_per_mm > 2:
            tall = 8 if mm % 10 == 0 else 5 if mm % 5 == 0 else 3
            canvas.line([(5 + mm, 0), (5 + mm, tall)], _ink_on(colour), 0.25)
        if mm % 10 == 0:
            canvas.text(str(mm // 10), 5 + mm, 11, 3.2, _ink_on(colour))
    return canvas.sprite(0.8)

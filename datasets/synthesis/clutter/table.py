"""Clutter of a laid table or another game: cups, plates, bowls, candles, coins, dice, dominoes, chips, pale blocks."""

from __future__ import annotations

import numpy as np

from tilekeeper.datasets.synthesis.clutter.canvas import Canvas, move_outline, oval, rounded, shade_round, star
from tilekeeper.datasets.synthesis.noise import Colour, any_colour, hsv, mix, scaled

WHITE: Colour = (245.0, 247.0, 248.0)


def pale(rng: np.random.Generator) -> Colour:
    """Return white, ivory or light grey."""
    return hsv(rng.uniform(25, 60), rng.uniform(0.0, 0.18), rng.uniform(0.78, 1.0))


def cup(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a mug or cup with a drink, seen from above or leaning away, some on a saucer."""
    colour = pale(rng) if rng.random() < 0.5 else any_colour(rng, (0.1, 0.9), (0.1, 0.95))
    drink = hsv(rng.uniform(10, 40), rng.uniform(0.4, 0.9), rng.uniform(0.08, 0.6))
    top, lean = rng.uniform(32, 46), rng.uniform(0, 45)
    saucer = rng.random() < 0.35
    half = top * (1.75 if saucer else 1.65)
    canvas = Canvas(rng, (2 * half, 2 * half + lean), px_per_mm, colour)
    x, y = half, half
    if saucer:
        canvas.fill(oval(x, y + lean * 0.6, top * 1.7), scaled(colour, 0.95), body=True)
        canvas.line(oval(x, y + lean * 0.6, top * 1.35), scaled(colour, 0.8), 1.2, closed=True)
    angle = rng.uniform(0, 2 * np.pi)
    grip = np.array([np.cos(angle), np.sin(angle)])
    canvas.line(
        oval(x + grip[0] * top * 1.1, y + grip[1] * top * 1.1 + lean / 2, top * 0.38),
        scaled(colour, 0.85),
        8,
        closed=True,
        body=True,
    )
    bottom = top * rng.uniform(0.7, 1.0)
    for share in np.linspace(1, 0, 14):
        radius = top + (bottom - top) * share
        canvas.fill(oval(x, y + lean * share, radius), scaled(colour, 0.62 + 0.3 * (1 - share)), body=True)
    canvas.fill(oval(x, y, top), scaled(colour, 1.06), body=True)
    shade_round(canvas, x, y, top * 0.92, scaled(colour, 0.85), 0.5, hollow=True)
    level = rng.uniform(0.6, 0.86)
    canvas.fill(oval(x, y + 2, top * level), drink)
    canvas.fill(oval(x - top * 0.2, y - top * 0.2, top * 0.25, top * 0.1, rng.uniform(0, 3)), mix(drink, WHITE, 0.25))
    canvas.soften(0.4)
    return canvas.sprite()


def glass(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a drinking glass: mostly clear, with bright rims, reflections and perhaps a drink."""
    top, lean = rng.uniform(28, 42), rng.uniform(5, 60)
    tint = any_colour(rng, (0, 0.3), (0.6, 1))
    canvas = Canvas(rng, (2 * top + 8, 2 * top + lean + 8), px_per_mm, tint)
    x, y = top + 4, top + 4
    for share in np.linspace(1, 0, 20):
        canvas.body(oval(x, y + lean * share, top * (1 - 0.2 * share)), rng.uniform(0.18, 0.3))
    if rng.random() < 0.6:
        drink = any_colour(rng, (0.2, 1), (0.3, 1.0))
        canvas.fill(oval(x, y + lean * 0.3, top * 0.88), drink)
        canvas.body(oval(x, y + lean * 0.3, top * 0.88), rng.uniform(0.5, 0.95))
    for share, width in ((0.0, rng.uniform(0.8, 2.0)), (1.0, rng.uniform(0.8, 2.5)), (0.9, 0.8)):
        canvas.line(
            oval(x, y + lean * share, top * (1 - 0.2 * share)),
            mix(tint, WHITE, rng.uniform(0.3, 1)),
            width,
            closed=True,
            body=True,
        )
    side = x + rng.choice([-1, 1]) * top * 0.7
    canvas.line([(side, y), (side * 0.98, y + lean)], WHITE, 1.2, body=True)
    canvas.soften(0.3)
    return canvas.sprite(uneven=0.02)


def plate(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a plate with biscuits, round, square or star-shaped, with crumbs."""
    colour = pale(rng) if rng.random() < 0.6 else any_colour(rng, (0.1, 0.8), (0.2, 0.9))
    radius = rng.uniform(60, 115)
    canvas = Canvas(rng, (2 * radius + 4, 2 * radius + 4), px_per_mm, colour)
    x = y = radius + 2
    square = rng.random() < 0.2
    rim = rounded(2, 2, 2 * radius, 2 * radius, 12) if square else oval(x, y, radius)
    canvas.fill(rim, colour, body=True)
    canvas.line(rim, scaled(any_colour(rng), 0.9) if rng.random() < 0.4 else scaled(colour, 0.9), 2.5, closed=True)
    shade_round(canvas, x, y, radius * 0.7, scaled(colour, 0.97), 0.12, hollow=True)
    canvas.soften(1.0)
    crust = hsv(rng.uniform(18, 38), rng.uniform(0.4, 0.75), rng.uniform(0.35, 0.9))
    for _ in range(int(rng.integers(0, 9))):
        away, angle, size = rng.uniform(0, radius * 0.55), rng.uniform(0, 2 * np.pi), rng.uniform(12, 26)
        bx, by, turn = x + away * np.cos(angle), y + away * np.sin(angle), rng.uniform(0, np.pi)
        kind = rng.integers(3)
        if kind == 0:
            shape = oval(bx, by, size)
        elif kind == 1:
            shape = rounded(-size, -size * 0.6, 2 * size, size * 1.2, 3)
            shape = shape @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + (bx, by)
        else:
            shape = star(bx, by, size, 6, 0.7, turn)
        shade = scaled(crust, rng.uniform(0.7, 1.2))
        canvas.fill(move_outline(shape, 1.2, 1.6), scaled(crust, 0.35))
        canvas.fill(shape, shade)
        for _ in range(int(rng.integers(0, 9))):
            dot = np.array([bx, by]) + rng.normal(0, size * 0.35, 2)
            canvas.fill(oval(dot[0], dot[1], 1.4), scaled(shade, 0.55))
    for _ in range(int(rng.integers(0, 40))):
        away, angle = radius * 0.85 * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
        canvas.fill(oval(x + away * np.cos(angle), y + away * np.sin(angle), rng.uniform(0.4, 1.6)), scaled(crust, 0.9))
    return canvas.sprite(1.5)


def bowl(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a bowl of nuts, crisps, grapes or sweets in wrappers."""
    radius = rng.uniform(45, 90)
    colour = any_colour(rng, (0, 0.8), (0.15, 1.0))
    canvas = Canvas(rng, (2 * radius + 4, 2 * radius + 4), px_per_mm, colour)
    x = y = radius + 2
    canvas.fill(oval(x, y, radius), colour, body=True)
    shade_round(canvas, x, y, radius * 0.93, scaled(colour, 0.75), 0.7, hollow=True)
    canvas.soften(0.6)
    palette = [any_colour(rng, (0.3, 1.0), (0.3, 1.0)) for _ in range(int(rng.integers(1, 5)))]
    size, long = rng.uniform(4, 13), rng.uniform(1.0, 2.2)
    for _ in range(int(min(160, 2.2 * (radius / size) ** 2))):
        away, angle = radius * 0.8 * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
        bx, by, turn = x + away * np.cos(angle), y + away * np.sin(angle), rng.uniform(0, np.pi)
        shade = scaled(palette[int(rng.integers(len(palette)))], rng.uniform(0.7, 1.15))
        canvas.fill(oval(bx + 0.5, by + 0.8, size * long, size, turn), scaled(shade, 0.4))
        canvas.fill(oval(bx, by, size * long * 0.95, size * 0.95, turn), shade)
        canvas.fill(oval(bx - size * 0.2, by - size * 0.25, size * 0.35, size * 0.2, turn), mix(shade, WHITE, 0.4))
    return canvas.sprite(2.0)


def candle(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a candle or tea light with a flame."""
    radius = rng.uniform(18, 40)
    wax = any_colour(rng, (0, 0.8), (0.4, 1.0))
    canvas = Canvas(rng, (2 * radius + 4, 2 * radius + 4), px_per_mm, hsv(220, 0.03, 0.75))
    x = y = radius + 2
    canvas.body(oval(x, y, radius))
    canvas.line(oval(x, y, radius), hsv(220, 0.05, rng.uniform(0.4, 1.0)), 2, closed=True)
    shade_round(canvas, x, y, radius * 0.9, wax, 0.25, hollow=False)
    if rng.random() < 0.6:
        for size, colour in ((9, hsv(30, 0.8, 1.0)), (6, hsv(45, 0.5, 1.0)), (3, hsv(50, 0.1, 1.0))):
            canvas.fill(oval(x, y - size * 0.4, size * 0.55, size), colour)
        canvas.soften(1.2)
    canvas.line([(x, y), (x + 1, y - 4)], (20, 20, 20), 1.2)
    return canvas.sprite()


def coins(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return scattered coins of copper, brass and silver, with stars, a rim and a value."""
    canvas = Canvas(rng, (rng.uniform(45, 110), rng.uniform(45, 90)), px_per_mm, hsv(35, 0.5, 0.6))
    h, w = (side / px_per_mm for side in canvas.alpha.shape)
    for _ in range(int(rng.integers(1, 9))):
        radius = rng.uniform(8, 13)
        x, y = rng.uniform(radius, max(radius + 1, w - radius)), rng.uniform(radius, max(radius + 1, h - radius))
        hue, sat = ((24, 0.6), (45, 0.5), (220, 0.04))[int(rng.integers(3))]
        metal = hsv(hue, sat, rng.uniform(0.4, 0.85))
        canvas.fill(oval(x, y, radius), metal, body=True)
        canvas.line(oval(x, y, radius * 0.92), scaled(metal, 1.3), 0.7, closed=True)
        if rng.random() < 0.4:
            canvas.fill(oval(x, y, radius * 0.68), hsv(45, 0.45, rng.uniform(0.5, 0.8)))
        for angle in np.linspace(0, 2 * np.pi, 12, endpoint=False):
            canvas.fill(
                star(x + radius * 0.8 * np.cos(angle), y + radius * 0.8 * np.sin(angle), 1.2), scaled(metal, 0.6)
            )
        canvas.text(str(rng.choice(["1", "2", "5", "10", "20", "50"])), x, y, radius * 0.8, scaled(metal, 0.5))
    return canvas.sprite(0.6)


def dice(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return one to six dice at random angles."""
    canvas = Canvas(rng, (80, 70), px_per_mm, WHITE)
    colour = pale(rng) if rng.random() < 0.6 else any_colour(rng, (0.3, 1), (0.2, 0.9))
    spot = (20.0, 20.0, 20.0) if sum(colour) > 350 else WHITE
    side = rng.uniform(9, 18)
    spots = {1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)], 4: [(-1, -1), (1, 1), (-1, 1), (1, -1)]}
    spots[5], spots[6] = [*spots[4], (0, 0)], [*spots[4], (-1, 0), (1, 0)]
    for _ in range(int(rng.integers(1, 7))):
        centre, turn = rng.uniform(14, (66, 56)), rng.uniform(0, np.pi)
        spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        face = rounded(-side / 2, -side / 2, side, side, side * 0.2) @ spin + centre
        canvas.fill(move_outline(face, 0.8, 1.6), scaled(colour, 0.6), body=True)
        canvas.fill(face, colour, body=True)
        for place in spots[int(rng.integers(1, 7))]:
            x, y = np.array(place) * side * 0.26 @ spin + centre
            canvas.fill(oval(x, y, side * 0.09), spot)
    return canvas.sprite(0.7)


def dominoes(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return dominoes, which have nearly the size and colour of tiles, but two halves with dots."""
    colour = pale(rng) if rng.random() < 0.6 else any_colour(rng, (0, 0.8), (0.05, 0.6))
    spot = (25.0, 22.0, 20.0) if sum(colour) > 350 else WHITE
    width = rng.uniform(19, 28)
    count = int(rng.integers(1, 6))
    canvas = Canvas(rng, (count * width * 1.5 + 10, width * 2 + 26), px_per_mm, colour)
    grid = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    for i in range(count):
        left, top = 4 + i * width * rng.uniform(1.05, 1.45), rng.uniform(4, 18)
        outline = rounded(left, top, width, width * 2, 2)
        canvas.fill(move_outline(outline, 0.6, 1.2), scaled(colour, 0.65), body=True)
        canvas.fill(outline, colour, body=True)
        canvas.line([(left + 2, top + width), (left + width - 2, top + width)], scaled(colour, 0.5), 0.8)
        for half in (0, 1):
            x, y = left + width / 2, top + width * (half + 0.5)
            for place in rng.permutation(9)[: int(rng.integers(0, 7))]:
                dx, dy = grid[int(place)]
                canvas.fill(oval(x + dx * width * 0.27, y + dy * width * 0.27, width * 0.08), spot)
    return canvas.sprite(0.8)


def blocks(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return plain pale blocks of about a tile's size: erasers, sugar cubes, chips, blank cards, soap, toy bricks."""
    colour = pale(rng) if rng.random() < 0.75 else any_colour(rng, (0, 0.7), (0.4, 1))
    w, h = rng.uniform(14, 36), rng.uniform(14, 46)
    radius, thick = rng.choice([0.0, 1.0, 3.0, 8.0, 30.0]), rng.uniform(0.5, 8)
    count = int(rng.integers(1, 7))
    studs, band = rng.random() < 0.15, rng.random() < 0.2
    canvas = Canvas(rng, (110 + w, 90 + h), px_per_mm, colour)
    for _ in range(count):
        turn = rng.uniform(0, 2 * np.pi) if rng.random() < 0.6 else 0.0
        spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        centre = rng.uniform(0, 1, 2) * (110 - w * 0.3, 90 - h * 0.3) + (w * 0.65, h * 0.65)
        face = rounded(-w / 2, -h / 2, w, h, radius) @ spin + centre
        for level in np.linspace(1, 0, max(2, round(thick * px_per_mm / 2))):
            canvas.fill(move_outline(face, 0.35 * thick * level, thick * level), scaled(colour, 0.62), body=True)
        canvas.fill(face, colour, body=True)
        canvas.line(face, scaled(colour, 0.88), 0.6, closed=True)
        if band:
            canvas.fill(rounded(-w / 2, -h / 5, w, h * 0.55) @ spin + centre, any_colour(rng, (0.4, 1), (0.3, 0.9)))
        if studs:
            for sx in (-0.25, 0.25):
                for sy in (-0.25, 0.25):
                    x, y = np.array([sx * w, sy * h]) @ spin + centre
                    canvas.fill(oval(x + 0.5, y + 0.8, 0.16 * min(w, h)), scaled(colour, 0.75))
                    canvas.fill(oval(x, y, 0.16 * min(w, h)), scaled(colour, 1.04))
    return canvas.sprite(1.0, uneven=0.02)


def chips(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return round counters or poker chips, some with a value in the middle."""
    canvas = Canvas(rng, (130, 110), px_per_mm, WHITE)
    radius = rng.uniform(9, 21)
    for _ in range(int(rng.integers(1, 8))):
        colour, mark = any_colour(rng, (0.2, 1), (0.15, 1)), pale(rng)
        x, y = rng.uniform(radius + 2, 128 - radius), rng.uniform(radius + 2, 108 - radius)
        canvas.fill(oval(x + 0.6, y + 1.5, radius), scaled(colour, 0.5), body=True)
        canvas.fill(oval(x, y, radius), colour, body=True)
        if radius > 15:
            for angle in np.linspace(0, 2 * np.pi, 6, endpoint=False) + rng.uniform(0, 1):
                wedge = [
                    (x + radius * k * np.cos(angle + d), y + radius * k * np.sin(angle + d))
                    for k, d in ((1, -0.2), (1, 0.2), (0.78, 0.2), (0.78, -0.2))
                ]
                canvas.fill(wedge, mark)
            canvas.fill(oval(x, y, radius * 0.55), mark)
            canvas.text(str(rng.choice(["1", "5", "10", "25", "100"])), x, y, radius * 0.5, scaled(colour, 0.7))
        else:
            canvas.line(oval(x, y, radius * 0.75), scaled(colour, 0.8), 0.8, closed=True)
    return canvas.sprite(0.8)

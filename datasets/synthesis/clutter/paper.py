"""Clutter of paper and card: rulebooks, cards, pads, calendars, notes, scraps, boxes and books, many with numbers."""

from __future__ import annotations

import string

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.clutter.canvas import Canvas, oval, place_outline, rounded, star
from tilekeeper.datasets.synthesis.clutter.table import WHITE, pale
from tilekeeper.datasets.synthesis.noise import Colour, any_colour, fractal, hsv, mix, relight, scaled

INK: Colour = (35.0, 30.0, 30.0)
SUITS: tuple[Colour, ...] = (INK, (40.0, 30.0, 200.0))


def _word(rng: np.random.Generator, low: int = 3, high: int = 9) -> str:
    return "".join(rng.choice(list(string.ascii_letters), int(rng.integers(low, high))))


def lines_of_text(canvas: Canvas, x: float, y: float, w: float, h: float, line_mm: float, ink: Colour) -> None:
    """Fill a box (mm) with lines of words; if the lines are small, words are drawn as bars."""
    rng = canvas.rng
    while h > line_mm:
        at, end = x, x + w * (1.0 if rng.random() < 0.8 else rng.uniform(0.2, 0.9))
        while at < end:
            word = rng.uniform(1.0, 5.0) * line_mm
            right = min(at + word, end)
            if line_mm * canvas.scale > 9 and right - at > 2 * line_mm:
                letters = max(1, round((right - at) / (0.5 * line_mm)))
                canvas.text(_word(rng, letters, letters + 1), (at + right) / 2, y + line_mm / 2, line_mm * 0.5, ink)
            else:
                canvas.line([(at, y + line_mm / 2), (right, y + line_mm / 2)], mix(ink, WHITE, 0.3), line_mm * 0.4)
            at += word + line_mm * 0.6
        y, h = y + line_mm, h - line_mm


def rulebook(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a leaflet with headings, text and pictures of rows of small cards, some with a fold in the middle."""
    w, h = rng.uniform(100, 215), rng.uniform(130, 300)
    paper = pale(rng)
    canvas = Canvas(rng, (w, h), px_per_mm, paper)
    canvas.body(rounded(0.3, 0.3, w - 0.6, h - 0.6))
    accent = any_colour(rng, (0.5, 1), (0.3, 0.9))
    columns = int(rng.integers(1, 4))
    for column in range(columns):
        x, wide, y = 6 + column * (w - 6) / columns, (w - 6) / columns - 6, 8.0
        while y < h - 14:
            kind = rng.random()
            if kind < 0.2:
                canvas.text(_word(rng, 5, 11).upper(), x + wide / 2, y + 4, 5, accent)
                y += 11
            elif kind < 0.45:
                # Pictured cards are smaller and flatter than tiles, with gaps, so that they are not taken for tiles.
                count, tall = int(rng.integers(3, 7)), rng.uniform(8, 14)
                step = min(wide / count, tall * 0.8)
                canvas.fill(rounded(x, y, wide, tall + 4), mix(paper, accent, 0.15))
                for i in range(count):
                    canvas.fill(rounded(x + 2 + i * step, y + 2, step * 0.9, tall, 1), mix(paper, WHITE, 0.6))
                    canvas.line(rounded(x + 2 + i * step, y + 2, step * 0.9, tall, 1), scaled(accent, 0.5), 0.3, True)
                    canvas.fill(star(x + 2 + (i + 0.45) * step, y + 2 + tall * 0.4, step * 0.25), any_colour(rng))
                y += tall + 8
            elif kind < 0.55:
                tall = rng.uniform(15, 40)
                canvas.fill(rounded(x, y, wide, tall), any_colour(rng, (0.1, 0.9), (0.2, 0.9)))
                for _ in range(3):
                    canvas.fill(oval(x + wide * rng.uniform(0.2, 0.8), y + tall / 2, tall * 0.25), any_colour(rng))
                y += tall + 4
            else:
                tall = rng.uniform(12, 40)
                lines_of_text(canvas, x, y, wide, min(tall, h - 6 - y), rng.uniform(2.4, 4.5), INK)
                y += tall + 5
    sprite = canvas.sprite(uneven=0.05)
    if rng.random() < 0.6:
        across = np.abs(np.linspace(-1, 1, sprite.shape[1], dtype=np.float32))[None, :].repeat(sprite.shape[0], axis=0)
        sprite[..., :3] = relight(np.ascontiguousarray(sprite[..., :3]), 1.0 - 0.35 * np.exp(-across * 14))
    return sprite


def playing_cards(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a fan or heap of playing cards, faces and backs."""
    card_w, card_h = rng.uniform(54, 64), rng.uniform(84, 92)
    count = int(rng.integers(1, 7))
    canvas = Canvas(rng, (card_w * 2 + count * 14, card_h * 1.7), px_per_mm, WHITE)
    back = any_colour(rng, (0.4, 1), (0.3, 0.8))
    lean, step = rng.uniform(-0.4, 0.4), rng.uniform(8, 20)
    for i in range(count):
        turn = lean + (i - count / 2) * rng.uniform(0.02, 0.2)
        x, y = card_w * 0.95 + i * step, card_h * 0.85 + rng.uniform(-4, 4)
        edge = rounded(-card_w / 2, -card_h / 2, card_w, card_h, 3)
        canvas.fill(place_outline(edge, turn, x + 0.4, y + 0.5), (120, 120, 120), body=True)
        canvas.fill(place_outline(edge, turn, x, y), WHITE, body=True)
        if rng.random() < 0.3:
            canvas.fill(
                place_outline(rounded(-card_w / 2 + 3, -card_h / 2 + 3, card_w - 6, card_h - 6, 2), turn, x, y), back
            )
            continue
        ink = SUITS[int(rng.integers(2))]
        rank = str(rng.choice(["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]))
        for side in (-1, 1):
            corner = place_outline(np.array([[side * (card_w / 2 - 6), side * (card_h / 2 - 8)]]), turn, x, y)[0]
            canvas.text(rank, corner[0], corner[1], 6, ink)
        pips = int(rank) if rank.isdigit() else 1
        columns = 1 if pips < 4 else 2
        for pip in range(pips):
            u = 0.0 if columns == 1 else (pip % 2 - 0.5) * card_w * 0.4
            v = ((pip // columns + 0.5) / -(-pips // columns) - 0.5) * card_h * 0.68
            canvas.fill(place_outline(star(u, v, 5 if pips > 1 else 11, 4, 0.6), turn, x, y), ink)
    return canvas.sprite(0.4)


def notepad(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a ruled pad with handwriting, or a score table of names and numbers."""
    w, h = rng.uniform(75, 150), rng.uniform(100, 210)
    paper = pale(rng)
    canvas = Canvas(rng, (w, h), px_per_mm, paper)
    canvas.body(rounded(0.3, 0.3, w - 0.6, h - 0.6, 1.5))
    rule, ink = mix(paper, any_colour(rng, (0.2, 0.8), (0.4, 0.8)), 0.5), any_colour(rng, (0.2, 1), (0.05, 0.5))
    step = rng.uniform(6, 10)
    for y in np.arange(12, h, step):
        canvas.line([(0, y), (w, y)], rule, 0.3)
    if rng.random() < 0.5:
        for x in np.arange(0, w, step):
            canvas.line([(x, 12), (x, h)], rule, 0.3)
    columns = int(rng.integers(2, 6))
    if rng.random() < 0.7:
        _score_table(rng, canvas, (w, h), columns, step, ink)
    else:
        for y in np.arange(12 + step / 2, h * rng.uniform(0.3, 0.9), step):
            along = np.arange(6, w * rng.uniform(0.5, 0.95), 1.1)
            canvas.line(np.stack([along, y + rng.normal(0, step * 0.17, len(along))], axis=1), ink, 0.5)
    if rng.random() < 0.5:
        for x in np.arange(4, w - 3, 7):
            canvas.fill(oval(x, 5, 1.6), scaled(paper, 0.3))
    return canvas.sprite(uneven=0.05)


def _score_table(
    rng: np.random.Generator, canvas: Canvas, wh: tuple[float, float], columns: int, step: float, ink: Colour
) -> None:
    w, h = wh
    for i in range(1, columns):
        canvas.line([(w * i / columns, 8), (w * i / columns + rng.uniform(-1, 1), h - 8)], ink, 0.6)
    for row, y in enumerate(np.arange(12 + step / 2, h - step, step)):
        for i in range(columns):
            text = _word(rng, 2, 5).title() if row == 0 else str(rng.integers(-60, 250))
            if row == 0 or rng.random() < 0.7:
                centre = w * (i + 0.5) / columns + rng.uniform(-2, 2)
                canvas.text(text, centre, y + rng.uniform(-1, 1), step * rng.uniform(0.4, 0.6), ink)


def calendar(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a calendar page: a month's name over a grid of day numbers."""
    cell_w, cell_h = rng.uniform(11, 26), rng.uniform(10, 24)
    w, h = cell_w * 7 + 8, cell_h * 6 + 34
    paper, accent = pale(rng), any_colour(rng, (0.5, 1), (0.3, 0.9))
    canvas = Canvas(rng, (w, h), px_per_mm, paper)
    canvas.body(rounded(0.3, 0.3, w - 0.6, h - 0.6))
    canvas.fill(rounded(0, 0, w, 16), accent)
    canvas.text(_word(rng, 4, 9).upper(), w / 2, 8, 7, WHITE)
    first, ruled = int(rng.integers(0, 7)), rng.random() < 0.6
    for place in range(42):
        x, y = 4 + (place % 7) * cell_w, 28 + (place // 7) * cell_h
        if ruled:
            canvas.line(rounded(x, y, cell_w, cell_h), mix(paper, INK, 0.3), 0.3, closed=True)
        if 1 <= place - first + 1 <= 31:
            ink = SUITS[1] if place % 7 == 6 else INK
            canvas.text(
                str(place - first + 1), x + cell_w * 0.5, y + cell_h * 0.45, cell_h * rng.uniform(0.33, 0.36), ink
            )
    return canvas.sprite()


def sticky_notes(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return one to four coloured sticky notes with a digit, a word or a scribble."""
    side = rng.uniform(38, 76)
    canvas = Canvas(rng, (side * 2.1, side * 1.9), px_per_mm, hsv(52, 0.5, 1))
    for _ in range(int(rng.integers(1, 5))):
        colour = hsv(rng.choice([52, 90, 330, 30, 195]), rng.uniform(0.35, 0.7), rng.uniform(0.85, 1.0))
        x, y, turn = rng.uniform(0.72, 1.38) * side, rng.uniform(0.72, 1.18) * side, rng.normal(0, 0.2)
        canvas.fill(
            place_outline(rounded(-side / 2, -side / 2, side, side), turn, x + 0.6, y + 1),
            scaled(colour, 0.6),
            body=True,
        )
        canvas.fill(place_outline(rounded(-side / 2, -side / 2, side, side), turn, x, y), colour, body=True)
        canvas.fill(place_outline(rounded(-side / 2, -side / 2, side, side * 0.16), turn, x, y), scaled(colour, 0.95))
        ink = any_colour(rng, (0.3, 1), (0.0, 0.4))
        if rng.random() < 0.5:
            canvas.text(str(rng.integers(0, 100)), x, y, side * rng.uniform(0.2, 0.5), ink)
        else:
            lines_of_text(canvas, x - side * 0.35, y - side * 0.25, side * 0.7, side * 0.6, side * 0.13, ink)
    return canvas.sprite(0.4)


def paper_scraps(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return torn scraps with numbers, receipts and tickets."""
    canvas = Canvas(rng, (150, 140), px_per_mm, WHITE)
    for _ in range(int(rng.integers(1, 5))):
        w, h, turn = rng.uniform(20, 60), rng.uniform(25, 90), rng.uniform(0, 2 * np.pi)
        x, y = rng.uniform(50, 100), rng.uniform(55, 85)
        torn = rounded(-w / 2, -h / 2, w, h, 4)
        torn = torn + rng.normal(0, 1.8, torn.shape)
        paper = pale(rng)
        canvas.fill(place_outline(torn, turn, x + 0.5, y + 0.8), scaled(paper, 0.6), body=True)
        canvas.fill(place_outline(torn, turn, x, y), paper, body=True)
        ink = any_colour(rng, (0.2, 1), (0.0, 0.5))
        for v in np.arange(-h / 2 + 6, h / 2 - 5, rng.uniform(5, 11)):
            at = place_outline(np.array([[0.0, v]]), turn, x, y)[0]
            canvas.text(str(rng.integers(0, 10 ** int(rng.integers(1, 6)))), at[0], at[1], rng.uniform(2.5, 5), ink)
    return canvas.sprite(0.3)


def tissue(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a crumpled tissue or napkin."""
    side = rng.uniform(70, 140)
    colour = pale(rng) if rng.random() < 0.7 else any_colour(rng, (0.2, 0.8), (0.5, 1))
    canvas = Canvas(rng, (side, side), px_per_mm, colour)
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    reach = side * (0.36 + 0.06 * np.sin(4 * angle + 0.6) + rng.normal(0, 0.025, 40))
    canvas.body(np.stack([side / 2 + reach * np.cos(angle), side / 2 + reach * np.sin(angle)], axis=1))
    h, w = canvas.alpha.shape
    folds = np.abs(fractal(rng, (w, h), max(6.0, side * px_per_mm * rng.uniform(0.2, 0.5)), 4, 0.5))
    canvas.image = relight(canvas.image, 1.03 - np.float32(rng.uniform(0.1, 0.25)) * np.clip(folds, 0, 2.5))
    return canvas.sprite(2.0)


def box_lid(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a game's box lid: strong colour, big digits and letters, stars, rays and rows of coloured panels."""
    w, h = rng.uniform(120, 330), rng.uniform(110, 270)
    hue = rng.choice([0.0, 215.0, 48.0, 120.0, 25.0, 280.0])
    colour = hsv(hue + rng.normal(0, 8), rng.uniform(0.5, 1.0), rng.uniform(0.4, 1.0))
    second = any_colour(rng, (0.5, 1), (0.4, 1))
    canvas = Canvas(rng, (w, h), px_per_mm, colour)
    canvas.body(rounded(0.3, 0.3, w - 0.6, h - 0.6, 1.5))
    cx, cy = w * rng.uniform(0.3, 0.7), h * rng.uniform(0.3, 0.7)
    if rng.random() < 0.5:
        for angle in np.arange(0, 2 * np.pi, np.pi / 8) + rng.uniform(0, 1):
            far = max(w, h) * 1.5
            edge = [(cx + far * np.cos(angle + d), cy + far * np.sin(angle + d)) for d in (0, np.pi / 16)]
            canvas.fill([(cx, cy), *edge], scaled(colour, 1.15))
    for _ in range(int(rng.integers(1, 6))):
        shape = star(0, 0, rng.uniform(10, 45), int(rng.integers(5, 12)), rng.uniform(0.4, 0.8))
        if rng.random() < 0.5:
            shape = oval(0, 0, rng.uniform(10, 60), rng.uniform(8, 30))
        canvas.fill(
            place_outline(shape, rng.uniform(0, 3), rng.uniform(0, w), rng.uniform(0, h)),
            any_colour(rng, (0.3, 1), (0.3, 1)),
        )
    if rng.random() < 0.6:
        # Lids often show a row of saturated panels, each with one large number.
        count, side = int(rng.integers(2, 6)), rng.uniform(18, 45)
        x0, y0, turn = rng.uniform(0.05, 0.4) * w, rng.uniform(0.2, 0.8) * h, rng.normal(0, 0.3)
        for i in range(count):
            x, y = x0 + i * side * np.cos(turn), y0 + i * side * np.sin(turn)
            canvas.fill(
                place_outline(rounded(-side * 0.46, -side * 0.55, side * 0.92, side * 1.1, 2), turn, x, y),
                any_colour(rng, (0.5, 1.0), (0.35, 0.95)),
            )
            canvas.text(str(rng.integers(0, 100)), x, y, side * 0.5, WHITE if rng.random() < 0.6 else INK)
    title = _word(rng, 5, 10)
    x, y, tall = w / 2, h * rng.choice([0.18, 0.5, 0.8]), w / len(title) * rng.uniform(0.6, 0.95)
    if rng.random() < 0.6:
        canvas.fill(rounded(x - w * 0.42, y - tall * 0.8, w * 0.84, tall * 1.6, tall * 0.4), second)
    canvas.text(title, x, y, tall, WHITE if rng.random() < 0.6 else hsv(48, 0.9, 1.0))
    canvas.text(str(rng.choice(["2-4", "8+", "8-99", "30'", "106", "4"])), w * 0.88, h * 0.92, min(w, h) * 0.06, WHITE)
    canvas.line(rounded(0.6, 0.6, w - 1.2, h - 1.2, 1.5), scaled(colour, rng.uniform(0.5, 1.3)), 1.5, closed=True)
    return canvas.sprite(1.2, uneven=0.06)


def box_open(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return an empty box or tray from above: walls, a darker floor, sometimes compartments."""
    w, h = rng.uniform(110, 330), rng.uniform(100, 260)
    colour = hsv(rng.uniform(22, 38), rng.uniform(0.2, 0.5), rng.uniform(0.4, 0.9))
    if rng.random() < 0.5:
        colour = pale(rng) if rng.random() < 0.5 else any_colour(rng, (0.1, 0.9), (0.1, 0.9))
    canvas = Canvas(rng, (w, h), px_per_mm, scaled(colour, 1.05))
    canvas.body(rounded(0.3, 0.3, w - 0.6, h - 0.6, 2))
    wall, skew = rng.uniform(4, 26), rng.uniform(-0.5, 0.5, 2)
    left, top = 2 + wall * (1 + skew[0]), 2 + wall * (1 + skew[1])
    right, low = w - 2 - wall * (1 - skew[0]), h - 2 - wall * (1 - skew[1])
    inner = [(left, top), (right, top), (right, low), (left, low)]
    outer = [(2, 2), (w - 2, 2), (w - 2, h - 2), (2, h - 2)]
    for i, gain in enumerate(rng.permutation([0.55, 0.7, 0.85, 0.95])):
        j = (i + 1) % 4
        canvas.fill([outer[i], outer[j], inner[j], inner[i]], scaled(colour, float(gain)))
    canvas.fill(inner, scaled(colour, rng.uniform(0.5, 0.85)))
    for _ in range(int(rng.integers(0, 4))):
        x = rng.uniform(left, right)
        canvas.line([(x, top), (x, low)], scaled(colour, rng.uniform(0.8, 1.1)), rng.uniform(1, 4))
    canvas.soften(0.3)
    return canvas.sprite(uneven=0.08)


def book(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a closed book, magazine or envelope with a title and a picture."""
    w, h = rng.uniform(90, 210), rng.uniform(120, 290)
    colour = any_colour(rng, (0.0, 0.9), (0.15, 1.0))
    canvas = Canvas(rng, (w, h), px_per_mm, colour)
    canvas.body(rounded(0.3, 0.3, w - 0.6, h - 0.6, 1))
    if rng.random() < 0.6:
        blots = rng.integers(0, 255, (4, 3, 3)).astype(np.uint8)
        picture = cv2.resize(blots, (canvas.image.shape[1], canvas.image.shape[0]))
        canvas.image = cv2.addWeighted(canvas.image, 0.5, picture, 0.5, 0)
    ink = WHITE if sum(colour) < 380 else INK
    for i in range(int(rng.integers(1, 4))):
        canvas.text(_word(rng, 4, 10).title(), w / 2, h * (0.15 + 0.13 * i), w * rng.uniform(0.05, 0.11), ink)
    lines_of_text(canvas, w * 0.12, h * 0.75, w * 0.7, h * 0.2, rng.uniform(3, 6), ink)
    canvas.line([(4, 0), (4, h)], scaled(colour, 0.7), 1.2)
    return canvas.sprite(1.5, uneven=0.08)

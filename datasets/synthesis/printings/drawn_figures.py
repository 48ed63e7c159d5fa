"""Procedural figures (digits), drawn stroke by stroke, each set in its own style.

A 4 may be open at the top, a 7 bent or hooked, a 1 with or without flag and foot, a 6 curled or straight. Makers of
tiles often draw their own figures, which no list of typefaces covers.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import cv2
import numpy as np

GLYPH_PX = 112
"""Height of figures, in pixels."""
_SCALE = 2
"""Supersampling factor of the strokes."""

Stroke = np.ndarray
"""Points of a line `(N, 2)`: x and y as shares of the figure's box, whose edge cuts off what is outside."""


@dataclass(frozen=True, slots=True)
class _Hand:
    """The style of one set's figures; lengths are shares of the figure's height."""

    width: float
    stroke: float
    contrast: float
    """Thickness of vertical strokes relative to horizontal ones."""
    squareness: float
    """Exponent of the superellipse of round strokes: 2 is an ellipse, more is closer to a rectangle."""
    cut: bool
    """Whether strokes end flat at the edge of the box; otherwise they end round."""


def _arc(
    centre: tuple[float, float], radii: tuple[float, float], degrees: tuple[float, float], square: float
) -> Stroke:
    """Return a part of a superellipse with the exponent `square`; 0 degrees is right, 90 is below."""
    angles = np.radians(np.linspace(*degrees, 48))
    cos, sin = np.cos(angles), np.sin(angles)
    unit = np.stack([np.sign(cos) * np.abs(cos) ** (2 / square), np.sign(sin) * np.abs(sin) ** (2 / square)], axis=1)
    return np.array(centre) + unit * radii


def _line(*points: tuple[float, float]) -> Stroke:
    return np.array(points, np.float64)


def _bent(start: tuple[float, float], by: tuple[float, float], end: tuple[float, float]) -> Stroke:
    """Return a quadratic Bézier curve from `start` to `end` with the control point `by`."""
    t = np.linspace(0, 1, 32)[:, None]
    curve: Stroke = (1 - t) ** 2 * np.array(start) + 2 * t * (1 - t) * np.array(by) + t**2 * np.array(end)
    return curve


_ABOVE, _BELOW = -0.3, 1.3
"""Coordinates beyond the upper and lower edge of the box, for strokes that end flat."""


def _zero(rng: np.random.Generator, hand: _Hand) -> list[Stroke]:
    return [_arc((0.5, 0.5), (0.5, 0.5), (0, 360), hand.squareness)]


def _one(rng: np.random.Generator, hand: _Hand) -> list[Stroke]:
    strokes = [_line((0.5, _ABOVE if hand.cut else 0.0), (0.5, _BELOW if hand.cut else 1.0))]
    flag = rng.random()
    if flag < 0.75:
        reach, drop = rng.uniform(0.25, 0.5), rng.uniform(0.0, 0.32)
        strokes.append(_line((0.5, 0.0), (0.5 - reach, drop)))
    if rng.random() < 0.3:
        strokes.append(_line((0.5 - rng.uniform(0.25, 0.45), 1.0), (0.5 + rng.uniform(0.25, 0.45), 1.0)))
    return strokes


def _two(rng: np.random.Generator, hand: _Hand) -> list[Stroke]:
    high = rng.uniform(0.24, 0.34)
    bowl = _arc((0.5, high), (0.5, high), (rng.uniform(170, 205), rng.uniform(370, 400)), hand.squareness)
    neck = _bent(tuple(bowl[-1]), (rng.uniform(0.6, 0.95), rng.uniform(0.52, 0.62)), (0.0, 1.0))
    return [np.concatenate([bowl, neck]), _line((0.0, 1.0), (1.0, 1.0))]


def _three(rng: np.random.Generator, hand: _Hand) -> list[Stroke]:
    waist = rng.uniform(0.4, 0.5)
    below = _arc((0.45, (1 + waist) / 2), (0.55, (1 - waist) / 2), (-90, rng.uniform(150, 180)), hand.squareness)
    if rng.random() < 0.22:  # flat above
        return [_line((0.05, 0.0), (0.9, 0.0), (0.42, waist)), below]
    above = _arc((0.45, waist / 2), (rng.uniform(0.42, 0.52), waist / 2), (rng.uniform(185, 215), 450), hand.squareness)
    return [above, below, _line((0.45, waist), (rng.uniform(0.15, 0.4), waist))]


def _four(rng: np.random.Generator, hand: _Hand) -> list[Stroke]:
    bar, stem, right = rng.uniform(0.58, 0.88), rng.uniform(0.6, 0.82), rng.uniform(0.85, 1.0)
    foot = _BELOW if hand.cut else 1.0
    if rng.random() < 0.5:  # closed
        top = stem if rng.random() < 0.7 else stem - rng.uniform(0.05, 0.3)
        return [_line((stem, 0.0), (stem, foot)), _line((top, 0.0), (0.0, bar), (right, bar))]
    # Open at the top: the left stroke is upright or slanted, and the stem begins at the top or lower.
    lean, start = rng.uniform(0.0, 0.5), rng.choice([0.0, rng.uniform(0.2, 0.45)])
    head = np.array([lean, 0.0])
    if hand.cut:
        head = head + (head - (0.0, bar)) * 0.4
    upper = _ABOVE if hand.cut and not start else start
    # The stem may lean like the left stroke, and the bar may end at it, so that the 4 resembles an 11.
    leaning = rng.uniform(0.0, 1.0 - stem) if rng.random() < 0.35 else 0.0
    at_bar = stem + leaning * (1 - bar)
    right = at_bar if rng.random() < 0.3 else right
    return [_line(tuple(head), (0.0, bar), (right, bar)), _line((stem + leaning * (1 - upper), upper), (stem, foot))]


def _five(rng: np.random.Generator, hand: _Hand) -> list[Stroke]:
    high, left = rng.uniform(0.36, 0.46), rng.uniform(0.02, 0.16)
    middle = (1 + high) / 2
    turn = rng.uniform(195, 235)
    bowl = _arc((0.46, middle), (0.54, (1 - high) / 2), (turn, 360 + rng.uniform(140, 175)), hand.squareness)
    return [_line((rng.uniform(0.82, 0.98), 0.0), (left, 0.0)), np.concatenate([_line((left, 0.0)), bowl])]


def _six(rng: np.random.Generator, hand: _Hand) -> list[Stroke]:
    high = rng.uniform(0.34, 0.46)
    middle = (1 + high) / 2
    bowl = _arc((0.5, middle), (0.5, (1 - high) / 2), (0, 360), hand.squareness)
    if rng.random() < 0.4:  # a straight or lightly bent tail
        end = (rng.uniform(0.45, 0.8), _ABOVE if hand.cut else 0.0)
        return [bowl, _bent((0.0, middle), (rng.uniform(0.0, 0.25), rng.uniform(0.2, 0.45)), end)]
    reach = rng.uniform(-65, -25)
    tail = _arc((0.5, middle * 0.62), (0.5, middle * 0.62), (180, 360 + reach), hand.squareness)
    return [bowl, tail, _line((0.0, middle * 0.62), (0.0, middle))]


def _seven(rng: np.random.Generator, hand: _Hand) -> list[Stroke]:
    foot = rng.uniform(0.1, 0.6)
    below = _BELOW if hand.cut else 1.0
    end = (foot + (foot - 1.0) * (below - 1.0), below)
    by = rng.choice(4)
    leg = {
        0: _line((1.0, 0.0), end),
        1: _bent((1.0, 0.0), (rng.uniform(0.35, 0.6), rng.uniform(0.3, 0.5)), (foot, below)),
        2: np.concatenate([_line((1.0, 0.0), (1.0, rng.uniform(0.08, 0.22))), _line((foot, below))]),
        3: _bent((1.0, 0.0), (rng.uniform(0.9, 1.0), rng.uniform(0.25, 0.45)), (foot, below)),
    }[int(by)]
    return [_line((0.0, 0.0), (1.0, 0.0)), leg, *_hook(rng), *_bar(rng, foot)]


def _hook(rng: np.random.Generator) -> list[Stroke]:
    """Return a 7's hook at the left end of its bar, or nothing; a long one nearly closes to the bowl of a 9."""
    if rng.random() > 0.4:
        return []
    deep = rng.uniform(0.08, 0.22) if rng.random() < 0.5 else rng.uniform(0.2, 0.42)
    return [_line((0.0, 0.0), (rng.uniform(0.0, 0.3) * deep, deep))]


def _bar(rng: np.random.Generator, foot: float) -> list[Stroke]:
    if rng.random() > 0.15:
        return []
    middle = 0.5 * (foot + 1.0)
    return [_line((middle - 0.38, 0.52), (middle + 0.25, 0.52))]


def _eight(rng: np.random.Generator, hand: _Hand) -> list[Stroke]:
    waist, narrow = rng.uniform(0.42, 0.5), rng.uniform(0.38, 0.5)
    return [
        _arc((0.5, waist / 2), (narrow, waist / 2), (0, 360), hand.squareness),
        _arc((0.5, (1 + waist) / 2), (0.5, (1 - waist) / 2), (0, 360), hand.squareness),
    ]


_DIGITS = (_zero, _one, _two, _three, _four, _five, _six, _seven, _eight)
"""The drawing functions of 0 to 8; a 9 is an upside-down 6."""


def _hand(rng: np.random.Generator) -> _Hand:
    stroke = float(np.exp(rng.uniform(np.log(0.065), np.log(0.185))))
    return _Hand(
        width=float(rng.uniform(max(0.34, 3.0 * stroke), 0.74)),
        stroke=stroke,
        contrast=float(rng.uniform(0.9, 1.5)),
        squareness=float(rng.choice([2.0, rng.uniform(2.0, 3.0), rng.uniform(3.0, 5.5)])),
        cut=bool(rng.random() < 0.6),
    )


def _mask(strokes: list[Stroke], hand: _Hand) -> np.ndarray:
    """Draw strokes as a mask `(GLYPH_PX, w) uint8`, cropped to their width."""
    # The canvas is resized horizontally at the end, which gives upright strokes their own thickness.
    height = GLYPH_PX * _SCALE
    thick = max(3, round(hand.stroke * height))
    wide = round(hand.width * height / hand.contrast)
    room = thick + 2
    canvas = np.zeros((height, wide + 2 * room), np.uint8)
    # Strokes inside the box stay half a stroke away from its edges; those that extend beyond are cut off.
    inner_wh = np.array([wide - thick, height - thick], np.float64)
    for points in strokes:
        at = points * inner_wh + (room + thick / 2, thick / 2)
        cv2.polylines(canvas, [np.round(at * 16).astype(np.int32)], False, 255, thick, cv2.LINE_AA, 4)
    columns = np.flatnonzero(canvas.max(axis=0) > 40)
    canvas = canvas[:, columns[0] : columns[-1] + 1]
    width = max(2, round(canvas.shape[1] * hand.contrast / _SCALE))
    return cv2.resize(canvas, (width, GLYPH_PX), interpolation=cv2.INTER_AREA)


@functools.lru_cache(maxsize=64)
def drawn_figures(seed: int) -> dict[str, np.ndarray]:
    """Return the digits "0" to "9" of one style as masks `(GLYPH_PX, w) uint8`; a seed always gives the same style."""
    rng = np.random.default_rng([seed, 0xF16])
    hand = _hand(rng)
    masks = {str(digit): _mask(draw(rng, hand), hand) for digit, draw in enumerate(_DIGITS)}
    nine = masks["6"] if rng.random() < 0.8 else _mask(_six(rng, hand), hand)
    return masks | {"9": np.ascontiguousarray(nine[::-1, ::-1])}

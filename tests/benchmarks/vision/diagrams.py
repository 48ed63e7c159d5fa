"""Draws the two diagrams of the calibration as plain SVG that reads on light and on dark pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from tilekeeper.models.evaluation.reliability import Bin, Threshold

WH = 460, 380
LEFT, TOP, RIGHT, BOTTOM = 64, 20, 16, 52
COLOURS = ("#c2571a", "#1f6fb2", "#3a8a4d", "#8a4fa0")
LEAST_SHARE = 1e-5
"""Shares below this, none at all too, are drawn here: a logarithm has no place for 0."""


@dataclass(slots=True)
class Plot:
    """Two logarithmic axes and what is drawn between them; points are data values, those out of range are moved in."""

    x_between: tuple[float, float]
    y_between: tuple[float, float]
    x_words: str
    y_words: str
    parts: list[str] = field(default_factory=list)

    def x(self, value: float) -> float:
        """Where a value lies across, px."""
        return LEFT + _share(value, *self.x_between) * (WH[0] - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """Where a value lies down, px."""
        return WH[1] - BOTTOM - _share(value, *self.y_between) * (WH[1] - TOP - BOTTOM)

    def line(
        self, points: Sequence[tuple[float, float]], colour: str, dashed: bool = False, width: float = 1.5
    ) -> None:
        """Draw a line through points."""
        way = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        dash = ' stroke-dasharray="4 4"' if dashed else ""
        self.parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>')

    def dot(self, x: float, y: float, colour: str, about: str, radius: float = 3.5) -> None:
        """Draw a point that says what it is when pointed at."""
        self.parts.append(
            f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="{radius}" fill="{colour}">'
            f"<title>{escape(about)}</title></circle>"
        )

    def text(self, left_px: float, top_px: float, words: str, more: str = "") -> None:
        """Write words."""
        self.parts.append(f'<text x="{left_px:.1f}" y="{top_px:.1f}" {more}>{escape(words)}</text>')

    def svg(self, names: Sequence[str]) -> str:
        """The whole drawing, with a legend of what is drawn in which colour."""
        frame = []
        for low, high, at_x in ((*self.x_between, True), (*self.y_between, False)):
            for power in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1):
                value = 10.0**power
                words = f"{value:g}" if power >= -4 else f"1e{power}"
                x, y = self.x(value), self.y(value)
                ends = (x, TOP, x, WH[1] - BOTTOM) if at_x else (LEFT, y, WH[0] - RIGHT, y)
                frame.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#8886"/>' % ends)  # noqa: UP031
                place = (x, WH[1] - BOTTOM + 16, "middle") if at_x else (LEFT - 6, y + 4, "end")
                frame.append(f'<text x="{place[0]:.1f}" y="{place[1]:.1f}" text-anchor="{place[2]}">{words}</text>')
        self.text((LEFT + WH[0] - RIGHT) / 2, WH[1] - 16, self.x_words, 'text-anchor="middle"')
        middle = (TOP + WH[1] - BOTTOM) / 2
        self.text(16, middle, self.y_words, f'text-anchor="middle" transform="rotate(-90 16 {middle:.1f})"')
        for at, name in enumerate(names):
            top = TOP + 16 + 18 * at
            self.parts.append(f'<rect x="{LEFT + 10}" y="{top - 9}" width="10" height="10" fill="{COLOURS[at]}"/>')
            self.text(LEFT + 26, top, name)
        body = "\n".join([*frame, *self.parts])
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WH[0]} {WH[1]}" width="{WH[0]}" height="{WH[1]}" '
            f'font-family="sans-serif" font-size="12" fill="#888">\n{body}\n</svg>\n'
        )


def reliability_svg(sets: Mapping[str, Sequence[Bin]]) -> str:
    """What share was said to be wrong against what share was, each set's bins; on the dashed line is honest."""
    plot = Plot((LEAST_SHARE, 1.0), (LEAST_SHARE, 1.0), "said to be wrong (1 − confidence)", "wrong")
    plot.line([(LEAST_SHARE, LEAST_SHARE), (1.0, 1.0)], "#888", dashed=True)
    for at, (name, bins) in enumerate(sets.items()):
        colour = COLOURS[at]
        plot.line([(1 - one.confidence, one.wrong_share) for one in bins], colour)
        for one in bins:
            low, high = one.wrong_between()
            plot.line([(1 - one.confidence, low), (1 - one.confidence, high)], colour, width=0.8)
            about = f"{name}: {one.tiles} tiles said to be {one.confidence:.4f}, {one.tiles - one.right} wrong"
            plot.dot(1 - one.confidence, one.wrong_share, colour, about)
    return plot.svg(list(sets))


def trade_svg(sets: Mapping[str, Sequence[Threshold]], here: Mapping[str, Threshold]) -> str:
    """Wrong in silence against right ones in doubt, for every threshold; the large dot is the one in use."""
    plot = Plot((1e-4, 1.0), (0.1, 1000.0), "right tiles in doubt, a share", "wrong in silence, per 10,000")
    for at, (name, thresholds) in enumerate(sets.items()):
        plot.line([(one.doubted, one.silent_per_10000) for one in thresholds], COLOURS[at])
        used = here[name]
        about = f"{name}: below {used.at:g}, {used.silent_per_10000:.2f} per 10,000 and {100 * used.doubted:.2f} %"
        plot.dot(used.doubted, used.silent_per_10000, COLOURS[at], about, 6)
    return plot.svg(list(sets))


def _share(value: float, low: float, high: float) -> float:
    inside = min(max(value, low), high)
    return (math.log(inside) - math.log(low)) / (math.log(high) - math.log(low))

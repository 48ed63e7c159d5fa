"""Arrange tiles: rows of players' racks, loose tiles around them, and melds that lie flat on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilekeeper.datasets.rendering.racks import Rack
from tilekeeper.datasets.rendering.tiles import PlacedTile
from tilekeeper.datasets.synthesis.printings.faces import BLANK
from tilekeeper.datasets.synthesis.printings.printing import INKS, Printing
from tilekeeper.datasets.synthesis.scene.layouts import Laid, draw_melds, stock

UPSIDE_DOWN = 0.012
"""Share of tiles on a rack that stand upside down: people turn them when they sort."""
PUSHED_OVER = 0.03
"""Share of tiles that stand in front of a part of their neighbour."""
LEANING = 0.08
"""Share of tiles that lean by a few degrees; all others stand flat on the ledge."""


@dataclass(frozen=True, slots=True)
class Habit:
    """How one player fills a rack: `filled` share of the places, `gaps` chance of a gap, `order` of the labels."""

    filled: float
    gaps: float
    order: str


def draw_habit(rng: np.random.Generator) -> Habit:
    """Draw full, common or sparse rows, in order or not."""
    filled = (rng.uniform(0.85, 1.0), rng.uniform(0.5, 0.9), rng.uniform(0.15, 0.5))[
        int(rng.choice(3, p=[0.6, 0.28, 0.12]))
    ]
    gaps = rng.uniform(0, 0.25) if rng.random() < 0.6 else 0.01
    return Habit(filled, gaps, str(rng.choice(["melds", "number", "ink", "none"])))


def _number(label: str) -> int:
    return 99 if label == "joker" else int(label.split("-")[1])


def _hand(rng: np.random.Generator, labels: list[str], count: int, order: str) -> list[str]:
    """Take `count` labels from the stock, in the order of a player."""
    count = min(count, len(labels))
    if order == "melds":
        taken: list[str] = []
        for label in (label for meld in draw_melds(rng, count) for label in meld):
            if len(taken) < count and label in labels:
                labels.remove(label)
                taken.append(label)
        return taken + [labels.pop() for _ in range(count - len(taken))]
    taken = [labels.pop() for _ in range(count)]
    if order == "number":
        taken.sort(key=lambda label: (_number(label), label))
    elif order == "ink":
        taken.sort(key=lambda label: ((*INKS, "joker").index(label.split("-")[0]), _number(label)))
    return taken


def _offsets(rng: np.random.Generator, count: int, rack: Rack, printing: Printing, gaps: float) -> list[float]:
    """Return the middles of `count` tiles or fewer along a row, in mm from its middle, from left to right."""
    width = printing.width_mm
    play = width * abs(rng.normal(0, 0.012))
    steps = [width + play * rng.uniform(0, 1) + (width * rng.uniform(0.05, 1.3) if rng.random() < gaps else 0.0)]
    while len(steps) < count:
        gap = width * rng.uniform(0.05, 1.3) if rng.random() < gaps else 0.0
        steps.append(width + play * rng.uniform(0, 1) + gap)
    room = 2 * rack.half_width_mm - width
    ends = np.cumsum([0.0, *steps[1:count]])
    ends = ends[ends <= room]
    free = room - ends[-1]
    side = rng.random()
    start = rng.uniform(0, min(free, width)) if side < 0.5 else free * rng.uniform(0.3, 0.7) if side < 0.8 else free
    return [float(x) for x in ends + start - room / 2]


def fill_rack(
    rng: np.random.Generator, rack: Rack, printing: Printing, labels: list[str], index: int, first_row: int
) -> list[PlacedTile]:
    """Put tiles from the stock `labels` (which gets shorter) on the rows of a rack, in the rack's own frame."""
    habit = draw_habit(rng)
    tiles: list[PlacedTile] = []
    full_row = int(rng.integers(len(rack.rests_mm)))
    most = int(2 * rack.half_width_mm / printing.width_mm)
    for row, rest in enumerate(rack.rests_mm):
        filled = np.clip(habit.filled + rng.normal(0, 0.15), 0.1, 1) if row == full_row or rng.random() < 0.9 else 0.0
        count = round(float(filled) * most)
        if not count or not labels:
            continue
        offsets = _offsets(rng, count, rack, printing, habit.gaps)
        hand = _hand(rng, labels, len(offsets), habit.order)
        for x, label in zip(offsets, hand, strict=False):
            label = BLANK if rng.random() < 0.004 else label
            tiles.append(_stand(rng, label, x, rest, rack, printing, first_row + row, index))
    return tiles


def _stand(
    rng: np.random.Generator,
    label: str,
    x_mm: float,
    rest_mm: np.ndarray,
    rack: Rack,
    printing: Printing,
    row: int,
    index: int,
) -> PlacedTile:
    """Stand one tile on a ledge, straight or leaning, perhaps upside down or in front of its neighbour."""
    lean = rng.normal(0, 0.07) if rng.random() < LEANING else rng.normal(0, 0.004)
    out_mm = rng.uniform(0.0, min(1.0, rack.ledge_mm - printing.thickness_mm))
    rise_mm = 0.0
    if rng.random() < PUSHED_OVER:
        x_mm += rng.choice([-1, 1]) * rng.uniform(0.25, 0.6) * printing.width_mm
        out_mm, lean = printing.thickness_mm + rng.uniform(0.5, 2), rng.normal(0, 0.1)
        rise_mm = rng.uniform(2, 8)
    half_w, half_h = printing.width_mm / 2, printing.height_mm / 2
    high = half_h * np.cos(lean) + half_w * abs(np.sin(lean)) + rise_mm
    cos, sin = np.cos(lean), np.sin(lean)
    right = np.array([1.0, 0.0, 0.0])
    rotation = np.column_stack([cos * right + sin * rack.up, cos * rack.up - sin * right, rack.normal])
    yaw = rng.normal(0, 0.012)
    rotation = rotation @ np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    if rng.random() < UPSIDE_DOWN:
        rotation = rotation @ np.diag([-1.0, -1.0, 1.0])
    position = rest_mm + x_mm * right + high * rack.up + out_mm * rack.normal
    return PlacedTile(label, int(rng.integers(2)), position, rotation, row if label != BLANK else -1, index)


def move(tiles: Sequence[PlacedTile], turn: float, position_mm: np.ndarray) -> list[PlacedTile]:
    """Return tiles turned about z by `turn` (radians, anticlockwise from above) and moved by `position_mm (3,)`."""
    about = turn_about_z(turn)
    return [
        PlacedTile(t.label, t.seed, about @ t.position_mm + position_mm, about @ t.rotation, t.row, t.rack)
        for t in tiles
    ]


def turn_about_z(turn: float) -> np.ndarray:
    """Return the rotation `(3, 3)` about z, anticlockwise from above, in radians."""
    return np.array([[np.cos(turn), -np.sin(turn), 0.0], [np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])


def lay_flat(
    laid: Sequence[Laid], origin_mm: tuple[float, float], first_row: int, seeds: np.ndarray
) -> list[PlacedTile]:
    """Return the tiles of a flat layout, whose y points towards the player, with its (0, 0) at `origin_mm`."""
    return [
        PlacedTile(
            t.label,
            int(seed),
            np.array([origin_mm[0] + t.x_mm, origin_mm[1] - t.y_mm, t.lift_mm]),
            turn_about_z(-t.turn),
            t.row + first_row if t.label != BLANK else -1,
        )
        for t, seed in zip(laid, seeds, strict=True)
    ]


def scatter_near(
    rng: np.random.Generator, labels: list[str], area_mm: tuple[float, float, float, float], first_row: int
) -> list[PlacedTile]:
    """Lay a few single tiles flat into the area x0, y0, x1, y1; some are face down. They may not overlap."""
    tiles: list[PlacedTile] = []
    spots: list[np.ndarray] = []
    for _ in range(int(rng.integers(1, 9))):
        spot = np.array([rng.uniform(area_mm[0], area_mm[2]), rng.uniform(area_mm[1], area_mm[3]), 0.0])
        if labels and all(np.linalg.norm(spot - other) > 52 for other in spots):
            spots.append(spot)
            label = BLANK if rng.random() < 0.4 else labels.pop()
            turn = turn_about_z(rng.uniform(-np.pi, np.pi))
            row = -1 if label == BLANK else first_row + len(tiles)
            tiles.append(PlacedTile(label, int(rng.integers(2)), spot, turn, row))
    return tiles


def full_stock(rng: np.random.Generator) -> list[str]:
    """Return the labels of a set in random order; a third of the sets has more jokers, which are rare otherwise."""
    return stock(rng, jokers=2 if rng.random() < 0.67 else 8)

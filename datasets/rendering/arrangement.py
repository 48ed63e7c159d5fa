"""Arrange tiles in 3D: in rows on racks, loose around them, and as melds flat on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tilekeeper.datasets.rendering.racks import Rack
from tilekeeper.datasets.rendering.tiles import PlacedTile
from tilekeeper.datasets.synthesis.printings.faces import BLANK
from tilekeeper.datasets.synthesis.printings.printing import INKS, Printing
from tilekeeper.datasets.synthesis.scene.layouts import FlatTile, draw_melds, stock

UPSIDE_DOWN = 0.012  # share of tiles on a rack that stand upside down: people turn them when they sort
PUSHED_OVER = 0.03  # share of tiles that stand partly in front of their neighbour
LEANING = 0.08  # share of tiles that lean by a few degrees; all others stand flat on the ledge
BACK_TO_FRONT = 0.004  # share of tiles on a rack that show their back
FILLED = ((0.85, 1.0), (0.5, 0.9), (0.15, 0.5))  # filled shares of the places of full, common and sparse racks
ORDERS = ("melds", "number", "ink", "none")
LOOSE_APART_MM = 52.0


def turn_about_z(turn: float) -> np.ndarray:
    """Return the rotation matrix `(3, 3)` about z by `turn` radians, anticlockwise as seen from above."""
    return np.array([[np.cos(turn), -np.sin(turn), 0.0], [np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])


def full_stock(rng: np.random.Generator) -> list[str]:
    """Return the labels of a set in random order; a third of the sets has more jokers, which are rare otherwise."""
    return stock(rng, jokers=2 if rng.random() < 0.67 else 8)


def _hand(rng: np.random.Generator, labels: list[str], count: int, order: str) -> list[str]:
    """Remove up to `count` labels from the list `labels`; return them in the order `order`, one of `ORDERS`."""
    count = min(count, len(labels))
    taken: list[str] = []
    if order == "melds":
        for label in (label for meld in draw_melds(rng, count) for label in meld):
            if len(taken) < count and label in labels:
                labels.remove(label)
                taken.append(label)
    rest = [labels.pop() for _ in range(count - len(taken))]
    if order in ("number", "ink"):
        numbers = {f"{ink}-{number}": (number, place) for place, ink in enumerate(INKS) for number in range(1, 14)}
        rest.sort(key=lambda label: numbers.get(label, (99, 99))[:: 1 if order == "number" else -1])
    return taken + rest


def _offsets(rng: np.random.Generator, count: int, rack: Rack, width_mm: float, gaps: float) -> np.ndarray:
    """Return the positions `(N,)` of at most `count` tiles along a row, in mm from its middle.

    `gaps`: share of tiles before which there is a gap.
    """
    gaps_mm = width_mm * rng.uniform(0.05, 1.3, count) * (rng.random(count) < gaps)
    steps_mm = width_mm * (1 + abs(rng.normal(0, 0.012)) * rng.random(count)) + gaps_mm
    middles = np.cumsum(steps_mm) - steps_mm[0]
    room = 2 * rack.half_width_mm - width_mm
    middles = middles[middles <= room]
    free = room - middles[-1]
    at_left, amid, at_right = rng.uniform(0, min(free, width_mm)), free * rng.uniform(0.3, 0.7), free
    return np.asarray(middles - room / 2 + rng.choice([at_left, amid, at_right], p=[0.5, 0.3, 0.2]))


def fill_rack(
    rng: np.random.Generator, rack: Rack, printing: Printing, labels: list[str], index: int
) -> list[PlacedTile]:
    """Put tiles on the rows of a rack; return them in the rack's own frame.

    `labels`: the stock, from which the tiles are removed; `index`: the number of the rack.
    """
    filled = rng.uniform(*FILLED[int(rng.choice(3, p=[0.6, 0.28, 0.12]))])
    gaps, order = rng.uniform(0, 0.25) if rng.random() < 0.6 else 0.01, str(rng.choice(ORDERS))
    tiles: list[PlacedTile] = []
    full_row = int(rng.integers(len(rack.rests_mm)))
    most = int(2 * rack.half_width_mm / printing.width_mm)
    for row, rest in enumerate(rack.rests_mm):
        share = float(np.clip(filled + rng.normal(0, 0.15), 0.1, 1))
        count = round(share * most) if row == full_row or rng.random() < 0.9 else 0
        if not count or not labels:
            continue
        offsets = _offsets(rng, count, rack, printing.width_mm, gaps)
        for x, label in zip(offsets, _hand(rng, labels, len(offsets), order), strict=False):
            shown = (BLANK, -1) if rng.random() < BACK_TO_FRONT else (label, index * len(rack.rests_mm) + row)
            place = _stand(rng, rack, printing, rest + np.array([x, 0.0, 0.0]))
            tiles.append(PlacedTile(shown[0], int(rng.integers(2)), *place, shown[1], index))
    return tiles


def _stand(
    rng: np.random.Generator, rack: Rack, printing: Printing, rest_mm: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return position and rotation of a tile on a ledge: straight or leaning, rarely in front of its neighbour."""
    lean = rng.normal(0, 0.07) if rng.random() < LEANING else rng.normal(0, 0.004)
    aside_mm, rise_mm, out_mm = 0.0, 0.0, rng.uniform(0.0, min(1.0, rack.ledge_mm - printing.thickness_mm))
    if rng.random() < PUSHED_OVER:
        aside_mm = rng.choice([-1, 1]) * rng.uniform(0.25, 0.6) * printing.width_mm
        out_mm, lean = printing.thickness_mm + rng.uniform(0.5, 2), rng.normal(0, 0.1)
        rise_mm = rng.uniform(2, 8)
    high_mm = (printing.height_mm * np.cos(lean) + printing.width_mm * abs(np.sin(lean))) / 2 + rise_mm
    right = np.array([1.0, 0.0, 0.0])
    yaw = rng.normal(0, 0.012)
    about_up = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    turn = lean + (np.pi if rng.random() < UPSIDE_DOWN else 0.0)
    rotation = np.column_stack([right, rack.up, rack.normal]) @ turn_about_z(turn) @ about_up
    return rest_mm + aside_mm * right + high_mm * rack.up + out_mm * rack.normal, rotation


def move(tiles: Sequence[PlacedTile], turn: float, position_mm: np.ndarray) -> list[PlacedTile]:
    """Return tiles turned about z by `turn` (radians, anticlockwise from above) and moved by `position_mm (3,)`."""
    about = turn_about_z(turn)
    return [replace(t, position_mm=about @ t.position_mm + position_mm, rotation=about @ t.rotation) for t in tiles]


def lay_flat(rng: np.random.Generator, laid: Sequence[FlatTile], origin_mm: tuple[float, float]) -> list[PlacedTile]:
    """Convert tiles of a flat layout, whose y points towards the player and whose (0, 0) is at `origin_mm`, to 3D."""
    places = [np.array([origin_mm[0] + tile.x_mm, origin_mm[1] - tile.y_mm, tile.lift_mm]) for tile in laid]
    return [
        PlacedTile(tile.label, int(rng.integers(2)), place, turn_about_z(-tile.turn), tile.row)
        for tile, place in zip(laid, places, strict=True)
    ]


def scatter_near(rng: np.random.Generator, labels: list[str], half_mm: float, first_row: int) -> list[PlacedTile]:
    """Lay a few single tiles flat in front of a rack, up to `half_mm` to both sides; some face down, none overlap."""
    tiles: list[PlacedTile] = []
    for _ in range(int(rng.integers(1, 9))):
        spot = np.array([rng.uniform(-half_mm, half_mm), rng.uniform(-150, -45), 0.0])
        if labels and all(np.linalg.norm(spot - tile.position_mm) > LOOSE_APART_MM for tile in tiles):
            turn = turn_about_z(rng.uniform(-np.pi, np.pi))
            label, row = (BLANK, -1) if rng.random() < 0.4 else (labels.pop(), first_row + len(tiles))
            tiles.append(PlacedTile(label, int(rng.integers(2)), spot, turn, row))
    return tiles

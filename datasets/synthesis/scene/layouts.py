"""Layouts of tiles on a table or rack, in millimetres: melds, scatters, piles, racks, single tiles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.printings.faces import BLANK
from tilekeeper.datasets.synthesis.printings.printing import INKS, Printing


@dataclass(frozen=True, slots=True)
class FlatTile:
    """A placed tile: its centre in mm, `turn` clockwise in radians (0 is upright for the camera), and its row."""

    label: str
    x_mm: float
    y_mm: float
    turn: float
    row: int
    lift_mm: float = 0.0


def stock(rng: np.random.Generator, numbers: int = 13, copies: int = 2, jokers: int = 2) -> list[str]:
    """Return all labels of a set in random order."""
    labels = [f"{ink}-{n}" for ink in INKS for n in range(1, numbers + 1)] * copies + ["joker"] * jokers
    return [labels[i] for i in rng.permutation(len(labels))]


def draw_melds(rng: np.random.Generator, tiles: int, sensible: float = 0.85) -> list[list[str]]:
    """Sample melds with about `tiles` tiles from one stock; a share of `1 - sensible` of them are random tiles."""
    remaining = stock(rng)
    melds: list[list[str]] = []
    laid = tries = 0
    while laid < tiles and remaining and tries < 200:
        tries += 1
        size = int(rng.choice([1, 2, 3, 4, 5, 6, 8], p=[0.04, 0.04, 0.42, 0.24, 0.14, 0.08, 0.04]))
        if rng.random() > sensible or size < 3:
            meld = remaining[:size]
        elif rng.random() < 0.5:
            number = int(rng.integers(1, 14))
            inks = rng.permutation(4)[: min(max(size, 3), 4)]
            meld = [f"{INKS[i]}-{number}" for i in inks]
        else:
            ink, start = INKS[int(rng.integers(4))], int(rng.integers(1, 14 - min(size, 12)))
            meld = [f"{ink}-{n}" for n in range(start, start + size)]
        if rng.random() < 0.07:
            meld = [*meld]
            meld[int(rng.integers(len(meld)))] = "joker"
        rest = list(remaining)
        try:
            for label in meld:
                rest.remove(label)
        except ValueError:
            continue
        remaining = rest
        melds.append(meld)
        laid += len(meld)
    return melds


class _Floor:
    """The occupied places of an area, as a raster of 2 mm."""

    def __init__(self, width_mm: float, height_mm: float) -> None:
        self.taken = np.zeros((max(2, int(height_mm / 2)), max(2, int(width_mm / 2))), np.uint8)

    def claim(self, x: float, y: float, w: float, h: float, turn: float, gap: float) -> bool:
        """Occupy a rotated rectangle (mm) if it is free with `gap` around it; return whether it was free."""
        box = cv2.boxPoints(((x / 2, y / 2), ((w + gap) / 2, (h + gap) / 2), float(np.degrees(turn))))
        mask = np.zeros_like(self.taken)
        cv2.fillConvexPoly(mask, np.round(box).astype(np.int32), 1)
        if (self.taken & mask).any():
            return False
        self.taken |= mask
        return True


def _row_offsets(
    rng: np.random.Generator, count: int, printing: Printing, neat: float
) -> list[tuple[float, float, float]]:
    """Sample the offsets along and across a row, in mm, and the turns of touching tiles; `neat` 1 is a straight row."""
    loose = 1 - neat
    x, offsets = 0.0, []
    for _ in range(count):
        offsets.append(
            (x, rng.normal(0, 0.05 * loose + 0.006) * printing.height_mm, rng.normal(0, 0.05 * loose + 0.004))
        )
        gap = abs(rng.normal(0, 0.05 * loose + 0.004)) * printing.width_mm
        x += printing.width_mm + gap
    middle = (offsets[0][0] + offsets[-1][0]) / 2
    return [(dx - middle, dy, turn) for dx, dy, turn in offsets]


def lay_row(
    rng: np.random.Generator,
    meld: list[str],
    x: float,
    y: float,
    turn: float,
    row: int,
    printing: Printing,
    neat: float,
    upset: float,
) -> list[FlatTile]:
    """Lay one meld with its centre at `x, y` (mm); a share `upset` of its tiles is upside down."""
    cos, sin = np.cos(turn), np.sin(turn)
    tiles = []
    for label, (dx, dy, twist) in zip(meld, _row_offsets(rng, len(meld), printing, neat), strict=True):
        head = np.pi if rng.random() < upset else 0.0
        tiles.append(FlatTile(label, x + dx * cos - dy * sin, y + dx * sin + dy * cos, turn + twist + head, row))
    return tiles


def lay_melds(
    rng: np.random.Generator, melds: list[list[str]], width_mm: float, height_mm: float, printing: Printing, tight: bool
) -> list[FlatTile]:
    """Lay melds at random places of the area, readable from one, two or four sides; melds without room are dropped."""
    floor = _Floor(width_mm, height_mm)
    sides = (
        (0.0,) if rng.random() < 0.5 else (0.0, np.pi) if rng.random() < 0.5 else (0.0, np.pi / 2, np.pi, -np.pi / 2)
    )
    wobble, neat = rng.uniform(0, 0.25), rng.uniform(0.2, 1.0)
    upset = 0.0 if rng.random() < 0.6 else rng.uniform(0.02, 0.3)
    gap = rng.uniform(1.5, 4) if tight else rng.uniform(4, 20)
    laid: list[FlatTile] = []
    row = 0
    for meld in melds:
        length, depth = len(meld) * printing.width_mm * 1.03, printing.height_mm * 1.08
        for _ in range(30):
            turn = sides[int(rng.integers(len(sides)))] + rng.normal(0, wobble)
            x, y = rng.uniform(0, width_mm), rng.uniform(0, height_mm)
            half_x = (abs(np.cos(turn)) * length + abs(np.sin(turn)) * depth) / 2
            half_y = (abs(np.sin(turn)) * length + abs(np.cos(turn)) * depth) / 2
            inside = half_x < x < width_mm - half_x and half_y < y < height_mm - half_y
            if inside and floor.claim(x, y, length, depth, turn, gap):
                laid += lay_row(rng, meld, x, y, turn, row, printing, neat, upset)
                row += 1
                break
    return laid


def lay_shelves(
    rng: np.random.Generator, melds: list[list[str]], width_mm: float, height_mm: float, printing: Printing
) -> list[FlatTile]:
    """Lay melds close together in lines, like words of a text; melds without room are dropped."""
    neat = rng.uniform(0.4, 1.0)
    gap_x = printing.width_mm * rng.uniform(0.3, 1.2)
    gap_y = printing.height_mm * rng.uniform(0.05, 0.5)
    x, y = gap_x, gap_y + printing.height_mm / 2
    laid: list[FlatTile] = []
    for row, meld in enumerate(melds):
        length = len(meld) * printing.width_mm * 1.04
        if x + length > width_mm:
            x, y = gap_x * rng.uniform(0.5, 1.5), y + printing.height_mm + gap_y
        if y + printing.height_mm / 2 > height_mm:
            break
        laid += lay_row(
            rng,
            meld,
            x + length / 2,
            y + rng.normal(0, 0.8),
            rng.normal(0, 0.012),
            row,
            printing,
            neat,
            0.0 if neat > 0.7 else 0.05,
        )
        x += length + gap_x * rng.uniform(0.7, 1.6)
    lowest = max((tile.y_mm for tile in laid), default=0.0) + printing.height_mm
    down = rng.uniform(0, max(0.0, height_mm - lowest))
    return [replace(tile, y_mm=tile.y_mm + down) for tile in laid]


def lay_scatter(
    rng: np.random.Generator, labels: list[str], width_mm: float, height_mm: float, printing: Printing, pile: bool
) -> list[FlatTile]:
    """Lay single tiles at any angle, apart or touching; in a `pile` some lie on others."""
    floor = _Floor(width_mm, height_mm)
    gap = rng.uniform(0, 12)
    laid: list[FlatTile] = []
    for row, label in enumerate(labels):
        for _ in range(20):
            x, y, turn = rng.uniform(0, width_mm), rng.uniform(0, height_mm), rng.uniform(-np.pi, np.pi)
            free = floor.claim(x, y, printing.width_mm, printing.height_mm, turn, gap)
            if free or (pile and rng.random() < 0.02):
                laid.append(FlatTile(label, x, y, turn, row, 0.0 if free else printing.thickness_mm))
                break
    return laid


def turn_some_down(rng: np.random.Generator, laid: list[FlatTile], share: float) -> list[FlatTile]:
    """Turn a share of the tiles face down."""
    return [FlatTile(BLANK, t.x_mm, t.y_mm, t.turn, -1, t.lift_mm) if rng.random() < share else t for t in laid]

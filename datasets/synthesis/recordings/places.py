"""Places of melds on the table of a random game; tiles that a turn does not touch stay where they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from tilekeeper.datasets.synthesis.recordings.pieces import Row, Rows

PITCH = 1.03
"""Pitch of a row: the distance between the centres of neighbours, in tile widths."""
LEAST_GAP = 1.15
"""Smallest gap between two melds of a line, in pitches, clearly larger than a gap within a meld."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The area for melds: `lines`, one below another, each `columns` pitches long."""

    lines: int
    columns: float


@dataclass(frozen=True, slots=True)
class MeldStart:
    """The start of a meld: its line from the top, and its left end in pitches from the left."""

    line: int
    left: float


@dataclass(frozen=True, slots=True)
class Spot:
    """The spot of one piece: its centre, x in pitches and y in lines, both fractional, and `turn` in radians."""

    x: float
    y: float
    turn: float


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Rows on the table, the place of each row, and the spot of each piece by its key."""

    rows: Rows
    places: tuple[MeldStart, ...]
    spots: dict[int, Spot]


NOTHING = Arrangement((), (), {})


def arrange(rng: np.random.Generator, before: Arrangement, rows: Rows, floor: Floor) -> Arrangement | None:
    """Place rows on the floor: if possible where their tiles were before, else where there is room.

    Returns None if there is no room.
    """
    places: dict[int, MeldStart] = {}
    untouched = set(before.rows)
    # Unchanged rows come first, then rows that keep the most tiles in place.
    for _, index, place in sorted(
        _find_kept_melds(before, rows), key=lambda kept: (rows[kept[1]] not in untouched, -kept[0])
    ):
        if index not in places and _is_free(place, len(rows[index]), places, rows, floor):
            places[index] = place
    for index, row in enumerate(rows):
        if index not in places:
            room = _find_room(rng, len(row), places, rows, floor)
            if room is None:
                return None
            places[index] = room
    ordered = tuple(places[index] for index in range(len(rows)))
    spots: dict[int, Spot] = {}
    for row, place in zip(rows, ordered, strict=True):
        spots |= _spots(rng, row, place, before.spots)
    return Arrangement(rows, ordered, spots)


def _find_kept_melds(before: Arrangement, rows: Rows) -> list[tuple[int, int, MeldStart]]:
    """Return the rows that may keep a previous place, each as (number of pieces that stay, index of the row, place).

    If several rows could keep a place, it is the one that leaves most pieces there.
    """
    old_spots = {
        piece.key: (index, place.left + at, place.line)
        for index, (row, place) in enumerate(zip(before.rows, before.places, strict=True))
        for at, piece in enumerate(row)
    }
    offers: list[tuple[int, int, MeldStart, int]] = []
    for index, row in enumerate(rows):
        anchors = Counter(
            (origin, line, round(x - at, 6))
            for at, piece in enumerate(row)
            if piece.key in old_spots
            for origin, x, line in [old_spots[piece.key]]
        )
        for (origin, line, left), count in anchors.items():
            # A row that shares only a tile or two with an old row counts as new.
            if 2 * count >= len(row) or 2 * count >= len(before.rows[origin]):
                offers.append((count, index, MeldStart(line, left), origin))
    best: dict[int, tuple[int, int, MeldStart, int]] = {}
    for offer in sorted(offers, key=lambda offer: (-offer[0], offer[1])):
        best.setdefault(offer[3], offer)
    return [offer[:3] for offer in best.values()]


def _is_free(place: MeldStart, length: int, places: dict[int, MeldStart], rows: Rows, floor: Floor) -> bool:
    return 0 <= place.left <= floor.columns - length and _clearance(place, length, places, rows) >= LEAST_GAP - 1e-6


def _clearance(place: MeldStart, length: int, places: dict[int, MeldStart], rows: Rows) -> float:
    """Return the distance to the nearest meld of the same line, in pitches; negative if they overlap."""
    gaps = [
        max(other.left - (place.left + length), place.left - (other.left + len(rows[index])))
        for index, other in places.items()
        if other.line == place.line
    ]
    return min(gaps, default=99.0)


def _find_room(
    rng: np.random.Generator, length: int, places: dict[int, MeldStart], rows: Rows, floor: Floor
) -> MeldStart | None:
    """Return a free place for a row of `length` tiles, near a random point and preferably with room on both sides.

    Returns None if there is no such place.
    """
    best, best_score = None, -np.inf
    look_x, look_y = rng.uniform(0.2, 0.8, 2)
    for line in range(floor.lines):
        for left in np.arange(0.0, floor.columns - length + 1e-6, 0.5):
            place = MeldStart(line, float(left))
            clearance = _clearance(place, length, places, rows)
            if clearance < LEAST_GAP:
                continue
            off_x = abs((left + length / 2) / floor.columns - look_x)
            off_y = abs((line + 0.5) / floor.lines - look_y)
            score = min(clearance, 3.2) - 3 * (off_x + off_y)
            if score > best_score:
                best, best_score = place, score
    return best


def _spots(rng: np.random.Generator, row: Row, place: MeldStart, before: dict[int, Spot]) -> dict[int, Spot]:
    """Return the spot of each piece of a row: its old spot if it stays, else a new, slightly askew one in the row."""
    stay = {
        piece.key: before[piece.key]
        for at, piece in enumerate(row)
        if piece.key in before
        and abs(before[piece.key].x - (place.left + at + 0.5)) < 0.3
        and abs(before[piece.key].y - place.line) < 0.3
    }
    if stay:
        lean = float(np.mean([spot.turn for spot in stay.values()]))
        shift = float(np.mean([spot.y - place.line for spot in stay.values()]))
    else:
        lean, shift = float(rng.normal(0, 0.012)), float(rng.normal(0, 0.02))
    spots = {}
    for at, piece in enumerate(row):
        dx, dy, twist = rng.normal(0, (0.008, 0.008, 0.008))
        new = Spot(place.left + at + 0.5 + float(dx), place.line + shift + float(dy), lean + float(twist))
        spots[piece.key] = stay.get(piece.key, new)
    return spots

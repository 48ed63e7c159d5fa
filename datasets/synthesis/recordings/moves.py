"""Moves in a random game by players who follow the rules.

A move takes the rows on the table and the pieces outside it, and returns the new rows, or None if it finds no such
move. The judge decides whether the turn is legal.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tilekeeper.datasets.synthesis.recordings.pieces import (
    Rows,
    Unseen,
    draw_set,
    is_plain_group,
    is_plain_run,
    shuffled,
    with_row,
)
from tilekeeper.engine.tiles.tile import JOKER, Tile

Move = Callable[[np.random.Generator, Rows, Unseen], Rows | None]


def lay_set(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Rows | None:
    """Lay a new run or group."""
    laid = unseen.take(draw_set(rng, unseen.rules))
    return (*rows, laid) if laid else None


def lay_run(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Rows | None:
    """Lay a new run of five or six tiles, which later turns can split."""
    stock, length = unseen.rules.stock, int(rng.integers(5, 7))
    ink, start = stock.inks[int(rng.integers(len(stock.inks)))], int(rng.integers(1, stock.numbers - length + 2))
    laid = unseen.take(Tile(ink, start + step) for step in range(length))
    return (*rows, laid) if laid else None


def open_game(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Rows | None:
    """Lay one or two new sets of middle and high numbers, enough for an opening."""
    for _ in range(int(rng.integers(1, 3))):
        laid = unseen.take(draw_set(rng, unseen.rules, lowest=5))
        if laid is None:
            return None
        rows = (*rows, laid)
    return rows


def extend(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Rows | None:
    """Add one to three tiles to runs and groups on the table."""
    rules, count, added = unseen.rules, int(rng.integers(1, 4)), 0
    for index in shuffled(rng, rows):
        row = rows[index]
        if is_plain_group(row) and len(row) < (rules.melds.largest_group or 0):
            colours = {piece.tile.colour for piece in row}
            missing = [Tile(ink, row[0].tile.number) for ink in rules.stock.inks if ink not in colours]
            if more := unseen.take(missing[:1]):
                rows, added = with_row(rows, index, (*row, *more)), added + 1
        elif is_plain_run(row):
            first, last = row[0].tile, row[-1].tile
            assert first.number is not None
            assert last.number is not None
            if last.number < rules.stock.numbers and (more := unseen.take([Tile(last.colour, last.number + 1)])):
                rows, added = with_row(rows, index, (*row, *more)), added + 1
            elif first.number > 1 and (more := unseen.take([Tile(first.colour, first.number - 1)])):
                rows, added = with_row(rows, index, (*more, *row)), added + 1
        if added >= count:
            break
    return rows if added else None


def split_run(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Rows | None:
    """Split a run of at least five tiles and add a copy of one of them, so that both parts are runs."""
    shortest = unseen.rules.melds.shortest
    for index in shuffled(rng, rows):
        row = rows[index]
        if not is_plain_run(row) or len(row) < 2 * shortest - 1:
            continue
        at = int(rng.integers(shortest, len(row) - shortest + 2))  # the first part keeps `at` tiles
        if twin := unseen.take([row[at - 1].tile]):
            return with_row(rows, index, row[:at], (*twin, *row[at:]))
    return None


def group_from_ends(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Rows | None:
    """Take tiles of one number from the ends of long runs and complete them to a group."""
    rules, inks = unseen.rules, unseen.rules.stock.inks
    ends: dict[int, list[tuple[int, int]]] = {}
    for index in shuffled(rng, rows):
        row = rows[index]
        if is_plain_run(row) and len(row) > rules.melds.shortest:
            for at in (0, len(row) - 1):
                ends.setdefault(row[at].tile.number or 0, []).append((index, at))
    # Numbers at the ends of several runs are preferred.
    for number in sorted(ends, key=lambda number: (-len(ends[number]), rng.random())):
        chosen: dict[int, int] = {}
        colours = set()
        for index, at in ends[number]:
            colour = rows[index][at].tile.colour
            if index not in chosen and colour not in colours:
                chosen[index] = at
                colours.add(colour)
        missing = [Tile(ink, number) for ink in inks if ink not in colours]
        laid = unseen.take(missing[: max(1, rules.melds.shortest - len(chosen))])
        if not laid:
            continue
        came = tuple(rows[index][at] for index, at in chosen.items())
        rest = tuple(
            (row[1:] if chosen[index] == 0 else row[:-1]) if index in chosen else row for index, row in enumerate(rows)
        )
        return (*rest, (*came, *laid))
    return None


def run_from_group(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Rows | None:
    """Take a tile from a group of four and lay it in a new run with two tiles of the rack."""
    rules = unseen.rules
    for index in shuffled(rng, rows):
        row = rows[index]
        if not is_plain_group(row) or len(row) <= rules.melds.shortest:
            continue
        at = int(rng.integers(len(row)))
        tile = row[at].tile
        assert tile.number is not None
        for before in _orders(rng, 3):  # number of tiles before it in the run
            numbers = [tile.number - before + step for step in range(3)]
            if numbers[0] < 1 or numbers[-1] > rules.stock.numbers:
                continue
            if laid := unseen.take(Tile(tile.colour, number) for number in numbers if number != tile.number):
                run = (*laid[:before], row[at], *laid[before:])
                return (*with_row(rows, index, (*row[:at], *row[at + 1 :])), run)
    return None


def _orders(rng: np.random.Generator, count: int) -> list[int]:
    return [int(i) for i in rng.permutation(count)]


def lay_joker(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Rows | None:
    """Lay a new set with a joker in place of one tile."""
    tiles = draw_set(rng, unseen.rules)
    tiles[int(rng.integers(len(tiles)))] = JOKER
    laid = unseen.take(tiles)
    return (*rows, laid) if laid else None


def swap_joker(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Rows | None:
    """Replace a joker by its tile, and lay the joker in a new set with two tiles of the rack."""
    rules = unseen.rules
    for index in shuffled(rng, rows):
        row = rows[index]
        at = next((at for at, piece in enumerate(row) if piece.tile.is_joker), None)
        if at is None or sum(piece.tile.is_joker for piece in row) > 1:
            continue
        plain = [piece.tile for piece in row if not piece.tile.is_joker]
        if len({tile.number for tile in plain}) == 1:
            candidates = [
                Tile(ink, plain[0].number) for ink in rules.stock.inks if Tile(ink, plain[0].number) not in plain
            ]
        else:
            near = row[at - 1].tile if at else row[1].tile
            candidates = [Tile(near.colour, (near.number or 0) + (1 if at else -1))]
        new_tiles = unseen.take(candidates[:1])
        tiles = draw_set(rng, rules)[:3]
        hole = int(rng.integers(3))
        laid = unseen.take(tile for place, tile in enumerate(tiles) if place != hole)
        if new_tiles and laid:
            new = (*laid[:hole], row[at], *laid[hole:])
            return (*with_row(rows, index, (*row[:at], *new_tiles, *row[at + 1 :])), new)
    return None


MOVES: dict[str, Move] = {
    "extend": extend,
    "lay-set": lay_set,
    "split-run": split_run,
    "group-from-ends": group_from_ends,
    "lay-joker": lay_joker,
    "run-from-group": run_from_group,
    "lay-run": lay_run,
    "swap-joker": swap_joker,
}
"""Moves of players who have opened."""

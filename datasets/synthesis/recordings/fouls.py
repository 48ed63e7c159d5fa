"""Fouls that are planted in a made-up game, each with the table as the player leaves it after mending it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
from tilekeeper.engine.rules.violations import Code
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class Foul:
    """A turn done wrong and then mended: the rows after each, and what the judge is to say of the first.

    `code` is all that is wrong with it; None where any fault will do.
    """

    wrong: Rows
    mended: Rows
    code: Code | None


PlantFoul = Callable[[np.random.Generator, Rows, Unseen], Foul | None]
"""Gives a foul, or None where chance found none; that it is judged as planned is for the caller to see."""


def break_run(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Foul | None:
    """Leave a number out at the end of a run; then lay it in between."""
    for index in shuffled(rng, rows):
        row = rows[index]
        last = row[-1].tile
        if not is_plain_run(row) or last.number is None or last.number + 2 > unseen.rules.stock.numbers:
            continue
        if laid := unseen.take([Tile(last.colour, last.number + 1), Tile(last.colour, last.number + 2)]):
            between, beyond = laid
            wrong = with_row(rows, index, (*row, beyond))
            return Foul(wrong, with_row(rows, index, (*row, between, beyond)), Code.RUN_BROKEN)
    return None


def double_colour(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Foul | None:
    """Lay a colour to a group that has it already; then take it back and lay the one that is missing."""
    inks = unseen.rules.stock.inks
    for index in shuffled(rng, rows):
        row = rows[index]
        if not is_plain_group(row) or len(row) >= (unseen.rules.melds.largest_group or 0):
            continue
        there = {piece.tile.colour for piece in row}
        missing = [Tile(ink, row[0].tile.number) for ink in inks if ink not in there]
        twin = row[int(rng.integers(len(row)))].tile
        if laid := unseen.take([twin, missing[0]]):
            wrong = with_row(rows, index, (*row, laid[0]))
            return Foul(wrong, with_row(rows, index, (*row, laid[1])), Code.GROUP_COLOUR_TWICE)
    return None


def short_meld(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Foul | None:
    """Lay a set without its last tile; then lay that as well."""
    laid = unseen.take(draw_set(rng, unseen.rules)[:3])
    return Foul((*rows, laid[:2]), (*rows, laid), Code.MELD_TOO_SHORT) if laid else None


def open_too_low(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Foul | None:
    """Open with one set of too few points; then lay another one to it."""
    first, second = unseen.take(draw_set(rng, unseen.rules)), unseen.take(draw_set(rng, unseen.rules))
    if first is None or second is None:
        return None
    return Foul((*rows, first), (*rows, first, second), Code.OPENING_TOO_LOW)


FOULS: dict[str, PlantFoul] = {"break-run": break_run, "double-colour": double_colour, "short-meld": short_meld}
"""What a player does wrong who has opened; `open_too_low` is for those who have not."""

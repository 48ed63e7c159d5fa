"""Fouls (turns with a rule violation) in a random game, each with the table after its correction."""

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
    """An illegal turn and its correction: the rows on the table after each.

    `code`: the only violation that the judge must find in the illegal turn; None allows any.
    """

    wrong: Rows
    corrected: Rows
    code: Code | None


PlantFoul = Callable[[np.random.Generator, Rows, Unseen], Foul | None]
"""Function that returns an illegal turn, or None if it finds none for these rows; the caller checks the verdict."""


def break_run(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Foul | None:
    """Make an illegal turn that skips a number at the end of a run; the correction inserts the number."""
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
    """Make an illegal turn that lays a colour twice in a group; the correction lays a missing colour instead."""
    inks = unseen.rules.stock.inks
    for index in shuffled(rng, rows):
        row = rows[index]
        if not is_plain_group(row) or len(row) >= (unseen.rules.melds.largest_group or 0):
            continue
        colours = {piece.tile.colour for piece in row}
        missing = [Tile(ink, row[0].tile.number) for ink in inks if ink not in colours]
        twin = row[int(rng.integers(len(row)))].tile
        if laid := unseen.take([twin, missing[0]]):
            wrong = with_row(rows, index, (*row, laid[0]))
            return Foul(wrong, with_row(rows, index, (*row, laid[1])), Code.GROUP_COLOUR_TWICE)
    return None


def short_meld(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Foul | None:
    """Make an illegal turn that lays a set without its last tile; the correction adds that tile."""
    laid = unseen.take(draw_set(rng, unseen.rules)[:3])
    return Foul((*rows, laid[:2]), (*rows, laid), Code.MELD_TOO_SHORT) if laid else None


def open_too_low(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Foul | None:
    """Make an illegal turn that opens with one set of too few points; the correction adds another set."""
    first, second = unseen.take(draw_set(rng, unseen.rules)), unseen.take(draw_set(rng, unseen.rules))
    if first is None or second is None:
        return None
    return Foul((*rows, first), (*rows, first, second), Code.OPENING_TOO_LOW)


FOULS: dict[str, PlantFoul] = {"break-run": break_run, "double-colour": double_colour, "short-meld": short_meld}
"""Illegal turns of players who have opened; `open_too_low` is for players who have not."""

"""Fouls (turns with a rule violation) that look nearly legal: a similar tile laid, or a tile taken from the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tilekeeper.datasets.synthesis.recordings.foul_tables import ALIKE
from tilekeeper.datasets.synthesis.recordings.fouls import FOULS, Foul, PlantFoul
from tilekeeper.datasets.synthesis.recordings.moves import extend, lay_joker, lay_run, lay_set
from tilekeeper.datasets.synthesis.recordings.pieces import Piece, Rows, Unseen, shuffled, with_row
from tilekeeper.engine.rules.violations import Code
from tilekeeper.engine.tiles.tile import Tile

LAYING = (lay_set, lay_run, extend, lay_joker)
"""The moves that can use a wrong tile."""


def confuse(change: Callable[[Tile], Tile | None]) -> PlantFoul:
    """Return a function that makes an illegal turn: `change(tile)` is laid for a tile; the correction lays the tile."""

    def plant(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Foul | None:
        corrected = LAYING[int(rng.integers(len(LAYING)))](rng, rows, unseen)
        if corrected is None:
            return None
        old_keys = {piece.key for row in rows for piece in row}
        new = [
            (index, at, piece)
            for index, row in enumerate(corrected)
            for at, piece in enumerate(row)
            if piece.key not in old_keys and not piece.tile.is_joker
        ]
        for order in rng.permutation(len(new)):
            index, at, piece = new[int(order)]
            other = change(piece.tile)
            if other is not None and other != piece.tile and (instead := unseen.take([other])):
                wrong: tuple[Piece, ...] = (*corrected[index][:at], *instead, *corrected[index][at + 1 :])
                return Foul(with_row(corrected, index, wrong), corrected, None)
        return None

    return plant


def lay_another(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Foul | None:
    """Make an illegal turn in which a random tile is laid instead of the right tile."""
    stock = unseen.rules.stock
    ink, number = stock.inks[int(rng.integers(len(stock.inks)))], int(rng.integers(1, stock.numbers + 1))
    return confuse(lambda _: Tile(ink, number))(rng, rows, unseen)


def take_tile(rng: np.random.Generator, rows: Rows, unseen: Unseen) -> Foul | None:
    """Make an illegal turn that lays a set and takes a tile from a long meld; the correction puts that tile back."""
    corrected = lay_set(rng, rows, unseen)
    for index in shuffled(rng, rows) if corrected is not None else ():
        if len(rows[index]) > unseen.rules.melds.shortest:
            assert corrected is not None
            return Foul(with_row(corrected, index, rows[index][:-1]), corrected, Code.TILE_TAKEN)
    return None


CONFUSED: Mapping[str, PlantFoul] = {kind: confuse(change) for kind, change in ALIKE}
"""Illegal turns of players who confuse two tiles."""
CLUMSY: Mapping[str, PlantFoul] = {**FOULS, "another": lay_another, "take-tile": take_tile}
"""All other illegal turns of players who have opened."""

"""The best play that is easiest to lay: the most tiles of a rack, and few moves of tiles on the table."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import lru_cache
from typing import Final

from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.arrange import arrangements
from tilekeeper.engine.solver.best_play import Play, best_play
from tilekeeper.engine.solver.exact_cover import SearchTooLarge
from tilekeeper.engine.solver.explanation import explain
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile

log = logging.getLogger(__name__)

SEARCHED_S: Final = 0.25
"""The time limit of the search for fewer moves; the best play alone takes some milliseconds."""


def easiest_play(table: Table, rack: tuple[Tile, ...], context: TurnContext) -> Play | None:
    """Return the turn that lays the most tiles of a rack, with few moved tiles; None if no turn was found.

    Args:
        table: the table before the turn.
        rack: the tiles of the player.
        context: the rules, and whether the player had opened.
    """
    play = largest_play(table, rack, context)
    return None if play is None else with_few_moves(table, play, context)


@lru_cache(maxsize=256)
def largest_play(table: Table, rack: tuple[Tile, ...], context: TurnContext) -> Play | None:
    """Return a turn that lays the most tiles of a rack, which may move many tiles; None if no turn was found.

    The result is cached, since a review asks for the same turn twice.
    """
    try:
        return best_play(table, rack, context)
    except SearchTooLarge:
        log.info("The search for the best play is too large: %s with %s", table, rack)
        return None


@lru_cache(maxsize=64)
def with_few_moves(table: Table, play: Play, context: TurnContext) -> Play:
    """Return the play with the legal table for which the fewest tiles of the table are moved; the result is cached."""
    easiest, fewest = play, count_moved(table, play.after, context)
    laid = Table((*table.melds, *((tile,) for tile in play.laid)))
    for arrangement in arrangements(laid, context.rules, SEARCHED_S):
        moved = count_moved(table, arrangement.table, context)
        if moved >= fewest or not arrangement.complete:
            continue
        verdict = judge(table, arrangement.table, context)
        if verdict.legal and len(verdict.placed) == len(play.laid):
            easiest, fewest = replace(play, after=arrangement.table, opens=verdict.opens), moved
    return easiest


def count_moved(before: Table, after: Table, context: TurnContext) -> int:
    """Return how many tiles of the table a turn moves."""
    return explain(before, after, context).moved

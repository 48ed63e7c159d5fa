"""Stars: what a turn earns, and what is paid at the end of a round that is counted in star coins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from tilekeeper.engine.changes import find_changes
from tilekeeper.engine.meld import readings
from tilekeeper.engine.rules import RuleSet, Stars
from tilekeeper.engine.scoring import RoundScore
from tilekeeper.engine.stars import Bank
from tilekeeper.engine.table import Table
from tilekeeper.engine.tile import Tile


def turn_stars(before: Table, after: Table, emptied: bool, rules: RuleSet, stars: Stars) -> int:
    """How many stars a turn earns in which tiles were laid.

    Args:
        before: the table before the turn.
        after: the table after it.
        emptied: whether the turn has emptied the rack.
        rules: the edition in play.
        stars: what it pays.
    """
    laid = (after.counts - before.counts).total()
    replacing = replacing_tiles(before, after, rules)
    return (
        stars.tile * (laid - replacing)
        + stars.replacing * replacing
        + stars.new_run * new_sets(before, after, rules)
        + (stars.empty_rack if emptied else 0)
    )


def new_sets(before: Table, after: Table, rules: RuleSet) -> int:
    """How many sets of the table after a turn were made of tiles of the rack alone."""
    changes = find_changes(before, after, rules)
    rack = changes.placed.copy()
    count = 0
    for index in changes.new:
        tiles = Counter(after.melds[index])
        if tiles <= rack and readings(after.melds[index], rules):
            rack -= tiles
            count += 1
    return count


def replacing_tiles(before: Table, after: Table, rules: RuleSet) -> int:
    """How many tiles of the rack took the places of jokers.

    A tile did that for which a joker stood before and for which one joker less stands now; a joker that left the
    table was replaced for certain. Where a row can be read in two ways the player gets the better one.
    """
    placed = after.counts - before.counts
    left = (before.counts - after.counts)[Tile(None, None)]
    fewest = min(
        sum(min(placed[tile], count) for tile, count in (stood - stand).items())
        for stood in _standing_for(before, rules)
        for stand in _standing_for(after, rules)
    )
    return min(max(left, fewest), placed.total())


def _standing_for(table: Table, rules: RuleSet) -> Iterator[Counter[Tile]]:
    """What the jokers of a table stand for, in every way in which its rows can be read."""
    rows = [
        [
            tuple(stands_for for tile, stands_for in zip(meld, reading.tiles, strict=True) if tile.is_joker)
            for reading in readings(meld, rules)
        ]
        for meld in table.melds
        if any(tile.is_joker for tile in meld)
    ]
    for chosen in product(*filter(None, rows)):
        yield Counter(tile for tiles in chosen for tile in tiles)


def score_stars(bank: Bank, tiles_left: Sequence[int], out: int | None, stars: Stars) -> tuple[Bank, RoundScore]:
    """What is paid at the end of a round, and who has won it.

    Args:
        bank: the coins after the last turn.
        tiles_left: how many tiles are left on each rack, by seats.
        out: the player who has emptied the rack; none where the round ended without that.
        stars: what the edition pays.

    Returns:
        The bank afterwards, and the stars of each player as the round's points.
    """
    if out is not None or stars.tiles_left_cost:
        for player, tiles in enumerate(tiles_left):
            if player != out:
                bank, _ = bank.pay(player, tiles * stars.tile_left)
    points = tuple(map(bank.stars, range(len(bank.purses))))
    winners = tuple(player for player, count in enumerate(points) if count == max(points))
    if out in winners and stars.finisher_wins_tie:
        winners = (out,)
    return bank, RoundScore(points, winners, zero_sum=False)

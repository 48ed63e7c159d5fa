"""Lower bounds of the replaced jokers in a search for single moves: jokers that can't be taken out, and new melds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tilekeeper.engine.provenance.board import RACK, Board, Provenance
from tilekeeper.engine.provenance.move_rows import JOKER_PIECE, Piece, Row, Rows, has_gap, only_plain_runs
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.tile import JOKER, Tile


class LockedJokers(dict[int, int]):
    """For each row, the number of jokers that must be replaced because they can't be taken out; computed on first use.

    Such a joker lies between two tiles, in the place of a tile of the rack, and so near to 1 or to the highest number
    that no run fits there.
    """

    def __init__(self, rows: Rows, rack: frozenset[Piece], rules: RuleSet) -> None:
        super().__init__()
        self._rows, self._rack, self._rules = rows, rack, rules

    def __missing__(self, row: int) -> int:
        pieces = self._rows.pieces(row)
        plain = [at for at, piece in enumerate(pieces) if piece is not JOKER_PIECE]
        self[row] = locked = sum(self._count_between(pieces, left, right) for left, right in pairwise(plain))
        return locked

    def _count_between(self, pieces: Row, left: int, right: int) -> int:
        """Return how many of the jokers between two neighbouring tiles are locked."""
        (tile, goal), (other, other_goal) = pieces[left], pieces[right]
        if goal != other_goal or not only_plain_runs(self._rules) or tile.number is None or other.number is None:
            return 0
        places = range(min(tile.number, other.number) + 1, max(tile.number, other.number))
        shortest, highest = self._rules.melds.shortest, self._rules.stock.numbers
        return sum(
            not shortest < place <= highest - shortest and (Tile(tile.colour, place), goal) in self._rack
            for place in places
        )


def find_new_melds(provenance: dict[Tile, Provenance], board: Board) -> Iterator[tuple[frozenset[Piece], int]]:
    """Yield each new meld that must be laid as a new row: its tiles, and the fewest jokers that this row needs.

    A meld is left out if its tiles can also be laid at a row of other tiles and be separated from these later.
    """
    rules = board.rules
    if not only_plain_runs(rules):
        return
    for goal in board.changes.changed_after:
        tiles = {tile for tile in board.after[goal] if not tile.is_joker}
        if not tiles or not all((RACK, goal) in provenance[tile] for tile in tiles):
            continue
        colour = next(iter(tiles)).colour
        other_tiles = [
            (tile, beside)
            for at in range(len(board.after))
            for tile, beside in _find_tiles_beside(at, provenance, board)
            if at != goal and tile.colour is colour
        ]
        if not any(_can_separate(tile, *other, rules) for tile in tiles for other in other_tiles):
            numbers = {tile.number for tile in tiles}
            first_rows = range(1, rules.stock.numbers - rules.melds.shortest + 2)
            least = min(len({*range(at, at + rules.melds.shortest)} - numbers) for at in first_rows)
            yield frozenset((tile, goal) for tile in tiles), least


def _find_tiles_beside(
    goal: int, provenance: dict[Tile, Provenance], board: Board
) -> Iterator[tuple[Tile, frozenset[Tile]]]:
    """Yield each numbered tile of a meld of the table after, with the numbered tiles beside it before the turn.

    They stay beside it, because only a joker that is taken out separates a row.
    """
    for tile in board.after[goal]:
        if tile.is_joker:
            continue
        if goal in board.changes.unchanged:
            row = board.after[goal]
        else:
            origin = next(origin for origin, its_goal in provenance[tile] if its_goal == goal)
            row = () if origin == RACK else board.before[origin]
        at = row.index(tile) if row else 0
        yield tile, frozenset(other for other in row[max(0, at - 1) : at + 2] if other not in (tile, JOKER))


def _can_separate(tile: Tile, other: Tile, beside: frozenset[Tile], rules: RuleSet) -> bool:
    """Return whether a joker can leave from between two tiles that have only jokers between them in a run.

    The box must hold enough jokers. `beside` are the tiles that stay beside `other`: one of them may be in the way.
    """
    number, other_number = tile.number or 0, other.number or 0
    next_number = other_number + (1 if number > other_number else -1)
    is_near = abs(number - other_number) <= rules.stock.jokers + 1
    return is_near and has_gap(tile, other, rules) and all(each.number != next_number for each in beside)

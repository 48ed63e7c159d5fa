"""Places in sets: which positions of two rows are the same place of a set, and the sets within a row."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

from tilekeeper.engine.rules.meld import Kind, Reading, is_valid, readings
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld


def is_one_place(was: Reading, was_at: int, now: Reading, at: int) -> bool:
    """Return whether a position of one reading and a position of another are the same place in a set.

    In a run the places need equal colour and number, in a group only equal number.
    """
    if was.kind is not now.kind:
        return False
    return was.tiles[was_at] is now.tiles[at] or (
        was.kind is Kind.GROUP and was.tiles[was_at].number == now.tiles[at].number
    )


@lru_cache(maxsize=1_024)  # the judge asks again in every scenario of the jokers
def sets_around(row: Meld, at: int, rules: RuleSet) -> tuple[tuple[int, ...], ...]:
    """Return each smaller valid set within a row that contains position `at`, as the positions of its tiles.

    The other tiles of the row can have been added to such a set.
    """
    found: dict[tuple[int, ...], None] = {}
    for kind in {reading.kind for reading in readings(row, rules)}:
        for size in range(rules.melds.shortest, len(row)):
            if kind is Kind.RUN:
                starts = range(max(0, at - size + 1), min(at, len(row) - size) + 1)
                found |= dict.fromkeys(tuple(range(start, start + size)) for start in starts)
            else:
                found |= dict.fromkeys(chosen for chosen in combinations(range(len(row)), size) if at in chosen)
    return tuple(chosen for chosen in found if is_valid(tuple(row[each] for each in chosen), rules))

"""The rule that a player who has not opened must not move the jokers of the table.

The camera sees the tables before and after a turn, not the moves between. Jokers look alike, so every assignment of the
jokers before to the places after is tried, which are few. The assignment with the fewest moved jokers counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

from tilekeeper.engine.provenance.budget import Budget
from tilekeeper.engine.provenance.changes import Changes, joker_places
from tilekeeper.engine.rules.meld import stand_ins
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Meld, Place
from tilekeeper.engine.tiles.tile import JOKER, Tile


def judge_jokers(changes: Changes, rules: RuleSet, budget: Budget) -> Iterator[Violation]:
    """Yield the violations of a player who moved jokers of the table before the opening.

    If the changed melds hold more jokers than the box, the table was misread and nothing is yielded.

    Args:
        changes: the changes of the turn.
        rules: the edition in play.
        budget: the steps that the search may take.

    Raises:
        BudgetExceeded: if there are too many assignments to try.
    """
    origins = joker_places(changes.before, changes.changed_before)
    goals: list[Place | None] = [*joker_places(changes.after, changes.changed_after)]
    if not origins or max(len(origins) + changes.placed[JOKER], len(goals)) > rules.stock.jokers:
        return
    removed = [None] * (len(origins) + changes.placed[JOKER] - len(goals))
    fewest: list[tuple[Place, Place | None]] | None = None
    for chosen in permutations([*goals, *removed], len(origins)):
        budget.spend(4 + 4 * len(origins))
        found = [
            (origin, goal)
            for origin, goal in zip(origins, chosen, strict=True)
            if _is_moved(origin, goal, changes, rules)
        ]
        if fewest is None or len(found) < len(fewest):
            fewest = found
        if not fewest:
            return
    moved = fewest or []
    if on_table := tuple(sorted(goal for _, goal in moved if goal is not None)):
        yield Violation.from_tiles(Code.JOKER_BEFORE_OPENING, Side.AFTER, on_table)
    if missing := tuple(origin for origin, goal in moved if goal is None):
        yield Violation.from_tiles(Code.JOKER_BEFORE_OPENING, Side.BEFORE, missing)


def _is_moved(origin: Place, goal: Place | None, changes: Changes, rules: RuleSet) -> bool:
    """Return whether a joker left the tiles of its valid set, or stands for another tile now.

    Args:
        origin: its place before the turn.
        goal: its place after the turn; None if it is not on the table.
        changes: the changes of the turn.
        rules: the edition in play.
    """
    before, after = changes.before.melds, changes.after.melds
    stood_for = stand_ins(before[origin.meld], origin.position, rules)
    if not stood_for:
        return False  # the row was not a valid meld, so the joker belonged to no set
    if goal is None or not _plain(before[origin.meld]) & _plain(after[goal.meld]):
        return True
    stands_for = stand_ins(after[goal.meld], goal.position, rules)
    return bool(stands_for) and stood_for.keys().isdisjoint(stands_for)


def _plain(meld: Meld) -> Counter[Tile]:
    """Return the numbered tiles of a meld."""
    return Counter(tile for tile in meld if not tile.is_joker)

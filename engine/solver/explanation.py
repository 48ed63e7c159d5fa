"""Explanation of a turn: the pairs of old and new melds, and the fewest moved tiles.

Old and new melds are paired one to one so that the most tiles stay in their meld.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tilekeeper.engine.language import gettext
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.rules.turn_context import TurnContext, check_turn
from tilekeeper.engine.solver.tile_moves import TileMove, continued, pair_places, shared
from tilekeeper.engine.solver.turn_words import turn_words
from tilekeeper.engine.tiles.table import Table


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a turn; `str(explanation)` is one line in words."""

    continued_from: Mapping[int, int] = field(hash=False)
    """For each changed meld that continues an old one: its index after, mapped to the index of the old meld before."""
    moves: tuple[TileMove, ...]
    """The tiles that were laid, moved or taken, in the order of the table after; taken ones last."""
    steps: tuple[str, ...]
    """The steps of the player in words: `put red 6 after red 3 4 5`."""

    @property
    def moved(self) -> int:
        """The number of table tiles that were moved or taken."""
        return sum(move.origin is not None for move in self.moves)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The steps as sentences, such as `Put red 6 after red 3 4 5.`"""
        return tuple(f"{step[0].upper()}{step[1:]}." for step in self.steps)

    def __str__(self) -> str:
        return "; ".join(self.steps) or gettext("nothing was moved")


def explain(before: Table, after: Table, context: TurnContext) -> Explanation:
    """Explain the difference between two tables with the fewest moved tiles.

    Args:
        before: the table at the start of the turn.
        after: the table at its end.
        context: the rules; `opened` is ignored.

    Raises:
        ArgumentError: if an argument has another type.

    >>> context = TurnContext(rule_set("large-numbers"), opened=True)
    >>> print(explain(Table("R3 R4 R5"), Table("R3 R4 R5 R6"), context))
    put red 6 after red 3 4 5
    """
    check_turn(context, before=before, after=after)
    changes = find_changes(before, after, context.rules)
    continued_from = {
        changes.changed_after[new]: changes.changed_before[old]
        for old, new in continued(
            [before.melds[index] for index in changes.changed_before],
            [after.melds[index] for index in changes.changed_after],
            shared,
        )
    }
    matched = [(old, new) for new, old in {**changes.unchanged, **continued_from}.items()]
    moves = pair_places(before, after, matched, shared)
    moves.sort(key=lambda move: (move.goal is None, move.goal or move.origin))
    return Explanation(continued_from, tuple(moves), turn_words(moves, continued_from, before, after, context.rules))

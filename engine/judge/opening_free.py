"""The opening after which everything is open in the same turn: new sets from the rack first, then the table.

The camera sees the end of the turn only. The sets that made the opening may have been added to, or regrouped, since:
so every choice of sets that the tiles from the rack could have made is tried, those first that lie there still. Only
choices are tried of which every set is needed for the points: what is laid beside them is laid to an open table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tilekeeper.engine.judge.manipulation import Manipulated, find_legal, judge_manipulation
from tilekeeper.engine.judge.opening import Opening, from_rack, not_open, table_not_empty
from tilekeeper.engine.judge.opening_sets import RackSet, likely_sets
from tilekeeper.engine.provenance.budget import OutOfSteps, Steps
from tilekeeper.engine.provenance.changes import Changes, find_changes
from tilekeeper.engine.rules.policies import JokerSets
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import Tile


def judge_free_opening(changes: Changes, rules: RuleSet, steps: Steps) -> Opening:
    """Judge the turn of a player who had not opened before, where the table is open once the opening lies.

    Where the ways in which it can have been made are too many to be looked into, nobody is blamed.
    """
    laid = from_rack(changes, rules)
    points = laid.points(rules)
    not_empty = tuple(table_not_empty(changes, rules))
    told: Manipulated | None = None
    if points >= rules.opening.minimum_points:
        rows = [changes.after.melds[candidate.index] for candidate in laid.rows]
        told = judge_manipulation(_once_open(changes, rows, rules), rules, steps)
        if not told.violations:
            return Opening(points, not_empty, told, told.proved)
    try:
        found = _find_opening(changes, rules, steps)
    except OutOfSteps:
        return Opening(points, not_empty, Manipulated(), proved=False)
    if found is not None:
        reached, rest = found
        return Opening(max(points, reached), not_empty, rest)
    return not_open(changes, laid, rules, steps) if told is None else Opening(points, not_empty, told)


def _find_opening(changes: Changes, rules: RuleSet, steps: Steps) -> tuple[int, Manipulated] | None:
    """What an opening is worth that was regrouped since, and what was done then; none where there is no such one.

    Raises:
        OutOfSteps: when there are more than may be looked into.
    """
    if rules.joker.sets is not JokerSets.JOKER_MOVES and find_legal(changes, rules, steps) is None:
        # What can't be done with all these tiles at hand can't be done with some of them in sets that must be kept.
        return None
    for sets in _openings(changes, rules, steps):
        steps.take(2 * (len(changes.before.melds) + len(changes.after.melds)))
        rest = find_legal(_once_open(changes, [chosen.meld for chosen in sets], rules), rules, steps)
        if rest is not None:
            return sum(chosen.points for chosen in sets), rest
    return None


def _once_open(changes: Changes, laid: Sequence[Meld], rules: RuleSet) -> Changes:
    """What was changed after some sets had been laid."""
    return find_changes(Table((*changes.before.melds, *laid)), changes.after, rules)


def _openings(changes: Changes, rules: RuleSet, steps: Steps) -> Iterator[tuple[RackSet, ...]]:
    """The choices of sets that reach the points and would not without any of them, the likeliest first.

    Raises:
        OutOfSteps: when there are more than may be looked into.
    """
    sets = likely_sets(changes, rules, steps)
    apart, deeper = 0, True
    while deeper:
        deeper = False
        for choice in _choices(sets, changes.placed, rules, apart, steps):
            if choice is None:
                deeper = True
            else:
                yield choice
        apart += 1


def _choices(
    sets: Sequence[RackSet], rack: Counter[Tile], rules: RuleSet, apart: int, steps: Steps
) -> Iterator[tuple[RackSet, ...] | None]:
    """The choices of which so many tiles lie apart now; none in between where some have more."""
    bound = rules.opening.minimum_points

    def more(
        start: int, chosen: tuple[RackSet, ...], points: int, left: Counter[Tile], apart: int
    ) -> Iterator[tuple[RackSet, ...] | None]:
        for position in range(start, len(sets)):
            one = sets[position]
            steps.take(1)
            if not one.fits(left):
                continue
            if one.apart > apart:
                yield None
                continue
            reached = points + one.points
            if reached >= bound:
                if one.apart == apart and all(reached - other.points < bound for other in chosen):
                    yield (*chosen, one)
            elif rules.opening.several_sets:
                # From this set on, not the next: of tiles that the rack has twice the same set can lie twice.
                yield from more(position, (*chosen, one), reached, left - one.tiles, apart - one.apart)

    yield from more(0, (), 0, rack, apart)

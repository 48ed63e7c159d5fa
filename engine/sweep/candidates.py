"""The ways over one number: a step of each colour, for one choice of groups."""

from __future__ import annotations

from collections.abc import Sequence

from tilekeeper.engine.sweep.bounds import NEVER, Bound, ColourBounds, Step, joint, together
from tilekeeper.engine.sweep.groups import Grouping

States = tuple[int, ...]
"""The state of each colour."""
Level = tuple[int, States, int]
"""A node of the search: a number, the states before it, and the jokers left."""
Candidate = tuple[Level, int, Grouping, tuple[Step, ...]]
"""One way over a number: the node after it, the weight left over of this number, its groups, and the step of each
colour. A plain tuple: there are thousands."""

_Way = tuple[int, int, int, tuple[Step, ...]]
"""Steps of some colours over a number: what they need, the weight left over, the jokers left, and the steps."""
Row = tuple[ColourBounds, int]
"""The bounds of a colour from a number on, and its state."""


def candidates_with(
    level: Level, grouping: Grouping, rows: Sequence[Row], least: int, most: int
) -> tuple[list[tuple[int, Candidate]], int]:
    """The candidates of one choice of groups that need at least `least` and at most `most`.

    Returns:
        Them, with what they need, and the least that any other needs beyond `most`.
    """
    number, _, jokers = level
    jokers -= grouping.jokers
    found, beyond = _ways_with_jokers(rows, jokers, most) if jokers else _ways(rows, most)
    after = number + 1
    return [
        (need, ((after, tuple([step[0] for step in chosen]), left), lost, grouping, chosen))
        for need, lost, left, chosen in found
        if need >= least
    ], beyond


def _ways(rows: Sequence[Row], most: int) -> tuple[list[_Way], int]:
    """The ways over a number, by a step of each colour without jokers, that need at most `most`."""
    beyond = NEVER
    found: list[_Way] = [(sum([bounds[state][0] for bounds, state in rows]), 0, 0, ())]
    for bounds, state in rows:
        ways, found = found, []
        own, later = bounds[state][0], bounds.later
        steps = [(after, lost, later[after][0]) for after, used, lost in bounds.steps(state) if not used]
        for before, lost, _, chosen in ways:
            base = before - own
            for after, left_over, need in steps:
                needed = base + left_over + need
                if needed <= most:
                    found.append((needed, lost + left_over, 0, (*chosen, (after, 0, left_over))))
                elif needed < beyond:
                    beyond = needed
    return found, beyond


def _ways_with_jokers(rows: Sequence[Row], jokers: int, most: int) -> tuple[list[_Way], int]:
    """The ways over a number, by a step of each colour, that need at most `most`."""
    first, state = rows[0]
    rests: list[Bound] = [(0,) * len(first[state])]
    for bounds, state in rows[:0:-1]:
        rests.append(joint(rests[-1], bounds[state]))
    beyond = NEVER
    parts: list[tuple[Bound, _Way]] = [(rests[0], (0, 0, jokers, ()))]
    for (bounds, state), rest in zip(rows, reversed(rests), strict=True):
        longer = []
        later, steps = bounds.later, bounds.steps(state)
        for bound, (_, lost, left, chosen) in parts:
            for step in steps:
                after, used, left_over = step
                if used <= left:
                    joined = joint(bound, later[after])
                    need = lost + left_over + together(joined, rest, left - used)
                    if need <= most:
                        longer.append((joined, (need, lost + left_over, left - used, (*chosen, step))))
                    elif need < beyond:
                        beyond = need
        parts = longer
    return [way for _, way in parts], beyond

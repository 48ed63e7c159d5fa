"""Candidates of the sweep: the ways over one number, each with a choice of groups and a step of each colour."""

from __future__ import annotations

from collections.abc import Sequence

from tilekeeper.engine.sweep.bounds import NEVER, Bound, ColourBounds, Step, combine, combine_at
from tilekeeper.engine.sweep.groups import GroupChoice

States = tuple[int, ...]
"""The state of the open runs of each colour: its number in `OpenRuns.states`."""
Level = tuple[int, States, int]
"""A node of the search: the next number, the states before it, and the number of remaining jokers."""
Candidate = tuple[Level, int, GroupChoice, tuple[Step, ...]]
"""One way over a number: the next node, the weight of its tiles that are left over, the choice of groups, and the step
of each colour. It is a plain tuple for speed, since there are thousands."""

_Way = tuple[int, int, int, tuple[Step, ...]]
"""Steps of the first colours over a number: the lower bound with these steps, the weight left over, the number of
remaining jokers, and the steps."""
BoundsAndState = tuple[ColourBounds, int]
"""The bounds of a colour from a number on, and the state of its open runs before this number."""


def candidates_with(
    level: Level, group_choice: GroupChoice, rows: Sequence[BoundsAndState], least: int, most: int
) -> tuple[list[tuple[int, Candidate]], int]:
    """Return the candidates of one choice of groups whose lower bound is from `least` to `most`.

    Args:
        level: the node.
        group_choice: the choice of groups.
        rows: the bounds and the state of each colour.
        least: the lowest bound of a returned candidate.
        most: the highest bound of a returned candidate.

    Returns:
        Pairs of a bound and a candidate; and the least bound of the ways that exceed `most`, `NEVER` if none does.
    """
    number, _, jokers = level
    jokers -= group_choice.jokers
    found, beyond = _ways_with_jokers(rows, jokers, most) if jokers else _ways(rows, most)
    after = number + 1
    return [
        (need, ((after, tuple([step[0] for step in chosen]), jokers_left), lost, group_choice, chosen))
        for need, lost, jokers_left, chosen in found
        if need >= least
    ], beyond


def _ways(rows: Sequence[BoundsAndState], most: int) -> tuple[list[_Way], int]:
    """Return the ways without jokers whose bound is at most `most`, and the least bound of the other ways."""
    beyond = NEVER
    found: list[_Way] = [(sum([bounds[state][0] for bounds, state in rows]), 0, 0, ())]
    for bounds, state in rows:
        ways, found = found, []
        least_of_colour, later = bounds[state][0], bounds.later
        steps = [(after, lost, later[after][0]) for after, used, lost in bounds.steps(state) if not used]
        for before, lost, _, chosen in ways:
            base = before - least_of_colour
            for after, left_over, need in steps:
                needed = base + left_over + need
                if needed <= most:
                    found.append((needed, lost + left_over, 0, (*chosen, (after, 0, left_over))))
                elif needed < beyond:
                    beyond = needed
    return found, beyond


def _ways_with_jokers(rows: Sequence[BoundsAndState], jokers: int, most: int) -> tuple[list[_Way], int]:
    """Return the ways with or without jokers whose bound is at most `most`, and the least bound of the other ways."""
    first, state = rows[0]
    rests: list[Bound] = [(0,) * len(first[state])]
    for bounds, state in rows[:0:-1]:
        rests.append(combine(rests[-1], bounds[state]))
    beyond = NEVER
    parts: list[tuple[Bound, _Way]] = [(rests[0], (0, 0, jokers, ()))]
    for (bounds, state), rest in zip(rows, reversed(rests), strict=True):
        longer = []
        later, steps = bounds.later, bounds.steps(state)
        for bound, (_, lost, jokers_left, chosen) in parts:
            for step in steps:
                after, used, left_over = step
                if used <= jokers_left:
                    joined = combine(bound, later[after])
                    need = lost + left_over + combine_at(joined, rest, jokers_left - used)
                    if need <= most:
                        longer.append((joined, (need, lost + left_over, jokers_left - used, (*chosen, step))))
                    elif need < beyond:
                        beyond = need
        parts = longer
    return [way for _, way in parts], beyond

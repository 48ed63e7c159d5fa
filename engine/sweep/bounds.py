"""Lower bounds of the weight that one colour leaves over from a number on, and the ways over one number within them.

The bound of a colour assumes that every tile that can be in a group is in one. At each number, one colour is charged
with the jokers that groups need. A bound is a sequence indexed by the number of jokers; no entry is higher than the
entry before. Tables of bounds are computed on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilekeeper.engine.sweep.groups import GroupChoice
from tilekeeper.engine.sweep.runs import OpenRuns, Transitions

NEVER: Final = 1 << 40

Bound = Sequence[int]
"""The least weight left over, indexed by the number of jokers."""

Step = tuple[int, int, int]
"""A step of one colour over a number: the next state, the jokers added to runs, and the weight left over."""


def combine_at(bound: Bound, other: Bound, jokers: int) -> int:
    """Return the least weight that two parts leave over together if they share `jokers` jokers."""
    if jokers == 0:
        return bound[0] + other[0]
    if jokers == 1:
        return min(bound[1] + other[0], bound[0] + other[1])
    if jokers == 2:
        return min(bound[2] + other[0], bound[1] + other[1], bound[0] + other[2])
    return min([bound[ours] + other[jokers - ours] for ours in range(jokers + 1)])


def combine(bound: Bound, other: Bound) -> Bound:
    """Min-plus convolution: return the bound of two parts that share the jokers."""
    if len(bound) == 1:
        return (bound[0] + other[0],)
    if len(bound) == 2:
        return (bound[0] + other[0], min(bound[1] + other[0], bound[0] + other[1]))
    if len(bound) == 3:  # the usual box holds two jokers
        none, one, two = bound
        their_none, their_one, their_two = other
        with_one, ours = none + their_one, one + their_none
        return (
            none + their_none,
            min(with_one, ours),
            min(two + their_none, one + their_one, none + their_two),
        )
    return tuple([combine_at(bound, other, jokers) for jokers in range(len(bound))])


def combine_colours(bounds: Sequence[list[Bound]], counts: Sequence[int]) -> Bound:
    """Return the bound of several colours that share the jokers.

    `counts` has the number of tiles in groups for each colour, which selects one of its bounds.
    """
    found = bounds[0][counts[0]]
    for bound, count in zip(bounds[1:], counts[1:], strict=True):
        found = combine(found, bound[count])
    return found


class ColourBounds(dict[int, Bound]):
    """The bounds of one colour from a number on, keyed by the state of its runs.

    Args:
        runs: the states of open runs.
        jokers: the number of jokers in the task.
        room: the most unfinished runs that can continue at this number.
        transitions: the tables of transitions at this number, each with the number of jokers that groups take;
            empty beyond the highest number.
        weight: the weight of a tile of this number.
        later: the bounds from the next number on; None beyond the highest number.
    """

    __slots__ = ("_jokers", "_later", "_room", "_transitions", "_unfinished", "_weight")

    def __init__(
        self,
        runs: OpenRuns,
        jokers: int,
        room: int,
        transitions: Sequence[tuple[Transitions, int]] = (),
        weight: int = 1,
        later: ColourBounds | None = None,
    ) -> None:
        self._unfinished, self._jokers, self._room = runs.unfinished, jokers, room
        self._transitions, self._weight, self._later = transitions, weight, later

    @property
    def later(self) -> ColourBounds:
        """The bounds from the next number on."""
        assert self._later is not None  # nobody asks beyond the highest number
        return self._later

    def steps(self, state: int) -> Sequence[Step]:
        """Return the steps from a state over the number; only for bounds with exactly one table of transitions."""
        ((transitions, _),) = self._transitions
        weight = self._weight
        found = transitions[state]
        return found if weight == 1 else [(after, used, weight * over) for after, used, over in found]

    def __missing__(self, state: int) -> Bound:
        bound: Bound
        if self._unfinished[state] > self._room:
            bound = (NEVER,) * (self._jokers + 1)
        elif self._later is None:
            bound = (0,) * (self._jokers + 1)
        else:
            bound = self._least(self._later, state)
        self[state] = bound
        return bound

    def _least(self, later: ColourBounds, state: int) -> Bound:
        weight, most = self._weight, self._jokers
        if not most:
            least = NEVER
            for after, _, over in self._transitions[0][0][state]:  # fewest left over first
                lost = weight * over
                if lost >= least:
                    break
                need = lost + later[after][0]
                if need < least:
                    least = need
            return (least,)
        bound = [NEVER] * (most + 1)
        for transitions, grouped in self._transitions:
            for after, used, over in transitions[state]:
                lost = weight * over
                if lost >= bound[0]:
                    break
                for jokers, need in zip(range(used + grouped, most + 1), later[after], strict=False):
                    if lost + need < bound[jokers]:
                        bound[jokers] = lost + need
        return tuple(bound)


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

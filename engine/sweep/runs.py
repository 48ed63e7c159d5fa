"""The states of the open runs of one colour, and the transitions from one number to the next.

The code of an *open run* is its length, counted up to the shortest valid length, because a longer run has the same
continuations. If the rules limit the jokers in a set, the code also counts the jokers of the run. Jokers alone are no
valid run: if there are enough jokers for the shortest length, the code of a run of jokers alone is negative. A *state*
is the sorted tuple of the codes of the open runs of a colour. The states are numbered from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from operator import itemgetter
from typing import Final

Codes = tuple[int, ...]
Placement = tuple[int, int, bool]
"""A run after a number: its code, the index of the open run that it continues (-1 for a new run), and whether a joker
was added to it."""

Transition = tuple[int, int, int]
"""A transition: the number of the next state, the jokers added to runs, and the number of tiles left over."""

Starts = tuple[int, int]
"""How many runs at most may start with a tile, and how many with a joker."""

Over = tuple[int, int, Starts, int]
"""One number of one colour: the fewest and the most tiles for runs, the runs that may start, and the most other tiles
that do not count as left over."""

_JOKER: Final = 16  # a code is the length plus 16 for each joker, if jokers are limited


class OpenRuns:
    """The states of one colour's open runs and their transitions, computed on first use and cached.

    A set may hold `limit` jokers; None for no limit. Unless jokers may join runs that do not need them (`spare`), they
    only close gaps and bring runs to the shortest length, which makes far fewer transitions.
    """

    def __init__(self, shortest: int, jokers: int, limit: int | None, spare: bool) -> None:
        self.shortest = shortest
        self._jokers = jokers
        self._limit = limit
        self.spare = spare
        self.states: list[Codes] = []
        self._numbers: dict[Codes, int] = {}
        self.unfinished: list[int] = []
        self._transitions: dict[Over, Transitions] = {}
        self.placements = cache(self._placements)
        self.dominates = cache(self._dominates)
        self.starts = cache(self._starts)
        self.number_of(())

    def number_of(self, codes: Codes) -> int:
        """Return the number of a state; the state without open runs has 0."""
        number = self._numbers.get(codes)
        if number is None:
            number = self._numbers[codes] = len(self.states)
            self.states.append(codes)
            self.unfinished.append(sum(not self.may_end(code) for code in codes))
        return number

    def may_end(self, code: int) -> bool:
        """Return whether a run is long enough to end."""
        return code > 0 and code % _JOKER == self.shortest

    @property
    def block_code(self) -> int:
        """The code of the run of a block after its last number; the run counts as full of jokers, so none joins it."""
        return self.shortest + _JOKER * (self._limit or 0)

    def jokers_of(self, code: int) -> int:
        """Return the number of jokers in a run; 0 if the rules do not limit jokers in a set."""
        if self._limit is None:
            return 0
        return -code if code < 0 else code // _JOKER

    def after_tile(self, code: int) -> int:
        """Return the code of a run (0 for a new one) after one more numbered tile."""
        if code < 0:
            return min(1 - code, self.shortest) + _JOKER * self.jokers_of(code)
        return code + (code % _JOKER < self.shortest)

    def after_joker(self, code: int) -> int | None:
        """Return the code of a run (0 for a new one) after one more joker; None if it may hold no more."""
        jokers = self.jokers_of(code)
        if self._limit is not None and jokers >= self._limit:
            return None
        if code < 0 or (code == 0 and self._jokers >= self.shortest):
            return code - 1
        step = _JOKER if self._limit is not None else 0
        if self.may_end(code):
            # A joker after a run that may end is useful only if a number follows.
            return code + step if self.spare else code + step - 1
        return code + step + 1

    def _starts(self, available: tuple[int, ...], by_joker: bool) -> Starts:
        """Return how many runs may start with a tile, and how many with a joker, so that each can get long enough.

        `available` has the number of tiles of the first number, and of each number after it in the shortest run.
        """
        first, *following = available
        by_tile = max(runs for runs in range(first + 1) if self._jokers_suffice(runs, 0, following))
        with_joker = max(runs for runs in range(self._jokers + 1) if self._jokers_suffice(runs, runs, following))
        return by_tile, with_joker if by_joker else 0

    def _jokers_suffice(self, runs: int, jokers: int, available: Sequence[int]) -> bool:
        """Return whether there are enough jokers for `runs` runs, of which `jokers` start with a joker.

        `available` has the number of tiles of each number after the first; a joker replaces a missing tile.
        """
        lacking = jokers + sum(max(0, runs - tiles) for tiles in available)
        return lacking <= (self._jokers if self._limit is None else min(self._jokers, runs * self._limit))

    def transitions(self, least: int, most: int, starts: Starts, elsewhere: int = 0) -> Transitions:
        """Return the transitions of all states over a number, which is given as in `Over`."""
        key = (least, most, starts, elsewhere)
        found = self._transitions.get(key)
        if found is None:
            # A normalised key: without tiles or jokers no run can start, so larger limits change nothing.
            normalised = (least, most, (min(starts[0], most), min(starts[1], self._jokers)), min(elsewhere, most))
            found = self._transitions[key] = self._transitions.setdefault(normalised, Transitions(self, normalised))
        return found

    def transitions_from(self, state: int, over: Over) -> list[Transition]:
        """Return the transitions of a state that no other transition dominates, fewest tiles left over first."""
        least, most, starts, elsewhere = over
        found = {
            (tuple(sorted([code for code, _, _ in option])), jokers, max(0, most - tiles - elsewhere))
            for tiles in range(least, most + 1)
            for jokers in range(self._jokers + 1)
            for option in self.options(self.states[state], tiles, jokers, starts)
        }
        return [
            (self.number_of(codes), jokers, over)
            for codes, jokers, over in sorted(found, key=itemgetter(2, 1, 0))
            if not any(
                other_over <= over
                and (other_jokers == jokers if self.spare else other_jokers <= jokers)
                and (other_over, other_jokers, other_codes) != (over, jokers, codes)
                and self._codes_dominate(other_codes, codes)
                for other_codes, other_jokers, other_over in found
            )
        ]

    def _placements(self, state: int, tiles: int, jokers: int, starts: Starts, after: int) -> list[Placement] | None:
        """Return the placements of tiles and jokers that turn one state into another; None if there are none."""
        wanted = list(self.states[after])
        options = (sorted(option) for option in self.options(self.states[state], tiles, jokers, starts))
        return next((option for option in options if [code for code, _, _ in option] == wanted), None)

    def options(self, codes: Codes, tiles: int, jokers: int, starts: Starts) -> Iterator[list[Placement]]:
        """Yield every way to add the tiles and jokers of one number to open runs or new runs."""
        yield from self._options(codes, 0, tiles, jokers, starts[0], starts[1], [])

    def _options(
        self,
        codes: Codes,
        at: int,
        tiles: int,
        jokers: int,
        may_start: int,
        joker_may_start: int,
        laid: list[Placement],
    ) -> Iterator[list[Placement]]:
        if at == len(codes):
            by_joker = self.after_joker(0)
            if tiles <= may_start and jokers <= (0 if by_joker is None else joker_may_start):
                yield laid + [(self.after_tile(0), -1, False)] * tiles + [(by_joker or 0, -1, True)] * jokers
            return
        code = codes[at]
        if self.may_end(code):
            yield from self._options(codes, at + 1, tiles, jokers, may_start, joker_may_start, laid)
        if tiles:
            more = [*laid, (self.after_tile(code), at, False)]
            yield from self._options(codes, at + 1, tiles - 1, jokers, may_start, joker_may_start, more)
        if jokers and (longer := self.after_joker(code)) is not None:
            more = [*laid, (longer, at, True)]
            yield from self._options(codes, at + 1, tiles, jokers - 1, may_start, joker_may_start, more)

    def _dominates(self, state: int, other: int) -> bool:
        """Return whether every continuation of the state `other` is also possible from `state`."""
        return self._codes_dominate(self.states[state], self.states[other])

    def _codes_dominate(self, codes: Codes, other_codes: Codes) -> bool:
        width = max(len(codes), len(other_codes))
        ours, theirs = (0,) * (width - len(codes)) + codes, (0,) * (width - len(other_codes)) + other_codes
        return all(map(self._at_least, ours, theirs))

    def _at_least(self, code: int, other: int) -> bool:
        if code == other or (other == 0 and self.may_end(code)):
            return True
        if code <= 0 or other <= 0:
            return False
        return code % _JOKER >= other % _JOKER and code // _JOKER <= other // _JOKER


class Transitions(dict[int, list[Transition]]):
    """The transitions of each state over one number, computed on first use."""

    __slots__ = ("over", "runs")

    def __init__(self, runs: OpenRuns, over: Over) -> None:
        super().__init__()
        self.runs, self.over = runs, over

    def __missing__(self, state: int) -> list[Transition]:
        self[state] = found = self.runs.transitions_from(state, self.over)
        return found


def block_joins(runs: OpenRuns, codes: Codes, blocks: int) -> Iterator[tuple[int, ...]]:
    """Yield the choices of open runs that block runs continue: for each block the index of an open run, or -1 for none.

    Only a run that is too short to end is continued; a longer run needs no block. A run with counted jokers is not.
    """
    free = [at for at, code in enumerate(codes) if not runs.may_end(code) and runs.jokers_of(code) == 0]
    for option in product((-1, *free), repeat=blocks):
        if all(at < 0 or option.count(at) == 1 for at in option):
            yield option


class TransitionsWithBlocks(Transitions):
    """The transitions of a colour over a number at which runs of blocks begin or end, from those without these blocks.

    A block run that begins may continue an open run that can't end yet; one that ends is an open run afterwards.
    """

    __slots__ = ("_begins", "_ends", "_without")

    def __init__(self, transitions: Transitions, begins: int, ends: int) -> None:
        super().__init__(transitions.runs, transitions.over)
        self._without, self._begins, self._ends = transitions, begins, ends

    def __missing__(self, state: int) -> list[Transition]:
        runs = self.runs
        codes = runs.states[state]
        ended = [runs.block_code] * self._ends
        best: dict[tuple[int, int], int] = {}
        for taken in block_joins(runs, codes, self._begins):
            remaining_state = runs.number_of(tuple(code for at, code in enumerate(codes) if at not in taken))
            for after, jokers, over in self._without[remaining_state]:
                option = (runs.number_of(tuple(sorted((*runs.states[after], *ended)))), jokers)
                best[option] = min(over, best.get(option, over))
        found = [(after, jokers, over) for (after, jokers), over in best.items()]
        found.sort(key=itemgetter(2))
        self[state] = found
        return found


@lru_cache(maxsize=64)
def open_runs(shortest: int, jokers: int, limit: int | None, spare: bool) -> OpenRuns:
    """Return the open runs for these limits; cached, because many tasks share them."""
    return OpenRuns(shortest, jokers, limit, spare)

"""How the open runs of one colour go on from one number to the next, for the sweep over the numbers.

An *open run* is known by a code alone: how long it is, counted up to the shortest valid length, since no longer run
can do anything that one of that length can't. Where a set may hold only some jokers, the code also says how many the
run holds; a run of jokers alone has a negative code where there are enough of them to make one that would seem valid.
The runs of a colour are a sorted tuple of codes, a *state*, and each state gets a small number.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

Codes = tuple[int, ...]
Laid = tuple[int, int, bool]
"""A run after a number: its code, which run it continues (-1: none), and whether a joker was laid to it."""

Onward = tuple[int, int, int]
"""A state after a number: its small number, how many jokers are laid to runs, and how many tiles are left over."""

Starts = tuple[bool, bool]
"""Whether runs may start with a tile, and with a joker."""

Over = tuple[int, int, Starts, int]
"""A number of a colour: how many tiles are laid to runs at least and at most, how runs may start there, and how many of
the tiles that are not laid to runs are not left over."""

_JOKER: Final = 16  # a code is the length, and 16 for each joker where those are counted


class OpenRuns:
    """The states of one colour's runs and the steps between them, found when first asked for and kept.

    Args:
        shortest: how long a run is at least.
        jokers: how many jokers there are to be laid.
        limit: how many jokers a set may hold; none where all may lie in one.
        spare: whether jokers may be laid where nothing needs them. Where they may not, they only close gaps and
            bring runs up to the shortest length, which leaves far fewer ways.
    """

    def __init__(self, shortest: int, jokers: int, limit: int | None, spare: bool) -> None:
        self.shortest = shortest
        self._jokers = jokers
        self._limit = limit
        self._spare = spare
        self.states: list[Codes] = []
        self._numbers: dict[Codes, int] = {}
        self.unfinished: list[int] = []
        self._onwards: dict[Over, Onwards] = {}
        self._laid: dict[tuple[int, int, int, Starts, int], list[Laid] | None] = {}
        self.number_of(())

    def number_of(self, codes: Codes) -> int:
        """The small number of a state; that of no run at all is 0."""
        number = self._numbers.get(codes)
        if number is None:
            number = self._numbers[codes] = len(self.states)
            self.states.append(codes)
            self.unfinished.append(sum(not self.may_end(code) for code in codes))
        return number

    def may_end(self, code: int) -> bool:
        """Whether a run is valid as it is."""
        return code > 0 and code % _JOKER == self.shortest

    @property
    def block_code(self) -> int:
        """The code of an old run that stays together, after its last number; it holds all the jokers that it may."""
        return self.shortest + _JOKER * (self._limit or 0)

    def jokers_of(self, code: int) -> int:
        """How many jokers a run holds, where that matters; 0 where it does not."""
        if self._limit is None:
            return 0
        return -code if code < 0 else code // _JOKER

    def after_tile(self, code: int) -> int:
        """The code of a run (0 for a new one) after one more numbered tile."""
        if code < 0:
            return min(1 - code, self.shortest) + _JOKER * self.jokers_of(code)
        return code + (code % _JOKER < self.shortest)

    def after_joker(self, code: int) -> int | None:
        """The code of a run (0 for a new one) after one more joker; none where it may hold no more."""
        jokers = self.jokers_of(code)
        if self._limit is not None and jokers >= self._limit:
            return None
        if code < 0 or (code == 0 and self._jokers >= self.shortest):
            return code - 1
        step = _JOKER if self._limit is not None else 0
        if self.may_end(code):
            # A joker after a run that could end is good for nothing but a number that follows.
            return code + step if self._spare else code + step - 1
        return code + step + 1

    def onwards(self, least: int, most: int, starts: Starts, elsewhere: int = 0) -> Onwards:
        """How states go on over a number of which so many tiles are laid to runs.

        Of the tiles that are not laid to runs, up to `elsewhere` are not left over.
        """
        key = (least, most, starts, elsewhere)
        found = self._onwards.get(key)
        if found is None:
            # What may start says nothing where there is nothing to start with.
            alike = (least, most, (starts[0] and most > 0, starts[1] and self._jokers > 0), min(elsewhere, most))
            found = self._onwards[key] = self._onwards.setdefault(alike, Onwards(self, alike))
        return found

    def reached(self, state: int, over: Over) -> list[Onward]:
        """The states after a number, each with what it takes to get there.

        Only the best: none than which another has runs at least as good, with no more jokers and no fewer tiles laid.
        """
        least, most, starts, elsewhere = over
        parts: set[tuple[Codes, int, int]] = {((), 0, 0)}
        for code in self.states[state]:
            parts = {
                (codes + longer, tiles + tile, jokers + joker)
                for codes, tiles, jokers in parts
                for longer, tile, joker in self._lengthened(code)
                if tiles + tile <= most and jokers + joker <= self._jokers
            }
        by_tile, by_joker = self.after_tile(0), self.after_joker(0)
        found = {
            (
                tuple(sorted((*codes, *[by_tile] * new, *[by_joker or 0] * with_joker))),
                jokers + with_joker,
                max(0, most - tiles - new - elsewhere),
            )
            for codes, tiles, jokers in parts
            for new in range(max(0, least - tiles), (most - tiles if starts[0] else 0) + 1)
            for with_joker in range((self._jokers - jokers if starts[1] and by_joker is not None else 0) + 1)
        }
        return [
            (self.number_of(codes), jokers, over)
            for codes, jokers, over in sorted(found)
            if not any(
                other_over <= over
                and (other_jokers == jokers if self._spare else other_jokers <= jokers)
                and (other_over, other_jokers, others) != (over, jokers, codes)
                and self.beats(others, codes)
                for others, other_jokers, other_over in found
            )
        ]

    def _lengthened(self, code: int) -> list[tuple[Codes, int, int]]:
        """What can become of a run at one number, with the tiles and jokers that it takes: nothing where it ends."""
        by_joker = self.after_joker(code)
        return [
            *([((), 0, 0)] if self.may_end(code) else []),
            ((self.after_tile(code),), 1, 0),
            *([((by_joker,), 0, 1)] if by_joker is not None else []),
        ]

    def laid(self, state: int, tiles: int, jokers: int, starts: Starts, after: int) -> list[Laid] | None:
        """How tiles and jokers are laid so that one state becomes another, in the order of its codes; or none."""
        key = (state, tiles, jokers, starts, after)
        if key not in self._laid:
            wanted = list(self.states[after])
            ways = (sorted(way) for way in self.ways(self.states[state], tiles, jokers, starts))
            self._laid[key] = next((way for way in ways if [code for code, _, _ in way] == wanted), None)
        return self._laid[key]

    def ways(self, codes: Codes, tiles: int, jokers: int, starts: Starts) -> Iterator[list[Laid]]:
        """Every way to lay tiles and jokers of one number to open runs and to new ones."""
        yield from self._ways(codes, 0, tiles, jokers, tiles * starts[0], jokers * starts[1], [])

    def _ways(
        self, codes: Codes, at: int, tiles: int, jokers: int, may_start: int, joker_may_start: int, laid: list[Laid]
    ) -> Iterator[list[Laid]]:
        if at == len(codes):
            if tiles <= may_start and jokers <= joker_may_start:
                by_joker = self.after_joker(0) or 0  # none where no joker may lie in a set, nor is one laid then
                yield laid + [(self.after_tile(0), -1, False)] * tiles + [(by_joker, -1, True)] * jokers
            return
        code = codes[at]
        if self.may_end(code):
            yield from self._ways(codes, at + 1, tiles, jokers, may_start, joker_may_start, laid)
        if tiles:
            more = [*laid, (self.after_tile(code), at, False)]
            yield from self._ways(codes, at + 1, tiles - 1, jokers, may_start, joker_may_start, more)
        if jokers and (longer := self.after_joker(code)) is not None:
            more = [*laid, (longer, at, True)]
            yield from self._ways(codes, at + 1, tiles, jokers - 1, may_start, joker_may_start, more)

    def beats(self, state: Codes, other: Codes) -> bool:
        """Whether whatever the other state can come to, this one can."""
        width = max(len(state), len(other))
        ours, theirs = (0,) * (width - len(state)) + state, (0,) * (width - len(other)) + other
        return all(map(self._at_least, ours, theirs))

    def _at_least(self, code: int, other: int) -> bool:
        if code == other or (other == 0 and self.may_end(code)):
            return True
        if code <= 0 or other <= 0:
            return False
        return code % _JOKER >= other % _JOKER and code // _JOKER <= other // _JOKER


class Onwards(dict[int, list[Onward]]):
    """How each state goes on over one number, found when first asked for."""

    __slots__ = ("over", "runs")

    def __init__(self, runs: OpenRuns, over: Over) -> None:
        super().__init__()
        self.runs, self.over = runs, over

    def __missing__(self, state: int) -> list[Onward]:
        self[state] = found = self.runs.reached(state, self.over)
        return found


@lru_cache(maxsize=64)
def open_runs(shortest: int, jokers: int, limit: int | None, spare: bool) -> OpenRuns:
    """The open runs for these rules, kept from one question to the next."""
    return OpenRuns(shortest, jokers, limit, spare)

"""Judges a turn under every likely reading, and finds the doubtful tiles and melds on which the verdict turns.

Where all likely tables are legal, or all are illegal for the same reason, the verdict stands and nobody is asked.
Otherwise exactly the tiles and melds that change the verdict are named, and the faults that every likely table has.
Where the verdict needs tiles that something covers, it waits. Before a turn is called illegal, less likely names are
tried (`alternatives`): where one of them makes the turn legal, people are asked about those tiles first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice

import numpy as np

from tilekeeper.companion.adjudication.alternatives import Names, alternatives
from tilekeeper.companion.adjudication.visibility import Visibility
from tilekeeper.companion.observation.groupings import with_rows
from tilekeeper.companion.observation.observed_table import ObservedTable, inks_of, observed_table
from tilekeeper.companion.observation.start_table import known_places, renamed
from tilekeeper.engine.judge.judge import judge, judge_once
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.rules.violations import Side, Violation
from tilekeeper.engine.tiles.table import Place
from tilekeeper.vision.types import NO_TILE_LABEL, AlternativeGrouping, ReadTile, TableReading, label_of

MOST_TABLES, MOST_ALTERNATIVES, MOST_GROUPINGS = 64, 40, 8
"""So many likely tables, less likely alternatives and other groupings are judged at most: each takes 1 to 2 ms."""
LIKELY = 0.002
"""A doubtful tile is also judged under each further name of this probability (0 to 1) or more, since both of its two
likeliest names can be wrong."""
LEAST_GROUPING_WEIGHT = 1 / 3
"""Where the table is legal, nobody is asked about other melds that are less likely than this (0 to 1)."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The verdict on the likeliest table, and what could change it.

    Attributes:
        observed: the likeliest table.
        verdict: the verdict on it.
        unsure: indices of the reading's tiles that could change the verdict; empty where it stands.
        certain: the violations that stand: all of them, or those that every likely table has.
        waits: whether something covers what the verdict needs, so that it is better to wait than to ask.
        names: for tiles of `unsure` the names, other than the two likeliest, that change the verdict.
        groupings: other melds of the same tiles, as in `TableReading.other_rows`, that change the verdict.
    """

    observed: ObservedTable
    verdict: Verdict
    unsure: tuple[int, ...]
    certain: tuple[Violation, ...]
    waits: bool = False
    names: tuple[tuple[int, str], ...] = ()
    groupings: tuple[AlternativeGrouping, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether nothing can change the verdict."""
        return not self.unsure and not self.groupings and not self.waits


def weigh(before: ObservedTable, reading: TableReading, context: TurnContext, insisted: bool = False) -> Weighed:
    """Judge the turn from `before` to the table of `reading`, under all likely names of its doubtful tiles.

    `insisted` says that the turn was called illegal before and that people say again that it is done: then they are
    asked about less likely names too.
    """
    weighed = _Case(before, reading, context, known_places(before, reading), insisted).weighed()
    visibility = Visibility(reading, weighed.observed)
    standing = tuple(violation for violation in weighed.certain if not visibility.may_explain(violation))
    if standing:
        return replace(weighed, certain=standing)
    in_doubt = visibility.tiles_in_doubt(before.table, weighed.verdict)
    if weighed.certain or in_doubt:
        return replace(weighed, unsure=tuple(sorted({*weighed.unsure, *in_doubt})), certain=(), waits=True)
    return weighed


@dataclass(frozen=True, slots=True)
class _Case:
    """A turn to be judged; `places` has the places on the table before of the tiles that lay on it, by index."""

    before: ObservedTable
    reading: TableReading
    context: TurnContext
    places: Mapping[int, Place]
    insisted: bool

    def weighed(self) -> Weighed:
        """Judge it under every likely reading; what covers the table has no part in it."""
        likeliest, verdict = self._judged()
        base = _Faults.of(verdict, likeliest, self.reading)
        changes = _Changes(set(base.all))
        doubtful = tuple(index for index in range(len(self.reading.tiles)) if self._is_doubtful(index))
        names = [self._other_names(index) for index in doubtful]
        for flip in _flips(doubtful, names, MOST_TABLES):
            other = self._faults(flip)
            changes.certain &= other.all
            # where one tile of a set changes the verdict by itself, the set shows nothing of its other tiles
            alone = len(flip) == 1 or not changes.names.keys() & flip.keys()
            if alone and other.reasons != base.reasons:
                changes.note(flip)
        for grouping in self.reading.other_rows[:MOST_GROUPINGS]:
            if verdict.legal and grouping.weight < LEAST_GROUPING_WEIGHT:
                continue
            other = self._faults({}, grouping)
            changes.certain &= other.all
            if other.reasons != base.reasons:
                changes.groupings.append(grouping)
        standing = tuple(
            violation
            for violation, fault in zip(verdict.violations, base.each, strict=True)
            if not changes.any or fault in changes.certain
        )
        if standing and self._add_first_legal(changes, likeliest, verdict):
            standing = ()
        further = sorted(
            (at, name) for at, those in changes.names.items() for name in those - {self.reading.tiles[at].runner_up}
        )
        return Weighed(
            likeliest,
            verdict,
            tuple(sorted(changes.names)),
            standing,
            names=tuple(further),
            groupings=tuple(changes.groupings),
        )

    def _judged(
        self, names: Names | None = None, grouping: AlternativeGrouping | None = None
    ) -> tuple[ObservedTable, Verdict]:
        """Return the table with other names for some tiles or in other melds, and the verdict on it.

        A tile that lay on the table before the turn gets its other name there too.
        """
        if not names and grouping is None:
            after = observed_table(self.reading)
            return after, judge_once(self.before.table, after.table, self.context)
        names = names or {}
        reading = self.reading if grouping is None else with_rows(self.reading, grouping.rows)
        after = observed_table(reading, names)
        before = renamed(self.before, {self.places[at]: name for at, name in names.items() if at in self.places})
        return after, judge(before.table, after.table, self.context)

    def _faults(self, names: Names, grouping: AlternativeGrouping | None = None) -> _Faults:
        after, verdict = self._judged(names, grouping)
        return _Faults.of(verdict, after, self.reading)

    def _add_first_legal(self, changes: _Changes, likeliest: ObservedTable, verdict: Verdict) -> bool:
        """Add the first alternative that makes the turn legal to the changes; return whether there is one."""
        faulty = self._faulty(likeliest, verdict)
        groupings = self.reading.other_rows[:MOST_GROUPINGS]
        tried = alternatives(self.reading, faulty, inks_of(self.context.rules), groupings, self.insisted)
        for names, grouping in islice(tried, MOST_ALTERNATIVES):
            if self._judged(names, grouping)[1].legal:
                changes.note(names)
                if grouping is not None and grouping not in changes.groupings:
                    changes.groupings.append(grouping)
                return True
        return False

    def _faulty(self, likeliest: ObservedTable, verdict: Verdict) -> set[int]:
        """Return the indices of tiles in faulty melds, and of those that lay in faulty melds before the turn."""
        after = {meld for one in verdict.violations if one.side is Side.AFTER for meld in one.melds}
        before = {meld for one in verdict.violations if one.side is Side.BEFORE for meld in one.melds}
        now = {index for meld in after for index in likeliest.rows[meld]}
        return now | {index for index, place in self.places.items() if place.meld in before}

    def _is_doubtful(self, index: int) -> bool:
        tile = self.reading.tiles[index]
        if tile.sighting.locked_by_person:
            return False
        return (tile.doubtful and tile.runner_up != tile.label) or self._was(index) not in (None, tile.label)

    def _was(self, index: int) -> str | None:
        """Return what a tile was read as at the start of the turn; None for one that did not lie there."""
        place = self.places.get(index)
        return None if place is None else self.before.table.tile_at(place).label

    def _other_names(self, index: int) -> tuple[str, ...]:
        """Return a tile's other names: what it was read as before, the runner-up, then the likely ones in order.

        A doubtful tile that lies alone may also be no tile, however likely its name is: it can be a pattern.
        """
        tile, was = self.reading.tiles[index], self._was(index)
        names = dict.fromkeys(_likely_names(tile, self.context.rules))
        if was not in (None, tile.label):
            names = dict.fromkeys((tile.label, was, *names))
        else:
            names.pop(tile.label, None)
        if tile.doubtful and (index,) in self.reading.rows:
            names.setdefault(NO_TILE_LABEL)
        return tuple(names)


@dataclass(slots=True)
class _Changes:
    """The names and melds that were found to change the verdict, and the faults that every likely table has."""

    certain: set[object]
    names: dict[int, set[str]] = field(default_factory=dict)
    groupings: list[AlternativeGrouping] = field(default_factory=list)

    @property
    def any(self) -> bool:
        return bool(self.names or self.groupings)

    def note(self, flip: Names) -> None:
        for index, name in flip.items():
            self.names.setdefault(index, set()).add(name)


@dataclass(frozen=True, slots=True)
class _Faults:
    """The faults of a verdict as values that are equal where another reading of the same tiles has the same fault."""

    each: tuple[object, ...]
    reasons: frozenset[tuple[str, str]]

    @property
    def all(self) -> set[object]:
        return set(self.each)

    @classmethod
    def of(cls, verdict: Verdict, after: ObservedTable, reading: TableReading) -> _Faults:
        """Name melds by the rows of the reading in which their tiles lie; others by their tiles."""
        row_of = {index: row for row in reading.rows for index in row}

        def melds(violation: Violation) -> object:
            if violation.side is Side.BEFORE:
                return violation.melds
            rows = [after.rows[meld] for meld in violation.melds]
            return frozenset(row_of[row[0]] if {*row} <= {*row_of[row[0]]} else row for row in rows)

        each = tuple((str(one.code), str(one.side), melds(one)) for one in verdict.violations)
        return cls(each, frozenset((str(one.code), str(one.side)) for one in verdict.violations))


def _likely_names(tile: ReadTile, rules: RuleSet) -> tuple[str, ...]:
    inks = inks_of(rules)
    log_probs = tile.sighting.log_probs
    order = [int(at) for at in np.argsort(-log_probs, kind="stable") if log_probs[at] > np.log(LIKELY)]
    return (tile.runner_up, *(label_of(at, inks) for at in order))


def _flips(tiles: tuple[int, ...], names: Sequence[tuple[str, ...]], most: int) -> Iterator[dict[int, str]]:
    """Yield other names for some of the tiles, at most `most` times.

    First each tile alone gets its first name, then each alone its further names, then two together get their first
    names, then three, and so on.
    """
    ways = (
        ({index: own[0]} for index, own in zip(tiles, names, strict=True)),
        ({index: name} for index, own in zip(tiles, names, strict=True) for name in own[1:]),
        (
            {index: own[0] for index, own in together}
            for count in range(2, len(tiles) + 1)
            for together in combinations(list(zip(tiles, names, strict=True)), count)
        ),
    )
    yield from islice(chain.from_iterable(ways), most)

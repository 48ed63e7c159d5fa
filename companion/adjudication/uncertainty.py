"""Judges a turn under every likely reading, and finds the doubtful tiles and melds on which the verdict turns.

All likely tables legal, or all illegal for the same reason: the verdict stands and nobody is asked. Otherwise
exactly the tiles that change it are named, and the faults that are there however they turn out. Where it needs what
something covers, it waits. Nobody is called wrong before tiles that may be others (`second_look`) were asked about,
where one or two of them taken otherwise would make the turn legal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice

import numpy as np

from tilekeeper.companion.adjudication.alternatives import Names, second_looks
from tilekeeper.companion.adjudication.visibility import Visibility
from tilekeeper.companion.observation.groupings import with_rows
from tilekeeper.companion.observation.observed_table import Laid, inks_of, laid
from tilekeeper.companion.observation.start_table import lay_there, renamed
from tilekeeper.engine.judge.judge import TurnContext, judge
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Side, Violation
from tilekeeper.engine.tiles.table import Place
from tilekeeper.vision.types import NO_TILE_LABEL, Grouping, ReadTile, TableReading, label_of

# One to two milliseconds a verdict: this many keep the answer well under a blink.
MOST_TABLES, MOST_SECOND_LOOKS, MOST_GROUPINGS = 64, 40, 8
LIKELY = 0.002
"""A doubtful tile is also taken for each further name that is as likely as this: of one whose two likeliest names are
both wrong nothing is known."""
BY_FAR = 1 / 3
"""Melds that make the turn legal are the likeliest by far where others are less likely than this: nobody is asked then
whether they lie in these others, which are illegal."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The verdict on the likeliest table, and what speaks against it.

    Attributes:
        laid: the likeliest table.
        verdict: the verdict on it.
        unsure: indices of the reading's tiles on which the verdict turns; empty where it stands.
        certain: the violations that stand: all of them, or where it turns on tiles those of every likely reading.
        waits: whether it turns on what something covers, so that looking again is better than asking.
        names: for tiles of `unsure` further names, beside the two likeliest, on which it turns.
        groupings: other melds of the same tiles, as in `TableReading.other_rows`, on which it turns.
    """

    laid: Laid
    verdict: Verdict
    unsure: tuple[int, ...]
    certain: tuple[Violation, ...]
    waits: bool = False
    names: tuple[tuple[int, str], ...] = ()
    groupings: tuple[Grouping, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether nothing can change the verdict."""
        return not self.unsure and not self.groupings and not self.waits


def weigh(before: Laid, reading: TableReading, context: TurnContext, insisted: bool = False) -> Weighed:
    """Judge the turn from `before` to the table of `reading`, and under what else its doubtful tiles may be.

    `insisted` says that it was called illegal before, and that people say all the same that it is done: they are asked
    sooner then.
    """
    weighed = _Case(before, reading, context, lay_there(before, reading), insisted).weighed()
    visibility = Visibility(reading, weighed.laid)
    standing = tuple(violation for violation in weighed.certain if not visibility.may_explain(violation))
    if standing:
        return replace(weighed, certain=standing)
    in_doubt = visibility.tiles_in_doubt(before.table, weighed.verdict)
    if weighed.certain or in_doubt:
        return replace(weighed, unsure=tuple(sorted({*weighed.unsure, *in_doubt})), certain=(), waits=True)
    return weighed


@dataclass(frozen=True, slots=True)
class _Case:
    """A turn to be judged; `there` says which tiles of the reading lay on the table before, and where."""

    before: Laid
    reading: TableReading
    context: TurnContext
    there: Mapping[int, Place]
    insisted: bool

    def weighed(self) -> Weighed:
        """Judge it under every likely reading; what something covers is not looked at here."""
        likeliest, verdict = self._judged()
        base = _Faults.of(verdict, likeliest, self.reading)
        found = _Turning(set(base.all))
        doubtful = tuple(index for index in range(len(self.reading.tiles)) if self._is_doubtful(index))
        names = [self._other_names(index) for index in doubtful]
        for flip in _flips(doubtful, names, MOST_TABLES):
            other = self._faults(flip)
            found.certain &= other.all
            # A set of tiles that holds one which turns the verdict by itself says nothing new of the others in it.
            alone = len(flip) == 1 or not found.names.keys() & flip.keys()
            if alone and other.reasons != base.reasons:
                found.note(flip)
        for grouping in self.reading.other_rows[:MOST_GROUPINGS]:
            if verdict.legal and grouping.weight < BY_FAR:
                continue
            other = self._faults({}, grouping)
            found.certain &= other.all
            if other.reasons != base.reasons:
                found.groupings.append(grouping)
        standing = tuple(
            violation
            for violation, fault in zip(verdict.violations, base.each, strict=True)
            if not found.any or fault in found.certain
        )
        if standing and self._look_for_legal(found, likeliest, verdict):
            standing = ()
        further = sorted(
            (at, name) for at, those in found.names.items() for name in those - {self.reading.tiles[at].runner_up}
        )
        return Weighed(
            likeliest,
            verdict,
            tuple(sorted(found.names)),
            standing,
            names=tuple(further),
            groupings=tuple(found.groupings),
        )

    def _judged(self, names: Names | None = None, grouping: Grouping | None = None) -> tuple[Laid, Verdict]:
        """The table with some tiles taken for other names or lying in other melds, and the verdict on it.

        A tile that lay there before the turn was that other one then, too.
        """
        names = names or {}
        reading = self.reading if grouping is None else with_rows(self.reading, grouping.rows)
        after = laid(reading, names)
        before = renamed(self.before, {self.there[at]: name for at, name in names.items() if at in self.there})
        return after, judge(before.table, after.table, self.context)

    def _faults(self, names: Names, grouping: Grouping | None = None) -> _Faults:
        after, verdict = self._judged(names, grouping)
        return _Faults.of(verdict, after, self.reading)

    def _look_for_legal(self, found: _Turning, likeliest: Laid, verdict: Verdict) -> bool:
        """Take tiles for what else they may be, and note the first of it that makes the turn legal."""
        faulty = self._faulty(likeliest, verdict)
        groupings = self.reading.other_rows[:MOST_GROUPINGS]
        looks = second_looks(self.reading, faulty, inks_of(self.context.rules), groupings, self.insisted)
        for names, grouping in islice(looks, MOST_SECOND_LOOKS):
            if self._judged(names, grouping)[1].legal:
                found.note(names)
                if grouping is not None and grouping not in found.groupings:
                    found.groupings.append(grouping)
                return True
        return False

    def _faulty(self, likeliest: Laid, verdict: Verdict) -> set[int]:
        """Which tiles lie in melds that are at fault, or lie there still of melds that were: their indices."""
        after = {meld for one in verdict.violations if one.side is Side.AFTER for meld in one.melds}
        before = {meld for one in verdict.violations if one.side is Side.BEFORE for meld in one.melds}
        now = {index for meld in after for index in likeliest.rows[meld]}
        return now | {index for index, place in self.there.items() if place.meld in before}

    def _is_doubtful(self, index: int) -> bool:
        tile = self.reading.tiles[index]
        if tile.sighting.locked_by_person:
            return False
        return (tile.doubtful and tile.runner_up != tile.label) or self._was(index) not in (None, tile.label)

    def _was(self, index: int) -> str | None:
        """What a tile was read as at the start of the turn; None for one that did not lie there."""
        place = self.there.get(index)
        return None if place is None else self.before.table.tile_at(place).label

    def _other_names(self, index: int) -> tuple[str, ...]:
        """Return what else a tile may be: what it was before, the runner-up, then what is likely, the likeliest first.

        One that lies alone may also be no tile, however clear its name is: the eye takes patterns for tiles.
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
class _Turning:
    """What was found to turn the verdict so far, and the faults that every likely table has."""

    certain: set[object]
    names: dict[int, set[str]] = field(default_factory=dict)
    groupings: list[Grouping] = field(default_factory=list)

    @property
    def any(self) -> bool:
        return bool(self.names or self.groupings)

    def note(self, flip: Names) -> None:
        for index, name in flip.items():
            self.names.setdefault(index, set()).add(name)


@dataclass(frozen=True, slots=True)
class _Faults:
    """The faults of a verdict, each told so that it is the same one under another reading of the same tiles."""

    each: tuple[object, ...]
    reasons: frozenset[tuple[str, str]]

    @property
    def all(self) -> set[object]:
        return set(self.each)

    @classmethod
    def of(cls, verdict: Verdict, after: Laid, reading: TableReading) -> _Faults:
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
    """Yield, `most` times at most, what to take tiles for.

    Each is taken alone for its first name, then each for its further names, then two together for their first ones,
    and so on.
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

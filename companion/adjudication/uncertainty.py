"""Judges a turn under all likely readings, and finds the doubtful tiles and melds on which the verdict depends.

If all likely tables are legal, or all are illegal for the same reason, the verdict is certain and nothing is asked.
Otherwise the result has the tiles and melds that change the verdict, and the violations that all likely tables share.
A verdict that depends on covered tiles waits. Before a turn is called illegal, less likely labels are tried
(`alternatives`). If one of them makes the turn legal, the players are first asked about its tiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice

import numpy as np

from tilekeeper.companion.adjudication.alternatives import Labels, alternatives
from tilekeeper.companion.adjudication.visibility import Visibility
from tilekeeper.companion.observation.groupings import with_rows
from tilekeeper.companion.observation.observed_table import ObservedTable, inks_of, observed_table
from tilekeeper.companion.observation.start_table import known_places, relabel
from tilekeeper.engine.judge.judge import judge, judge_once
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.rules.violations import Side, Violation
from tilekeeper.engine.tiles.table import Place
from tilekeeper.vision.types import NO_TILE_LABEL, AlternativeGrouping, ReadTile, TableReading, label_of

MOST_TABLES, MOST_ALTERNATIVES, MOST_GROUPINGS = 64, 40, 8
"""The maximum numbers of likely tables, less likely alternatives and other groupings that are judged; each takes 1 to
2 ms."""
LIKELY = 0.002
"""The least probability (0 to 1) of a label under which a doubtful tile is also judged, since both of its two likeliest
labels can be wrong."""
LEAST_GROUPING_WEIGHT = 1 / 3
"""On a legal table another grouping below this weight (0 to 1) raises no question."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The verdict on the likeliest table, and what could change it.

    Attributes:
        observed: the likeliest table.
        verdict: the verdict on it.
        unsure: indices of the reading's tiles that could change the verdict; empty if the verdict is certain.
        certain: the certain violations: all violations of a certain verdict, else those that all likely tables share.
        waits: whether the verdict depends on covered tiles, so that it is better to wait than to ask.
        labels: for tiles of `unsure` those labels that change the verdict, without the two likeliest.
        groupings: other melds of the same tiles, as in `TableReading.other_rows`, that change the verdict.
    """

    observed: ObservedTable
    verdict: Verdict
    unsure: tuple[int, ...]
    certain: tuple[Violation, ...]
    waits: bool = False
    labels: tuple[tuple[int, str], ...] = ()
    groupings: tuple[AlternativeGrouping, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether no doubtful tile, doubtful meld or covered tile can change the verdict."""
        return not self.unsure and not self.groupings and not self.waits


def weigh(before: ObservedTable, reading: TableReading, context: TurnContext, insisted: bool = False) -> Weighed:
    """Judge the turn from `before` to the table of `reading`, under all likely labels of its doubtful tiles.

    `insisted`: whether Done was pressed again after the turn was called illegal. If so, less likely labels are tried.
    """
    weighed = _Weighing(before, reading, context, known_places(before, reading), insisted).run()
    visibility = Visibility(reading, weighed.observed)
    certain = tuple(violation for violation in weighed.certain if not visibility.may_explain(violation))
    if certain:
        return replace(weighed, certain=certain)
    in_doubt = visibility.tiles_in_doubt(before.table, weighed.verdict)
    if weighed.certain or in_doubt:
        return replace(weighed, unsure=tuple(sorted({*weighed.unsure, *in_doubt})), certain=(), waits=True)
    return weighed


@dataclass(frozen=True, slots=True)
class _Weighing:
    """Judges one turn under the likely labels and groupings of its reading.

    `places` has, by tile index, each tile's place at the start of the turn, without tiles that were not on the table.
    """

    before: ObservedTable
    reading: TableReading
    context: TurnContext
    places: Mapping[int, Place]
    insisted: bool

    def run(self) -> Weighed:
        """Judge the turn under all likely readings, as if no tile were covered."""
        likeliest, verdict = self._judge()
        base = _Faults.of(verdict, likeliest, self.reading)
        changes = _Changes(set(base.all))
        doubtful = tuple(index for index in range(len(self.reading.tiles)) if self._is_doubtful(index))
        labels_to_try = [self._other_labels(index) for index in doubtful]
        for flip in _flips(doubtful, labels_to_try, MOST_TABLES):
            other = self._faults(flip)
            changes.certain &= other.all
            # If one of several relabelled tiles changes the verdict by itself, nothing follows about the others.
            conclusive = len(flip) == 1 or not changes.labels.keys() & flip.keys()
            if conclusive and other.reasons != base.reasons:
                changes.note(flip)
        for grouping in self.reading.other_rows[:MOST_GROUPINGS]:
            if verdict.legal and grouping.weight < LEAST_GROUPING_WEIGHT:
                continue
            other = self._faults({}, grouping)
            changes.certain &= other.all
            if other.reasons != base.reasons:
                changes.groupings.append(grouping)
        certain = tuple(
            violation
            for violation, fault in zip(verdict.violations, base.each, strict=True)
            if not changes.any or fault in changes.certain
        )
        if certain and self._add_first_legal(changes, likeliest, verdict):
            certain = ()
        other_labels = sorted(
            (at, label)
            for at, labels in changes.labels.items()
            for label in labels - {self.reading.tiles[at].runner_up}
        )
        return Weighed(
            likeliest,
            verdict,
            tuple(sorted(changes.labels)),
            certain,
            labels=tuple(other_labels),
            groupings=tuple(changes.groupings),
        )

    def _judge(
        self, labels: Labels | None = None, grouping: AlternativeGrouping | None = None
    ) -> tuple[ObservedTable, Verdict]:
        """Return the table with alternative labels and another grouping, and the verdict on it.

        A tile that was on the table before the turn gets its alternative label there too.
        """
        if not labels and grouping is None:
            after = observed_table(self.reading)
            return after, judge_once(self.before.table, after.table, self.context)
        labels = labels or {}
        reading = self.reading if grouping is None else with_rows(self.reading, grouping.rows)
        after = observed_table(reading, labels)
        before = relabel(self.before, {self.places[at]: label for at, label in labels.items() if at in self.places})
        return after, judge(before.table, after.table, self.context)

    def _faults(self, labels: Labels, grouping: AlternativeGrouping | None = None) -> _Faults:
        after, verdict = self._judge(labels, grouping)
        return _Faults.of(verdict, after, self.reading)

    def _add_first_legal(self, changes: _Changes, likeliest: ObservedTable, verdict: Verdict) -> bool:
        """Add the first alternative that makes the turn legal to `changes`; return whether there is one."""
        faulty = self._faulty(likeliest, verdict)
        groupings = self.reading.other_rows[:MOST_GROUPINGS]
        candidates = alternatives(self.reading, faulty, inks_of(self.context.rules), groupings, self.insisted)
        for labels, grouping in islice(candidates, MOST_ALTERNATIVES):
            if self._judge(labels, grouping)[1].legal:
                changes.note(labels)
                if grouping is not None and grouping not in changes.groupings:
                    changes.groupings.append(grouping)
                return True
        return False

    def _faulty(self, likeliest: ObservedTable, verdict: Verdict) -> set[int]:
        """Return the indices of the tiles that are in illegal melds, or were in illegal melds before the turn."""
        after = {meld for fault in verdict.violations if fault.side is Side.AFTER for meld in fault.melds}
        before = {meld for fault in verdict.violations if fault.side is Side.BEFORE for meld in fault.melds}
        now = {index for meld in after for index in likeliest.rows[meld]}
        return now | {index for index, place in self.places.items() if place.meld in before}

    def _is_doubtful(self, index: int) -> bool:
        tile = self.reading.tiles[index]
        if tile.sighting.locked_by_person:
            return False
        return (tile.doubtful and tile.runner_up != tile.label) or self._label_before(index) not in (None, tile.label)

    def _label_before(self, index: int) -> str | None:
        """Return a tile's label at the start of the turn; None if the tile was not on the table."""
        place = self.places.get(index)
        return None if place is None else self.before.table.tile_at(place).label

    def _other_labels(self, index: int) -> tuple[str, ...]:
        """Return a tile's alternative labels: the label before the turn, the runner-up, then likely labels in order.

        An isolated doubtful tile may also be a false detection, however likely its label is: a pattern on the cloth.
        """
        tile, label_before = self.reading.tiles[index], self._label_before(index)
        labels = dict.fromkeys(_likely_labels(tile, self.context.rules))
        if label_before not in (None, tile.label):
            labels = dict.fromkeys((tile.label, label_before, *labels))
        else:
            labels.pop(tile.label, None)
        if tile.doubtful and (index,) in self.reading.rows:
            labels.setdefault(NO_TILE_LABEL)
        return tuple(labels)


@dataclass(slots=True)
class _Changes:
    """Collects labels and groupings that change the verdict, and the faults that all likely tables share."""

    certain: set[object]
    labels: dict[int, set[str]] = field(default_factory=dict)
    groupings: list[AlternativeGrouping] = field(default_factory=list)

    @property
    def any(self) -> bool:
        return bool(self.labels or self.groupings)

    def note(self, flip: Labels) -> None:
        for index, label in flip.items():
            self.labels.setdefault(index, set()).add(label)


@dataclass(frozen=True, slots=True)
class _Faults:
    """The violations of a verdict in a form that can be compared between readings of the same tiles."""

    each: tuple[object, ...]
    reasons: frozenset[tuple[str, str]]

    @property
    def all(self) -> set[object]:
        return set(self.each)

    @classmethod
    def of(cls, verdict: Verdict, after: ObservedTable, reading: TableReading) -> _Faults:
        """Return the faults of a verdict; a meld is identified by its row in the reading, or by its tiles."""
        row_of = {index: row for row in reading.rows for index in row}

        def melds(violation: Violation) -> object:
            if violation.side is Side.BEFORE:
                return violation.melds
            rows = [after.rows[meld] for meld in violation.melds]
            return frozenset(row_of[row[0]] if {*row} <= {*row_of[row[0]]} else row for row in rows)

        each = tuple((str(fault.code), str(fault.side), melds(fault)) for fault in verdict.violations)
        return cls(each, frozenset((str(fault.code), str(fault.side)) for fault in verdict.violations))


def _likely_labels(tile: ReadTile, rules: RuleSet) -> tuple[str, ...]:
    inks = inks_of(rules)
    log_probs = tile.sighting.log_probs
    order = [int(at) for at in np.argsort(-log_probs, kind="stable") if log_probs[at] > np.log(LIKELY)]
    return (tile.runner_up, *(label_of(at, inks) for at in order))


def _flips(tiles: tuple[int, ...], labels_of_tiles: Sequence[tuple[str, ...]], most: int) -> Iterator[dict[int, str]]:
    """Yield combinations of alternative labels, at most `most`.

    First each tile alone gets its first alternative label, then each its further labels. Then two tiles together get
    their first alternative labels, then three, and so on.
    """
    options = list(zip(tiles, labels_of_tiles, strict=True))
    flips = (
        ({index: labels[0]} for index, labels in options),
        ({index: label} for index, labels in options for label in labels[1:]),
        (
            {index: labels[0] for index, labels in together}
            for count in range(2, len(tiles) + 1)
            for together in combinations(options, count)
        ),
    )
    yield from islice(chain.from_iterable(flips), most)

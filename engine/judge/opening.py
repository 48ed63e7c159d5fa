"""The opening: what new sets from the rack are worth, and whether the table was left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from tilekeeper.engine.judge.jokers import judge_jokers
from tilekeeper.engine.judge.manipulation import Manipulated
from tilekeeper.engine.provenance.budget import OutOfSteps, Steps
from tilekeeper.engine.provenance.changes import Changes
from tilekeeper.engine.rules.meld import best_reading, worth
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Meld, Place
from tilekeeper.engine.tiles.tile import Tile

_MOST_STEPS: Final = 8_000
"""How long is looked for the best of the rows that compete for tiles; a real turn needs a fraction of it."""
_MOST_RIVALS: Final = 200
"""How many such rows are looked at; more were never laid in one turn."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A new row that the tiles from the rack could make up all by themselves."""

    index: int
    tiles: Counter[Tile]
    points: int

    @property
    def gain(self) -> tuple[int, int]:
        """What choosing it is good for: points first, then tiles for which the rack accounts."""
        return (self.points, self.tiles.total())


@dataclass(frozen=True, slots=True)
class Opening:
    """How a player used the table, and came into the game or tried to."""

    points: int | None
    """What the new sets from the rack alone are worth; none where the player is in the game."""
    violations: tuple[Violation, ...]
    """What is wrong with the opening."""
    manipulated: Manipulated
    """What was done with the table once that was allowed."""
    proved: bool = True
    """Whether everything was looked into that could make the turn legal; if not, nothing is said of it."""


@dataclass(frozen=True, slots=True)
class Laid:
    """The new rows that were laid from the rack alone, chosen in the player's favour."""

    rows: tuple[Candidate, ...]
    """The rows, by index."""
    best: bool
    """Whether it is proved that no other choice is worth more."""

    def points(self, rules: RuleSet) -> int:
        """What they count together, or the best of them where only one may."""
        points = [candidate.points for candidate in self.rows]
        return sum(points) if rules.opening.several_sets else max(points, default=0)


def judge_opening(changes: Changes, rules: RuleSet, steps: Steps) -> Opening:
    """Judge the turn of a player who had not opened before, where the table is to be left alone.

    Every meld of the table must lie as it lay. Where it does not, the points are those of the new sets for which the
    rack alone accounts, chosen in the player's favour.
    """
    return not_open(changes, from_rack(changes, rules), rules, steps)


def not_open(changes: Changes, laid: Laid, rules: RuleSet, steps: Steps) -> Opening:
    """Judge a turn in which the table was to be left alone, with the sets that were laid from the rack."""
    points = laid.points(rules)
    too_low = points < rules.opening.minimum_points
    violations = []
    if changes.placed and too_low and laid.best:
        melds = tuple(candidate.index for candidate in laid.rows)
        tiles = tuple(Place(meld, position) for meld in melds for position in range(len(changes.after.melds[meld])))
        bound = rules.opening.minimum_points
        violations.append(Violation(Code.OPENING_TOO_LOW, Side.AFTER, melds, tiles, points, bound))
    if changes.gone:
        violations.append(_used_table(changes, laid.rows))
    violations += table_not_empty(changes, rules)
    proved = laid.best or not too_low
    try:
        violations += judge_jokers(changes, False, rules, steps)
    except OutOfSteps:
        proved = False
    return Opening(points, tuple(violations), Manipulated(), proved)


def table_not_empty(changes: Changes, rules: RuleSet) -> Iterator[Violation]:
    """Point to what lay there before an opening that is for an empty table."""
    if rules.opening.needs_empty_table and changes.placed and changes.before.melds:
        yield Violation.at(
            Code.OPENING_TABLE_NOT_EMPTY, Side.BEFORE, tuple(place for place, _ in changes.before.places())
        )


def from_rack(changes: Changes, rules: RuleSet) -> Laid:
    """The new rows that were laid from the rack alone, chosen in the player's favour."""
    candidates = []
    for index in changes.new:
        meld = changes.after.melds[index]
        tiles = Counter(meld)
        if tiles <= changes.placed:
            candidates.append(Candidate(index, tiles, _best_worth(meld, rules)))
    if not rules.opening.several_sets:
        # Only the best counts, so that is the one to which the rack's tiles go.
        best = max(candidates, key=lambda candidate: candidate.gain, default=None)
        return Laid(() if best is None else (best,), True)
    wanted: Counter[Tile] = Counter()
    for candidate in candidates:
        wanted.update(candidate.tiles)
    contested = {tile for tile, count in wanted.items() if count > changes.placed[tile]}
    laid = [candidate for candidate in candidates if contested.isdisjoint(candidate.tiles)]
    rivals = [candidate for candidate in candidates if not contested.isdisjoint(candidate.tiles)]
    steps = Steps(_MOST_STEPS)
    for party in _parties(rivals, contested):
        laid += _best_choice(party, {tile: changes.placed[tile] for tile in contested}, steps)
    return Laid(tuple(sorted(laid, key=lambda candidate: candidate.index)), steps.left > 0)


def _best_worth(meld: Meld, rules: RuleSet) -> int:
    reading = best_reading(meld, rules)
    return 0 if reading is None else worth(meld, reading, rules)


def _parties(rivals: Sequence[Candidate], contested: set[Tile]) -> list[list[Candidate]]:
    """The rivals in parties of which none competes with another for a tile."""
    parties: list[tuple[set[Tile], list[Candidate]]] = []
    for rival in rivals:
        tiles, members = contested.intersection(rival.tiles), [rival]
        apart = []
        for party in parties:
            if party[0].isdisjoint(tiles):
                apart.append(party)
            else:
                tiles |= party[0]
                members += party[1]
        parties = [*apart, (tiles, members)]
    return [members for _, members in parties]


def _best_choice(rivals: Sequence[Candidate], rack: dict[Tile, int], steps: Steps) -> list[Candidate]:
    """The best of the rows that compete for tiles, of which the rack gave `rack`: an exact search, best rows first.

    Where the steps come to an end it is the best that was found.
    """
    if len(rivals) > _MOST_RIVALS:
        steps.take_all()
    rivals = sorted(rivals, key=lambda candidate: candidate.gain, reverse=True)[:_MOST_RIVALS]
    needs = [[tile for tile in candidate.tiles.elements() if tile in rack] for candidate in rivals]
    hopes = [(0, 0)]
    for candidate in reversed(rivals):
        hopes.append(_plus(hopes[-1], candidate.gain))
    hopes.reverse()
    left = dict(rack)
    chosen: list[Candidate] = []
    best: tuple[tuple[int, int], list[Candidate]] = ((0, 0), [])

    def search(position: int, gain: tuple[int, int]) -> None:
        nonlocal best
        if gain > best[0]:
            best = (gain, list(chosen))
        if _plus(gain, hopes[position]) <= best[0]:
            return
        steps.take(1)
        for tile in needs[position]:
            left[tile] -= 1
        if all(left[tile] >= 0 for tile in needs[position]):
            chosen.append(rivals[position])
            search(position + 1, _plus(gain, rivals[position].gain))
            chosen.pop()
        for tile in needs[position]:
            left[tile] += 1
        search(position + 1, gain)

    with suppress(OutOfSteps):
        search(0, (0, 0))
    return best[1]


def _plus(gain: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return (gain[0] + other[0], gain[1] + other[1])


def _used_table(changes: Changes, laid: Sequence[Candidate]) -> Violation:
    """Point to what lies now in other melds than before; to the melds before where all of it is gone."""
    from_rack = Counter(changes.placed)
    for candidate in laid:
        from_rack -= candidate.tiles
    own = {candidate.index for candidate in laid}
    tiles = tuple(_table_tiles(changes, [index for index in changes.new if index not in own], from_rack))
    if tiles:
        return Violation.at(Code.OPENING_USED_TABLE, Side.AFTER, tiles)
    return Violation(
        Code.OPENING_USED_TABLE,
        Side.BEFORE,
        changes.gone,
        tuple(Place(meld, position) for meld in changes.gone for position in range(len(changes.before.melds[meld]))),
    )


def _table_tiles(changes: Changes, melds: Sequence[int], from_rack: Counter[Tile]) -> Iterator[Place]:
    """The places in those melds where a tile of the table lies; of identical tiles the last ones are the rack's."""
    table_has = Counter(tile for index in melds for tile in changes.after.melds[index]) - from_rack
    for index in melds:
        for position, tile in enumerate(changes.after.melds[index]):
            if table_has[tile] > 0:
                table_has[tile] -= 1
                yield Place(index, position)

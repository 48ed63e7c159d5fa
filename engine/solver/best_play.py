"""The most that a rack can lay in one legal turn, and whether it can lay anything at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from tilekeeper.engine.judge.judge import TurnContext
from tilekeeper.engine.rules.policies import OpeningTable, TileValue
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.openings import Laid, find_openings
from tilekeeper.engine.solver.plans import Plan, families
from tilekeeper.engine.solver.play_search import PlaySearch
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile


class Aim(Enum):
    """What is to be as much as possible."""

    TILES = "tiles"
    """How many tiles are laid."""
    POINTS = "points"
    """What they would have counted on the rack at the end of the round."""


@dataclass(frozen=True, slots=True)
class Play:
    """A legal turn."""

    after: Table
    """The table after it."""
    laid: tuple[Tile, ...]
    """The tiles of the rack that were laid, sorted."""
    points: int
    """What they would have counted on the rack."""
    opens: bool
    """Whether the player comes into the game with it."""
    best: bool
    """Whether it is proved that no legal turn lays more."""


@dataclass(frozen=True, slots=True)
class PlayResult:
    """What came of looking for the best turn."""

    play: Play | None
    proved: bool
    """Whether it is proved that no legal turn lays more; where there is no play, that nothing can be laid."""


def best_play(table: Table, rack: Iterable[Tile], rules: RuleSet, opened: bool, aim: Aim = Aim.TILES) -> Play | None:
    """The legal turn that lays the most of a rack; none where none was found, as `find_best_play` finds it."""
    return find_best_play(table, rack, rules, opened, aim).play


def find_best_play(
    table: Table, rack: Iterable[Tile], rules: RuleSet, opened: bool, aim: Aim = Aim.TILES
) -> PlayResult:
    """Look for the legal turn that lays the most of a rack.

    The judge has the last word: a turn that it would not let pass is never given. In `large-numbers` and `travel` the
    best turn is found exactly, but for rare tables on which a freed joker has no place to go; in `finnish` and `junior`
    too, as long as there are not too many ways to lay a freed joker. In `cards`, and under house rules that tie tiles
    together otherwise, what is found is proved to be best where it is as good as if nothing were tied, or where all
    turns that would be better could be looked through. `Play.best` says whether it is.

    Args:
        table: the table before the turn.
        rack: the player's tiles; those that the edition does not have stay there, and those of which the box does not
            hold as many: the table was misread then.
        rules: the edition in play.
        opened: whether the player opened in an earlier turn.
        aim: what is to be as much as possible.

    Raises:
        SearchTooLarge: if house rules leave too many ways to be searched for an opening; no printed edition does.
    """
    on_table = table.counts
    tiles = Counter(
        {tile: min(count, rules.stock.copies_of(tile) - on_table[tile]) for tile, count in Counter(rack).items()}
    )
    tiles = +tiles
    task = Task(Counter(), tiles, {tile: _weight(tile, aim, rules) for tile in tiles})
    turn = _Turn(table, task, rules, opened or not rules.opening.minimum_points)
    return turn.sought()


def _weight(tile: Tile, aim: Aim, rules: RuleSet) -> int:
    match aim:
        case Aim.TILES:
            return 1
        case Aim.POINTS:
            return points_on_rack(tile, rules)
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def points_on_rack(tile: Tile, rules: RuleSet) -> int:
    """What a tile counts that is left on a rack."""
    if tile.number is None:
        return rules.scoring.joker_points
    return tile.number if rules.scoring.tile_value is TileValue.NUMBER else 1


class _Turn:
    """The search for the best turn of one player."""

    def __init__(self, table: Table, task: Task, rules: RuleSet, opened: bool) -> None:
        self._table, self._task, self._rules, self._opened = table, task, rules, opened
        self._search = PlaySearch(table, task, TurnContext(rules, opened))

    def sought(self) -> PlayResult:
        proved = not self._task.may or self._look()
        found = self._search.best
        if found is None:
            return PlayResult(None, proved)
        points = sum(points_on_rack(tile, self._rules) for tile in found.verdict.placed)
        return PlayResult(Play(found.after, found.verdict.placed, points, found.verdict.opens, proved), proved)

    def _look(self) -> bool:
        """Look for the best turn; whether it is proved that none is better."""
        if self._opened:
            return self._search.run(*families(self._table, self._task, self._rules))
        match self._rules.opening.table:
            case OpeningTable.LEFT_ALONE:
                return self._from_the_rack()
            case OpeningTable.FREE_ONCE_OPEN:
                return self._opening_first()
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)

    def _openings(self) -> tuple[list[Laid], bool]:
        found, all_found = find_openings(self._task, self._rules)
        return [laid for laid in found if laid.points >= self._rules.opening.minimum_points], all_found

    def _from_the_rack(self) -> bool:
        """An opening that leaves the table alone."""
        openings, all_found = self._openings()
        for laid in sorted(openings, key=lambda laid: -laid.weight):
            self._search.try_table(Table((*self._table.melds, *laid.rows)))
            if self._search.best is not None:
                return all_found
        return all_found and not openings

    def _opening_first(self) -> bool:
        """An opening after which the table is open in the same turn: a turn as any other, if the opening is in it."""
        openings, all_found = self._openings()
        if self._rules.opening.needs_empty_table and self._table.melds:
            return True
        if not openings:
            return all_found
        for laid in openings:
            self._search.try_table(Table((*self._table.melds, *laid.rows)))
        found, all_there = families(self._table, self._task, self._rules)
        return self._search.run(found, all_there, self._plans_after(openings))

    def _plans_after(self, openings: list[Laid]) -> Iterator[Plan]:
        """Plans in which the opening's sets are laid and the rest is to come."""
        for laid in openings:
            rest = self._task.may - Counter(tile for row in laid.rows for tile in row)
            opened = Table((*self._table.melds, *laid.rows))
            for family in families(opened, Task(Counter(), rest, self._task.weights), self._rules)[0]:
                yield from family.loosest
                yield from family.narrower


def can_open(rack: Iterable[Tile], rules: RuleSet, table: Table | None = None) -> bool | None:
    """Whether a rack can come into the game in one turn; always where the edition has no opening.

    Args:
        rack: the player's tiles.
        rules: the edition in play.
        table: the table before the turn; by default an empty one.

    Returns:
        None where the rack is so large that it can't be told.
    """
    if not rules.opening.minimum_points:
        return True
    tiles = Counter(tile for tile in rack if rules.stock.copies_of(tile))
    if rules.opening.needs_empty_table and table is not None and table.melds:
        return False
    found, all_found = find_openings(Task(Counter(), tiles), rules)
    if any(laid.points >= rules.opening.minimum_points for laid in found):
        return True
    return False if all_found else None


def can_play(table: Table, rack: Iterable[Tile], rules: RuleSet, opened: bool) -> bool | None:
    """Whether a rack can lay anything in a legal turn; none where no turn was found and none is proved to be there."""
    sought = find_best_play(table, rack, rules, opened)
    if sought.play is not None:
        return True
    return False if sought.proved else None


def anyone_can_play(table: Table, racks: Iterable[tuple[Iterable[Tile], bool]], rules: RuleSet) -> bool | None:
    """Whether any of some racks, each with whether its player has opened, can lay anything: asked in the last round.

    None where nobody is known to be able to, and it can't be told of all that they are not.
    """
    nobody: bool | None = False
    for rack, opened in racks:
        answer = can_play(table, rack, rules, opened)
        if answer:
            return True
        nobody = None if answer is None else nobody
    return nobody

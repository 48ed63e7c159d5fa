"""The most that a rack can lay in one legal turn, and whether it can lay anything at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Final, assert_never

from tilekeeper.engine.judge import TurnContext, judge
from tilekeeper.engine.meld import is_valid
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.rules_policies import FreedJoker, OpeningTable, TileValue
from tilekeeper.engine.table import Table
from tilekeeper.engine.tile import JOKER, Tile
from tilekeeper.engine.untangle.cover import Cover, TooManyWays
from tilekeeper.engine.untangle.openings import Laid, find_openings
from tilekeeper.engine.untangle.plans import Plan, plans
from tilekeeper.engine.untangle.solve import solve
from tilekeeper.engine.untangle.task import Task

_MOST_PLANS: Final = 60
_MOST_OPENINGS: Final = 30
_MOST_STATES: Final = 6_000
_MOST_JUDGED: Final = 400


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


def best_play(table: Table, rack: Iterable[Tile], rules: RuleSet, opened: bool, aim: Aim = Aim.TILES) -> Play | None:
    """The legal turn that lays the most of a rack; none where nothing can be laid.

    The judge has the last word: a turn that it would not let pass is never given. In `large-numbers` and `travel` the
    best turn is found exactly, but for rare tables on which a freed joker has no place to go. Where an edition ties
    tiles together, what is found is proved to be best where it is as good as if nothing were tied, or where all turns
    that would be better could be looked through.

    Args:
        table: the table before the turn.
        rack: the player's tiles; those that the edition does not have stay there.
        rules: the edition in play.
        opened: whether the player opened in an earlier turn.
        aim: what is to be as much as possible.

    Raises:
        TooManyWays: if house rules leave too many ways to be searched; no printed edition does.
    """
    tiles = Counter(tile for tile in rack if rules.stock.copies_of(tile))
    task = Task(Counter(), tiles, {tile: _weight(tile, aim, rules) for tile in tiles})
    turn = _Turn(table, task, rules, opened or not rules.opening.minimum_points)
    return turn.best()


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
        self._on_table = table.counts
        self._best: Play | None = None
        self._best_weight = 0

    def best(self) -> Play | None:
        if not self._task.may:
            return None
        rules = self._rules
        if self._opened:
            return self._in_the_game()
        match rules.opening.table:
            case OpeningTable.LEFT_ALONE:
                return self._from_the_rack()
            case OpeningTable.FREE_ONCE_OPEN:
                return self._opening_first()
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)

    def _try(self, after: Table) -> bool:
        """Remember a turn if it is legal and better than what is known; whether it is legal."""
        laid = after.counts - self._on_table
        weight = self._weigh(laid)
        if not laid or (self._best is not None and weight <= self._best_weight):
            return False
        verdict = judge(self._table, after, TurnContext(self._rules, self._opened))
        if not verdict.legal:
            return False
        points = sum(points_on_rack(tile, self._rules) for tile in verdict.placed)
        self._best, self._best_weight = Play(after, verdict.placed, points, verdict.opens, False), weight
        return True

    def _proved(self) -> Play | None:
        best = self._best
        return None if best is None else Play(best.after, best.laid, best.points, best.opens, True)

    def _in_the_game(self) -> Play | None:
        return self._search(plans(self._table, self._task, self._rules))

    def _search(self, tries: Iterator[Plan]) -> Play | None:
        """Try plans until one is as good as any could be; then look through all turns that would be better."""
        everything = self._weigh(self._task.may)
        untied = self._untied()
        most = solve(untied, self._rules)
        bound = everything  # where the table lies wrongly, and may be left so
        if most is not None:
            bound = min(everything, everything + self._may_be_taken() - self._weigh(most.left))
        if bound <= 0:
            return None
        for plan in islice(tries, _MOST_PLANS):
            try:
                solution = most if plan.task == untied else solve(plan.task, self._rules)
            except TooManyWays:
                continue
            if solution is not None and self._try(Table((*plan.rows, *solution.melds))) and self._best_weight >= bound:
                return self._proved()
        return self._look_through(everything, bound)

    def _weigh(self, tiles: Counter[Tile]) -> int:
        return sum(self._task.weight(tile) * count for tile, count in tiles.items())

    def _untied(self) -> Task:
        """What could be laid if nothing were tied together."""
        must, may = Counter(self._on_table), Counter(self._task.may)
        if self._rules.joker.freed is FreedJoker.RACK:
            may[JOKER] += must.pop(JOKER, 0)
        return Task(must, may, self._task.weights)

    def _may_be_taken(self) -> int:
        """What the jokers of the table weigh, where they may go to the rack."""
        if self._rules.joker.freed is not FreedJoker.RACK:
            return 0
        return self._on_table[JOKER] * self._task.weight(JOKER)

    def _look_through(self, everything: int, bound: int) -> Play | None:
        """Judge every arrangement that lays more than what is known, best first, as far as there is patience."""
        rules, slack = self._rules, self._may_be_taken()
        if rules.manipulation.take_back or not all(is_valid(meld, rules) for meld in self._table.melds):
            return self._best
        judged = 0
        try:
            cover = Cover(self._untied(), rules, every_row=True, most_states=_MOST_STATES)
            for weight in range(bound, self._best_weight, -1):
                lost = everything + slack - weight
                for solution in cover.arrangements(lost, 0 if slack else lost):
                    after = Table(solution.melds)
                    if self._weigh(after.counts - self._on_table) != weight:
                        continue
                    judged += 1
                    if judged > _MOST_JUDGED:
                        return self._best
                    if self._try(after):
                        return self._proved()
        except TooManyWays:
            return self._best
        return self._proved()

    def _from_the_rack(self) -> Play | None:
        """An opening that leaves the table alone."""
        openings, all_found = self._openings()
        for laid in sorted(openings, key=lambda laid: -laid.weight):
            if self._try(Table((*self._table.melds, *laid.rows))):
                return self._proved() if all_found else self._best
        return None

    def _openings(self) -> tuple[list[Laid], bool]:
        found, all_found = find_openings(self._task, self._rules)
        return [laid for laid in found if laid.points >= self._rules.opening.minimum_points], all_found

    def _opening_first(self) -> Play | None:
        """An opening after which the table is open in the same turn."""
        openings, _ = self._openings()
        if not openings or (self._rules.opening.needs_empty_table and self._table.melds):
            return None
        for laid in openings:
            self._try(Table((*self._table.melds, *laid.rows)))
        return self._search(self._plans_after(openings))

    def _plans_after(self, openings: list[Laid]) -> Iterator[Plan]:
        """First as if the player were in the game, then with the opening's sets laid and the rest to come."""
        yield from islice(plans(self._table, self._task, self._rules), _MOST_OPENINGS)
        for laid in openings:
            rest = self._task.may - Counter(tile for row in laid.rows for tile in row)
            opened = Table((*self._table.melds, *laid.rows))
            yield from plans(opened, Task(Counter(), rest, self._task.weights), self._rules)


def can_open(rack: Iterable[Tile], rules: RuleSet, table: Table | None = None) -> bool:
    """Whether a rack can come into the game in one turn; always where the edition has no opening.

    Args:
        rack: the player's tiles.
        rules: the edition in play.
        table: the table before the turn; by default an empty one.
    """
    if not rules.opening.minimum_points:
        return True
    tiles = Counter(tile for tile in rack if rules.stock.copies_of(tile))
    if rules.opening.needs_empty_table and table is not None and table.melds:
        return False
    found, _ = find_openings(Task(Counter(), tiles), rules)
    return any(laid.points >= rules.opening.minimum_points for laid in found)


def can_play(table: Table, rack: Iterable[Tile], rules: RuleSet, opened: bool) -> bool:
    """Whether a rack can lay anything in a legal turn; can tell only as far as `best_play` finds a turn."""
    return best_play(table, rack, rules, opened) is not None


def anyone_can_play(table: Table, racks: Iterable[tuple[Iterable[Tile], bool]], rules: RuleSet) -> bool:
    """Whether any of some racks, each with whether its player has opened, can lay anything: asked in the last round."""
    return any(can_play(table, rack, rules, opened) for rack, opened in racks)

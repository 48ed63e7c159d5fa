"""The best play: the legal turn that lays the most of a rack, and whether a rack can lay anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.rules.policies import OpeningTable
from tilekeeper.engine.rules.ruleset import RuleSet, tile_points
from tilekeeper.engine.rules.turn_context import TurnContext, check_turn, tiles_of
from tilekeeper.engine.solver.openings import OpeningChoice, find_openings
from tilekeeper.engine.solver.plans import Plan, families
from tilekeeper.engine.solver.play_search import PlaySearch
from tilekeeper.engine.solver.tile_moves import lay_in_place
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.tiles.errors import expect
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile


class Aim(Enum):
    """The aim of the best play."""

    TILES = "tiles"
    """The most tiles."""
    POINTS = "points"
    """The most points, as the tiles count on a rack at the end of a round."""


@dataclass(frozen=True, slots=True)
class Play:
    """A legal turn; `str(play)` is what the command line prints."""

    after: Table
    """The table after the turn."""
    laid: tuple[Tile, ...]
    """The laid tiles, sorted."""
    points: int
    """The points of the laid tiles, as they count on a rack at the end of a round."""
    opens: bool
    """Whether the turn opens for the player."""
    proved: bool
    """Whether it is proved that no legal turn lays more."""

    def __str__(self) -> str:
        tiles = " ".join(map(str, self.laid))
        claim = gettext("no turn lays more") if self.proved else gettext("another turn may lay more")
        if self.opens:
            head = ngettext(
                "You can open with {count} tile ({tiles}); {proved}:",
                "You can open with {count} tiles ({tiles}); {proved}:",
                len(self.laid),
                tiles=tiles,
                proved=claim,
            )
        else:
            head = ngettext(
                "You can lay {count} tile ({tiles}); {proved}:",
                "You can lay {count} tiles ({tiles}); {proved}:",
                len(self.laid),
                tiles=tiles,
                proved=claim,
            )
        return f"{head}\n  {self.after}"


@dataclass(frozen=True, slots=True)
class PlayResult:
    """The result of the search for the best play; `str(result)` is what the command line prints."""

    play: Play | None
    """The best turn that was found; None if none was found."""
    proved: bool
    """Whether it is proved that no legal turn lays more; without a play, that nothing can be laid."""

    def __str__(self) -> str:
        if self.play is not None:
            return str(self.play)
        return gettext("You can't lay anything.") if self.proved else gettext("No turn was found.")


def best_play(table: Table, rack: Iterable[Tile], context: TurnContext, aim: Aim = Aim.TILES) -> Play | None:
    """Return the legal turn that lays the most of a rack; None if `find_best_play` finds none.

    Arguments and errors are as for `find_best_play`.

    >>> context = TurnContext(rule_set("large-numbers"), opened=True)
    >>> print(best_play(Table("R3 R4 R5"), parse_rack("R6 K1"), context))
    You can lay 1 tile (R6); no turn lays more:
      R3 R4 R5 R6
    """
    return find_best_play(table, rack, context, aim).play


def find_best_play(table: Table, rack: Iterable[Tile], context: TurnContext, aim: Aim = Aim.TILES) -> PlayResult:
    """Search for the legal turn that lays the most of a rack.

    The judge accepts every returned turn. In `large-numbers` and `travel` the search is exact, except on rare tables
    where a freed joker has no place to go. In `finnish` and `junior` it is exact unless there are too many places for a
    freed joker. In `cards`, and under house rules that keep tiles together, the result is proved in two cases: if even
    without these rules no turn lays more, or if all better turns could be tried. `proved` of the result says so.

    Args:
        table: the table before the turn.
        rack: the tiles of the player. Tiles that the edition does not have, and copies beyond those in the box, stay
            on the rack.
        context: the rules, and whether the player had opened.
        aim: whether to lay the most tiles or the most points.

    Raises:
        ArgumentError: if an argument has another type.
        SearchTooLarge: if house rules make the search for an opening too large; no printed edition does.
    """
    check_turn(context, table=table)
    expect("aim", aim, Aim, "Aim.TILES")
    rules = context.rules
    tiles = _playable(tiles_of(rack), table, rules)
    points = {} if aim is Aim.TILES else {tile: tile_points(tile, rules.scoring) for tile in tiles}
    task = Task(Counter(), tiles, points)
    return _Turn(table, task, context).result()


def _playable(rack: Iterable[Tile], table: Table, rules: RuleSet) -> Counter[Tile]:
    """Return the tiles of a rack that the edition has, without copies beyond those in the box."""
    on_table, held = table.counts, Counter(rack)
    return +Counter({tile: min(count, rules.stock.copies_of(tile) - on_table[tile]) for tile, count in held.items()})


class _Turn:
    """The search for the best turn of one player, who may have to open first."""

    def __init__(self, table: Table, task: Task, context: TurnContext) -> None:
        self._table, self._task, self._rules = table, task, context.rules
        self._opened = context.opened or not context.rules.opening.minimum_points
        self._search = PlaySearch(table, task, context)

    def result(self) -> PlayResult:
        proved = not self._task.may or self._search_turns()
        found = self._search.best
        if found is None:
            return PlayResult(None, proved)
        laid = tuple(sorted(found.laid.elements()))
        points = sum(tile_points(tile, self._rules.scoring) for tile in laid)
        after = _lay_in_place(self._table, found.after, self._rules)
        return PlayResult(Play(after, laid, points, not self._opened, proved), proved)

    def _search_turns(self) -> bool:
        """Search for the best turn; return whether it is proved that none is better."""
        if self._opened:
            return self._search.run(*families(self._table, self._task, self._rules))
        if self._rules.opening.needs_empty_table and self._table.melds:
            return True
        match self._rules.opening.table:
            case OpeningTable.LEFT_ALONE:
                return self._from_the_rack()
            case OpeningTable.FREE_ONCE_OPEN:
                return self._opening_first()
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)

    def _openings(self) -> tuple[list[OpeningChoice], bool]:
        found, all_found = find_openings(self._task, self._rules)
        return [laid for laid in found if laid.points >= self._rules.opening.minimum_points], all_found

    def _from_the_rack(self) -> bool:
        """Search for an opening that leaves the table alone; return whether it is proved that no opening lays more."""
        openings, all_found = self._openings()
        for laid in sorted(openings, key=lambda laid: -laid.weight):
            self._search.try_table(Table((*self._table.melds, *laid.rows)))
            if self._search.best is not None:
                return all_found
        return all_found and not openings

    def _opening_first(self) -> bool:
        """Search for an opening that may use the table, too; return whether it is proved that no turn lays more."""
        openings, all_found = self._openings()
        if not openings:
            return all_found
        for laid in openings:
            self._search.try_table(Table((*self._table.melds, *laid.rows)))
        found, all_there = families(self._table, self._task, self._rules)
        return self._search.run(found, all_there, self._plans_after(openings))

    def _plans_after(self, openings: list[OpeningChoice]) -> Iterator[Plan]:
        """Yield for each opening the plans that lay the rest of the rack after it."""
        for laid in openings:
            rest = self._task.may - Counter(tile for row in laid.rows for tile in row)
            opened = Table((*self._table.melds, *laid.rows))
            for family in families(opened, Task(Counter(), rest, self._task.weights), self._rules)[0]:
                yield from family.loosest
                yield from family.narrower


def _lay_in_place(before: Table, after: Table, rules: RuleSet) -> Table:
    """Return the table after a turn with each meld in the place and order of the old meld that it continues."""
    changes = find_changes(before, after, rules)
    old_of = dict(changes.unchanged)
    # Greedy matching, since the best one takes as long as the search for the play.
    pairs = [
        (-len(set(before.melds[old]).intersection(after.melds[new])), old, new)
        for old in changes.changed_before
        for new in changes.changed_after
    ]
    for shared, old, new in sorted(pairs):
        if shared and new not in old_of and old not in old_of.values():
            old_of[new] = old
    return lay_in_place(before.melds, after.melds, [(old, new) for new, old in old_of.items()])[0]


def can_open(table: Table, rack: Iterable[Tile], context: TurnContext) -> bool | None:
    """Return whether a rack can open in one turn; True if the player has opened or the edition has no opening.

    Args:
        table: the table before the turn.
        rack: the tiles of the player.
        context: the rules, and whether the player had opened.

    Returns:
        True or False; None if no opening was found in a rack that is too large for the whole search.
    """
    check_turn(context, table=table)
    rules = context.rules
    if context.opened or not rules.opening.minimum_points:
        return True
    if rules.opening.needs_empty_table and table.melds:
        return False
    found, all_found = find_openings(Task(Counter(), _playable(tiles_of(rack), table, rules)), rules)
    if any(laid.points >= rules.opening.minimum_points for laid in found):
        return True
    return False if all_found else None


def can_play(table: Table, rack: Iterable[Tile], context: TurnContext) -> bool | None:
    """Return whether a rack can lay anything in a legal turn; None if no turn was found and the search gave up.

    Arguments and errors are as for `find_best_play`.

    >>> can_play(Table("R3 R4 R5"), parse_rack("R6"), TurnContext(rule_set("large-numbers"), opened=False))
    False
    """
    result = find_best_play(table, rack, context)
    if result.play is not None:
        return True
    return False if result.proved else None

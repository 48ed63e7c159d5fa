"""A position: the table, the rack of the player in turn, and the rules; and turns as values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.policies import FreedJoker, OpeningTable
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext, check_turn, tiles_of
from tilekeeper.engine.solver.best_play import Aim, best_play, can_open
from tilekeeper.engine.solver.exact_cover import Cover
from tilekeeper.engine.solver.plans import Plan, families, tied_melds_stay_whole
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.tiles.errors import ArgumentError, expect
from tilekeeper.engine.tiles.table import TABLE_EXAMPLE, Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

_TURN_EXAMPLE: Final = "Turn(parse_rack('R6'), Table('R3 R4 R5 R6'))"


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn in which a player lays tiles.

    Raises:
        ArgumentError: if an argument has another type.
    """

    laid: tuple[Tile, ...]
    """The tiles from the rack; stored sorted. A list is accepted, too."""
    table: Table
    """The table after the turn."""

    def __post_init__(self) -> None:
        expect("table", self.table, Table, TABLE_EXAMPLE)
        object.__setattr__(self, "laid", tuple(sorted(tiles_of(self.laid, "laid"))))


@dataclass(frozen=True, slots=True)
class Position:
    """The table and the rack of the player in turn; `push` gives the position after a turn.

    >>> position = Position(Table("R3 R4 R5"), parse_rack("R6 K1"), rule_set("travel"), opened=True)
    >>> turn = position.best_turn()
    >>> turn
    Turn(laid=(Tile('R6'),), table=Table('R3 R4 R5 R6'))
    >>> position.judge(turn).legal, position.push(turn).rack
    (True, (Tile('K1'),))

    Raises:
        ArgumentError: if an argument has another type.
    """

    table: Table
    """The table before the turn."""
    rack: tuple[Tile, ...]
    """The tiles of the player; stored sorted. A list is accepted, too."""
    rules: RuleSet
    """The edition in play."""
    opened: bool
    """Whether the player opened in an earlier turn; ignored if the edition has no opening."""

    def __post_init__(self) -> None:
        check_turn(self.context, table=self.table)
        object.__setattr__(self, "rack", tuple(sorted(tiles_of(self.rack))))

    @property
    def context(self) -> TurnContext:
        """The rules and whether the player had opened, as the functions of the engine take them."""
        return TurnContext(self.rules, self.opened)

    def judge(self, turn: Turn) -> Verdict:
        """Judge a turn.

        Raises:
            ArgumentError: if the turn lays a tile that is not on the rack, or its table has a new tile that it does not
                lay.
        """
        self._rack_after(turn)
        return judge(self.table, turn.table, self.context)

    def push(self, turn: Turn) -> Position:
        """Return the position after a turn, for the same player: with the rest of the rack and the freed jokers on it.

        A turn that the judge can't decide is accepted, since the players decide about it.

        Raises:
            ArgumentError: if the turn is illegal, or the player can't make it (see `judge`).
        """
        rack = self._rack_after(turn)
        verdict = self.judge(turn)
        if verdict.violations:
            raise ArgumentError(f"the turn is not legal: {' '.join(verdict.sentences)}")
        opens = verdict.points is not None and bool(verdict.placed)
        return replace(self, table=turn.table, rack=rack, opened=self.opened or opens)

    def _rack_after(self, turn: Turn) -> tuple[Tile, ...]:
        """Return the rack after a turn: all tiles of rack and table that are not on the table after the turn."""
        expect("turn", turn, Turn, _TURN_EXAMPLE)
        laid, rack, before, after = Counter(turn.laid), Counter(self.rack), self.table.counts, turn.table.counts
        if missing := laid - rack:
            raise ArgumentError(f"the rack does not hold {_names(missing)}")
        if unknown := after - before - laid:
            raise ArgumentError(f"the table after the turn has new tiles that were not laid: {_names(unknown)}")
        rack.subtract(after)
        rack.update(before)
        return tuple(rack.elements())

    def best_turn(self, aim: Aim = Aim.TILES) -> Turn | None:
        """Return the legal turn that lays the most, as `best_play` finds it; None if it finds none."""
        play = best_play(self.table, self.rack, self.context, aim)
        return None if play is None else Turn(play.laid, play.after)

    def turns(self) -> Iterator[Turn]:
        """Yield every legal turn once, as it is found; turns with equal tables count as one.

        A full table has millions of turns: take as many as you want, for example with `itertools.islice`.
        """
        for table in _legal_tables(self.table, self.rack, self.context):
            yield Turn(tuple((table.counts - self.table.counts).elements()), table)


def _names(tiles: Counter[Tile]) -> str:
    return " ".join(map(str, tiles.elements()))


def _legal_tables(table: Table, rack: Iterable[Tile], context: TurnContext) -> Iterator[Table]:
    """Yield the table after every legal turn, each once."""
    if can_open(table, rack, context) is False:
        return
    yielded = set[Table]()
    for after in _tables(table, rack, context):
        if after not in yielded and judge(table, after, context).legal:
            yielded.add(after)
            yield after


def _tables(table: Table, rack: Iterable[Tile], context: TurnContext) -> Iterator[Table]:
    """Yield tables, among them the table after every legal turn; invalid melds may stay as they are."""
    rules = context.rules
    held = Counter({tile: min(count, rules.stock.copies_of(tile)) for tile, count in Counter(rack).items()})
    has_opened = context.opened or not rules.opening.minimum_points
    if not has_opened and rules.opening.table is OpeningTable.LEFT_ALONE:
        yield from _arrangements(Plan(Task(Counter(), +held), table.melds), (), rules)
        return
    broken = [meld for meld in table.melds if not is_valid(meld, rules)]
    for stays in product((False, True), repeat=len(broken)):
        staying = tuple(meld for meld, stay in zip(broken, stays, strict=True) if stay)
        lying = list(table.melds)
        for meld in staying:
            lying.remove(meld)
        for plan in _plans(Table(lying), +held, rules):
            yield from _arrangements(replace(plan, rows=staying), lying, rules)


def _plans(table: Table, rack: Counter[Tile], rules: RuleSet) -> Iterator[Plan]:
    """Yield plans whose arrangements include every legal turn."""
    if tied_melds_stay_whole(rules):
        for family in families(table, Task(Counter(), rack), rules)[0]:
            yield from family.loosest
        return
    must, may = table.counts, Counter(rack)
    for tile in list(must):
        if rules.manipulation.take_back or (tile is JOKER and rules.joker.freed is FreedJoker.RACK):
            may[tile] += must.pop(tile)
    yield Plan(Task(must, may))


def _arrangements(plan: Plan, likely: Iterable[Meld], rules: RuleSet) -> Iterator[Table]:
    """Yield the table of every solution of a plan; tables with melds of `likely` tend to come first."""
    # Without weights every arrangement leaves over nothing. The caller decides how many to take, so no limit of states.
    task = replace(plan.task, weights=dict.fromkeys(plan.task.may, 0))
    cover = Cover(task, rules, every_row=True, most_states=1 << 60, likely=likely)
    for solution in cover.arrangements(0):
        yield plan.table(solution.melds)

"""Rules as data: the parts of a rule set, each field with its meaning and its allowed values.

An edition gives each field a value, with its source in the rulebook (`tilekeeper.engine.rules.editions`). A house rule
changes one field by name (`tilekeeper.engine.rules.house_rules`). No code depends on the name of an edition.
"""

# ruff: noqa: RUF009 - `rule` wraps `dataclasses.field` and sets no default

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, assert_never

from tilekeeper.engine.rules.fields import Allowed, Choice, Inks, Number, Truth, rule
from tilekeeper.engine.rules.policies import (
    EmptyPoolScore,
    FreedJoker,
    JokerDrawn,
    JokerSets,
    Lowest,
    NextRound,
    OpeningTable,
    PastEnd,
    PoolEmpty,
    Regrouping,
    ReplacedFrom,
    Restore,
    Starter,
    TileValue,
    Totals,
)
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile


@dataclass(frozen=True, slots=True)
class Stock:
    """The tiles in the box."""

    inks: tuple[Colour, ...] = rule(Inks(), "the colours, in the order black, blue, orange or yellow, red")
    numbers: int = rule(Number(4, 99), "the highest number; the lowest is 1")
    copies: int = rule(Number(1, 4), "how many tiles there are of each number and colour")
    jokers: int = rule(Number(0, 8), "how many jokers there are")

    def copies_of(self, tile: Tile) -> int:
        """Return the number of copies of a tile in the box; 0 if the edition does not have the tile."""
        if tile.colour is None or tile.number is None:
            return self.jokers
        return self.copies if tile.colour in self.inks and 1 <= tile.number <= self.numbers else 0

    @property
    def size(self) -> int:
        """The number of tiles in the box, jokers included."""
        return len(self.inks) * self.numbers * self.copies + self.jokers

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """All tiles of the box, copies included, sorted by colour and number, jokers last."""
        numbered = [Tile(ink, number) for ink in self.inks for number in range(1, self.numbers + 1)]
        return (*sorted(numbered * self.copies), *[JOKER] * self.jokers)


@dataclass(frozen=True, slots=True)
class Setup:
    """The start of a round."""

    least_players: int = rule(Number(1, 8), "how many players there are at least")
    most_players: int = rule(Number(1, 8), "how many players there are at most")
    dealt: int = rule(Number(1, 50), "how many tiles each player gets at first")
    stack_size: int | None = rule(
        Number(2, 50, or_none=True),
        "how many tiles are in a stack, if tiles are stacked and whole stacks go to the left neighbour; one stack also "
        "has the tiles left over, and players draw from it first",
    )
    starter: Starter = rule(Choice(Starter), "who begins the first round")
    joker_drawn: JokerDrawn | None = rule(
        Choice(JokerDrawn, or_none=True), "what a joker counts in the draw for who begins"
    )
    next_round: NextRound = rule(Choice(NextRound), "who begins a later round")
    redeal_pairs: int | None = rule(
        Number(1, 20, or_none=True),
        "how many pairs of identical first tiles a player needs to ask for a new deal",
    )
    jokers_pair: bool = rule(Truth(), "whether two jokers are such a pair")


@dataclass(frozen=True, slots=True)
class Melds:
    """The shape of runs and groups."""

    shortest: int = rule(Number(2, 6), "how many tiles a run or a group has at least")
    largest_group: int | None = rule(
        Number(2, 4, or_none=True), "how many tiles a group has at most; none if there are no groups"
    )
    wraps: bool = rule(
        Truth(), "whether 1 may come after the highest number in a run; a run is never longer than there are numbers"
    )


@dataclass(frozen=True, slots=True)
class Opening:
    """The opening: the new sets from the rack alone that a player must lay first, in one turn."""

    minimum_points: int = rule(Number(0, 300), "how many points you need at least; 0 if there is no opening")
    joker_points: int | None = rule(
        Number(0, 100, or_none=True), "what a joker counts; none if it counts as the tile it stands for"
    )
    several_sets: bool = rule(Truth(), "whether the points may come from several sets, not only one")
    needs_empty_table: bool = rule(Truth(), "whether the table must be empty")
    table: OpeningTable = rule(Choice(OpeningTable), "what may be done with the table in the same turn")


@dataclass(frozen=True, slots=True)
class Manipulation:
    """Allowed changes to the melds on the table."""

    regrouping: Regrouping = rule(Choice(Regrouping), "how sets on the table may be changed")
    staying_together: int = rule(
        Number(0, 6), "how many tiles of a set must stay together in a valid set if only part of it is taken"
    )
    take_back: bool = rule(Truth(), "whether tiles may be taken from the table onto the rack")


@dataclass(frozen=True, slots=True)
class Joker:
    """What jokers stand for, and what may be done with jokers on the table."""

    most_in_set: int | None = rule(Number(0, 8, or_none=True), "how many jokers a set has at most; none for no limit")
    alone: bool = rule(Truth(), "whether jokers alone are a set")
    past_end: PastEnd = rule(Choice(PastEnd), "which tile a joker after the highest number of a run stands for")
    sets: JokerSets = rule(Choice(JokerSets), "what may be done with a set that holds a joker")
    replaced_from: ReplacedFrom = rule(Choice(ReplacedFrom), "where the tile comes from that replaces a joker")
    freed: FreedJoker = rule(Choice(FreedJoker), "where a freed joker goes")
    rack_tiles: int = rule(Number(0, 6), "how many tiles of the rack a freed joker needs at least in its new set")

    def allows(self, jokers: int) -> bool:
        """Return whether one set may hold this number of jokers."""
        return self.most_in_set is None or jokers <= self.most_in_set


@dataclass(frozen=True, slots=True)
class TurnRules:
    """How many tiles a player lays or draws in a turn, and how long the turn may last."""

    least_tiles: int = rule(Number(0, 14), "how many tiles of the rack you must lay at least, if you lay any")
    drawn: int = rule(Number(0, 14), "how many tiles you draw if you lay none")
    plays_on_after_draw: bool = rule(Truth(), "whether a drawn tile may be laid in the same turn")
    limit_s: int | None = rule(Number(5, 3600, or_none=True), "how many seconds a turn may last")
    timed_before_opening: bool = rule(Truth(), "whether the time is limited before the player has opened")

    def limit_s_for(self, opened: bool) -> int | None:
        """Return the time limit of a turn in seconds, for a player who has opened or not; None if there is no limit."""
        return self.limit_s if opened or self.timed_before_opening else None


@dataclass(frozen=True, slots=True)
class Penalty:
    """The consequences of a turn that took too long or, if `for_wrong_layout` is true, is illegal."""

    restore: Restore = rule(Choice(Restore), "what happens to the table")
    tiles: int = rule(Number(0, 14), "how many tiles a player who has opened draws")
    tiles_before_opening: int = rule(Number(0, 14), "how many tiles a player who has not opened draws")
    for_wrong_layout: bool = rule(Truth(), "whether the same happens after a turn that was finished wrong")
    forgotten_to_pool: bool = rule(
        Truth(), "whether tiles whose place nobody remembers go into the pool, not onto the player's rack"
    )


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a round in which nobody empties the rack."""

    pool_empty: PoolEmpty = rule(Choice(PoolEmpty), "how it ends when the pool is empty")
    drawer_plays_last: bool = rule(
        Truth(), "whether the player who drew the last tile also has a last turn, if each player has one"
    )
    must_lay: bool = rule(Truth(), "whether a player who can lay a tile must lay when the pool is empty")


@dataclass(frozen=True, slots=True)
class Scoring:
    """The scoring of a round."""

    tile_value: TileValue = rule(Choice(TileValue), "what a numbered tile on a rack counts at the end")
    joker_points: int = rule(Number(0, 100), "what a joker on a rack counts at the end")
    empty_pool: EmptyPoolScore = rule(Choice(EmptyPoolScore), "how a round counts that ends with an empty pool")
    lowest: Lowest = rule(Choice(Lowest), "what must be lowest to win such a round")
    fewer_tiles_win: bool = rule(
        Truth(), "whether the player with fewer tiles wins such a round if two players have the same lowest result"
    )
    totals: Totals = rule(Choice(Totals), "who wins over several rounds")


def tile_points(tile: Tile, scoring: Scoring) -> int:
    """Return the points of a tile left on a rack."""
    if tile.number is None:
        return scoring.joker_points
    match scoring.tile_value:
        case TileValue.NUMBER:
            return tile.number
        case TileValue.ONE:
            return 1
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


@dataclass(frozen=True, slots=True)
class Stars:
    """Payments in star coins, for editions that count coins and not points."""

    bank: int = rule(Number(0, 999), "how many coins there are in all")
    dealt: int = rule(Number(0, 99), "how many coins each player gets at first")
    tile: int = rule(Number(0, 9), "paid to a player for each tile laid")
    replacing: int = rule(Number(0, 9), "paid to a player, instead, for a tile that replaces a joker")
    new_run: int = rule(Number(0, 9), "also paid to a player for each new run")
    empty_rack: int = rule(Number(0, 9), "paid to a player for emptying the rack")
    passing: int = rule(Number(0, 9), "paid by a player who lays nothing")
    free_pass: bool = rule(Truth(), "whether nothing is paid if the pool is empty and nothing can be laid")
    draw_unpaid: bool = rule(Truth(), "whether a player who has no coin to pay still draws a tile")
    tile_left: int = rule(Number(0, 9), "paid at the end, by every player but the winner, for each tile left on a rack")
    tiles_left_cost: bool = rule(Truth(), "whether that is also paid if the round ends with an empty pool")
    finisher_wins_tie: bool = rule(Truth(), "whether a player who went out wins a tie")
    debt_noted: bool = rule(Truth(), "whether coins that the bank does not have are noted as a debt")
    found: int = rule(Number(0, 9), "paid for each tile found in the first game")


@dataclass(frozen=True, slots=True)
class RuleSet:
    """All rules of an edition, or of an edition with house rules."""

    name: str
    """The name of the edition."""
    stock: Stock
    setup: Setup
    melds: Melds
    opening: Opening
    manipulation: Manipulation
    joker: Joker
    turn: TurnRules
    penalty: Penalty
    ending: Ending
    scoring: Scoring
    stars: Stars | None

    def __repr__(self) -> str:
        # The `repr` of all parts would fill a page; `fields` lists them.
        return f"<RuleSet {self.name}>"

    def __hash__(self) -> int:
        # The name is enough: every look-up of the readings of a meld takes this hash. Equality compares all fields.
        return hash(self.name)

    def fields(self) -> tuple[RuleField, ...]:
        """Return all fields of all parts, in order; without those of `stars` in an edition that has none."""
        return _list_fields(self)


class RuleField(NamedTuple):
    """One field of a rule set."""

    name: str
    """The names of the part and of the field, such as `opening.minimum_points`."""
    value: object
    allowed: Allowed
    """The values that the field may have."""
    says: str
    """The meaning of the field, one clause in English for `gettext`."""


@lru_cache(maxsize=64)  # every answer of a page lists the fields of two rule sets
def _list_fields(rules: RuleSet) -> tuple[RuleField, ...]:
    return tuple(
        RuleField(
            f"{part.name}.{field.name}",
            getattr(getattr(rules, part.name), field.name),
            field.metadata["allowed"],
            field.metadata["says"],
        )
        for part in dataclasses.fields(rules)[1:]
        if getattr(rules, part.name) is not None
        for field in dataclasses.fields(getattr(rules, part.name))
    )

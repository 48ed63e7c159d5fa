"""The context of a turn: its rules, and whether the player has opened; and checks of the arguments of functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.errors import ArgumentError, describe, expect
from tilekeeper.engine.tiles.table import TABLE_EXAMPLE, Table
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The rules of a turn, and whether its player had opened in an earlier turn.

    Functions take it as the argument after tables and rack: `judge(before, after, context)`,
    `best_play(table, rack, context)`.

    Raises:
        ArgumentError: if the rules are not a rule set, or `opened` is not a `bool`.
    """

    rules: RuleSet
    """The edition in play."""
    opened: bool
    """Whether the player opened in an earlier turn; ignored if the edition has no opening."""

    def __post_init__(self) -> None:
        expect("rules", self.rules, RuleSet, "rule_set('large-numbers')")
        expect("opened", self.opened, bool, "True")


def check_turn(context: TurnContext, **tables: Table) -> None:
    """Check the types of the arguments that describe a turn; messages show the names of the tables.

    Raises:
        ArgumentError: if an argument has another type.
    """
    for name, table in tables.items():
        expect(name, table, Table, TABLE_EXAMPLE)
    expect("context", context, TurnContext, "TurnContext(rule_set('large-numbers'), opened=True)")


def tiles_of(rack: Iterable[Tile], name: str = "rack") -> tuple[Tile, ...]:
    """Return the tiles of a rack as a tuple.

    Raises:
        ArgumentError: if `rack` is not an iterable of tiles; the message shows the `name` of the argument.
    """
    if isinstance(rack, Iterable) and not isinstance(rack, str):
        tiles = tuple(rack)
        if all(isinstance(tile, Tile) for tile in tiles):
            return tiles
    raise ArgumentError(f"{name} must be tiles, such as parse_rack('R5 K7 J'), not {describe(rack)}")

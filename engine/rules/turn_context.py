"""The context of a turn: what is to be known of it besides the tiles; and checks of what a turn is described with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.errors import ArgumentError, describe, expect
from tilekeeper.engine.tiles.table import TABLE_EXAMPLE, Table
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The rules of a turn, and whether its player had opened.

    All that looks at a turn takes it behind the tables and the rack: `judge(before, after, context)`,
    `best_play(table, rack, context)`.

    Raises:
        ArgumentError: if the rules are no rule set, or `opened` is neither true nor false.
    """

    rules: RuleSet
    """The edition in play."""
    opened: bool
    """Whether the player opened in an earlier turn; without meaning where the edition has no opening."""

    def __post_init__(self) -> None:
        expect("rules", self.rules, RuleSet, "rule_set('large-numbers')")
        expect("opened", self.opened, bool, "True")


def check_turn(context: TurnContext, **tables: Table) -> None:
    """Check the kinds of what describes a turn.

    Args:
        context: the context of the turn.
        tables: its tables by the names of the arguments.

    Raises:
        ArgumentError: if one of them is of another kind.
    """
    for name, table in tables.items():
        expect(name, table, Table, TABLE_EXAMPLE)
    expect("context", context, TurnContext, "TurnContext(rule_set('large-numbers'), opened=True)")


def tiles_of(rack: Iterable[Tile], name: str = "rack") -> tuple[Tile, ...]:
    """The tiles of a rack, however they were handed in; `name` is the argument's, for the message.

    Raises:
        ArgumentError: if it is anything else than tiles.
    """
    if isinstance(rack, Iterable) and not isinstance(rack, str):
        tiles = tuple(rack)
        if all(isinstance(tile, Tile) for tile in tiles):
            return tiles
    raise ArgumentError(f"{name} must be tiles, such as parse_rack('R5 K7 J'), not {describe(rack)}")

"""Wrong arguments: each function that users call names the expected value and the given one."""

import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tilekeeper import engine
from tilekeeper.engine import (
    ArgumentError,
    Game,
    GameStarted,
    Table,
    Tile,
    TurnContext,
    UnknownEdition,
    parse_rack,
    rule_set,
)

TABLE = Table("R3 R4 R5")
RULES = rule_set("large-numbers")
CONTEXT = TurnContext(RULES, opened=True)
POSITION = engine.Position(TABLE, parse_rack("R2 K1"), RULES, opened=True)
GAME = Game.start(GameStarted(("Ada", "Bo"), "large-numbers"))

CALLS: list[tuple[Callable[[], Any], str]] = [
    (lambda: engine.judge("R3 R4 R5", TABLE, CONTEXT), "before must be a Table, such as Table('R3"),
    (lambda: engine.judge(TABLE, None, CONTEXT), "after must be a Table, such as Table('R3"),
    (lambda: engine.judge(TABLE, TABLE, RULES), "context must be a TurnContext, such as TurnContext(rule_set('large"),
    (lambda: engine.explain(TABLE, [TABLE], CONTEXT), "after must be a Table"),
    (lambda: engine.explain(TABLE, TABLE, "large-numbers"), "context must be a TurnContext"),
    (lambda: TurnContext("travel", True), "rules must be a RuleSet, such as rule_set('large-numbers'), not the str"),
    (lambda: TurnContext(RULES, None), "opened must be a bool, such as True, not the NoneType None"),
    (lambda: engine.best_play("R3 R4 R5", (), CONTEXT), "table must be a Table"),
    (lambda: engine.best_play(TABLE, "R6", CONTEXT), "rack must be tiles, such as parse_rack('R5 K7 J'), not the str"),
    (
        lambda: engine.best_play(TABLE, ["R6"], CONTEXT),
        "rack must be tiles, such as parse_rack('R5 K7 J'), not the li",
    ),
    (lambda: engine.find_best_play(TABLE, None, CONTEXT), "rack must be tiles"),
    (lambda: engine.find_best_play(TABLE, (), RULES), "context must be a TurnContext"),
    (lambda: engine.can_play(TABLE, 7, CONTEXT), "rack must be tiles"),
    (lambda: engine.can_open(None, (), CONTEXT), "table must be a Table"),
    (lambda: engine.can_open(TABLE, "R3", TurnContext(RULES, False)), "rack must be tiles"),
    (lambda: engine.nearest_fix("R3", CONTEXT), "table must be a Table"),
    (lambda: engine.nearest_fix(TABLE, RULES), "context must be a TurnContext"),
    (lambda: engine.arrange("R3 R4", RULES), "tiles must be tiles, such as parse_rack"),
    (lambda: engine.arrange(TABLE, CONTEXT), "rules must be a RuleSet"),
    (lambda: engine.is_valid("R3 R4 R5", RULES), "meld must be a tuple, such as parse_meld('R3 R4 R5'), not the str"),
    (lambda: engine.is_valid({Tile("R3")}, RULES), "meld must be a tuple"),
    (lambda: engine.readings(("R3", "R4"), RULES), "a tile of a meld must be a Tile, such as Tile('R5'), not the str"),
    (lambda: engine.best_reading(parse_rack("R3 R4 R5"), CONTEXT), "rules must be a RuleSet"),
    (lambda: engine.is_valid(parse_rack("R3 R4 R5"), {}), "rules must be a RuleSet"),
    (lambda: engine.with_house_rules("travel", ()), "rules must be a RuleSet"),
    (
        lambda: engine.with_house_rules(RULES, "turn.drawn=2"),
        "house must be texts, such as ['opening",
    ),
    (
        lambda: Game.start(("Ada", "Bo")),
        "event must be a GameStarted, such as GameStarted(('Ada', 'Bo')",
    ),
    (lambda: Game.start(GameStarted("Ada", "travel")), "GameStarted.players must be a tuple of texts, such as"),
    (lambda: Game.start(GameStarted(("Ada", "Bo"), "travel", "turn.drawn=2")), "GameStarted.house must be a tuple"),
    (
        lambda: GAME.record(engine.Dealt),
        "an event must be one such as TilesLaid(Table('R3 R4 R5 | K7 B7 O7')), not the",
    ),
    (
        lambda: GAME.record(engine.StarterChosen("Ada")),
        "StarterChosen.player must be a whole number, not the str 'Ada'",
    ),
    (lambda: GAME.record(engine.StarterChosen(True)), "StarterChosen.player must be a whole number, not the bool"),
    (lambda: GAME.record(engine.Dealt((14, "x"))), "Dealt.counts must be a tuple of whole numbers, such as (14, 14)"),
    (
        lambda: GAME.record(engine.LotsDrawn("R5")),
        "LotsDrawn.tiles must be a tuple of tiles, such as parse_rack('R5 K7",
    ),
    (lambda: GAME.record(engine.TilesLaid("R3 R4 R5")), "TilesLaid.after must be a table, such as Table('R3"),
    (lambda: GAME.record(engine.TilesLaid(TABLE, "x")), "TilesLaid.seconds must be a number or None, not the str 'x'"),
    (lambda: GAME.record(engine.TurnFailed(TABLE, 1)), "TurnFailed.time_up must be True or False, not the int 1"),
    (lambda: GAME.record(engine.TilePointed("R5")), "TilePointed.tile must be a tile, such as Tile('R5'), not the str"),
    (lambda: GAME.undo("x"), "Undone.events must be a whole number, not the str 'x'"),
    (lambda: GAME.correct(0, "x"), "Corrected.instead must be an event that can stand for another"),
    (lambda: GAME.correct(0, engine.Undone()), "Corrected.instead must be an event that can stand for another"),
    (lambda: GAME.correct(0, GameStarted("Ada", "travel")), "GameStarted.players must be a tuple of texts"),
    (lambda: Game.read("game.jsonl"), "data must be a bytes, such as Path('game.jsonl').read_bytes(), not the"),
    (lambda: Game.parse(b""), "text must be a str, such as Path('game.jsonl').read_text(), not the bytes"),
    (
        lambda: engine.best_play(TABLE, (), CONTEXT, "tiles"),
        "aim must be an Aim, such as Aim.TILES, not the str 'tiles'",
    ),
    (lambda: engine.worth(parse_rack("R3 R4 R5"), None, RULES), "reading must be a Reading, such as best_reading(meld"),
    (
        lambda: engine.arrangements(TABLE, RULES, seconds="two"),
        "seconds must be a number from 0 up, such as 2.0, not the str 'two'",
    ),
    (
        lambda: engine.arrangements(TABLE, RULES, seconds=math.nan),
        "seconds must be a number from 0 up, such as 2.0, not the",
    ),
    (
        lambda: engine.arrange(TABLE, RULES, seconds=-1),
        "seconds must be a number from 0 up, such as 2.0, not the int -1",
    ),
    (
        lambda: engine.nearest_fix(Table("R3 R4 K5"), CONTEXT, None),
        "seconds must be a number from 0 up, such as 2.0, not the None",
    ),
    (lambda: engine.with_house_rules(RULES, [5]), "house must be texts, such as ['opening.minimum_points=50'], not"),
    (lambda: engine.with_house_rules(RULES, 5), "house must be texts, such as ['opening.minimum_points=50'], not the"),
    (lambda: engine.point_at(5, 1), "text must be a str, such as 'R3 Q4', not the int 5"),
    (lambda: engine.point_at("R3", "1"), "position must be an int, such as 3, not the str '1'"),
    (lambda: engine.point_at("R3", 3), "position must be a place in the text, from 0 to 2, not 3"),
    (lambda: TABLE.tile_at((0, 0)), "place must be a Place, such as Place(meld=0, position=2), not the tuple (0, 0)"),
    (lambda: TABLE.tile_at(engine.Place(-1, 0)), "place must be one of the table's 3 places, not Place(meld=-1, pos"),
    (lambda: TABLE.tile_at(engine.Place(0, 3)), "place must be one of the table's 3 places, not Place(meld=0, positi"),
    (lambda: engine.Turn("R5", TABLE), "laid must be tiles, such as parse_rack('R5 K7 J'), not the str"),
    (lambda: engine.Turn((), "R5"), "table must be a Table, such as Table('R3"),
    (lambda: engine.Position(TABLE, "R5", RULES, True), "rack must be tiles, such as parse_rack"),
    (lambda: engine.Position("R5", (), RULES, True), "table must be a Table, such as Table('R3"),
    (lambda: engine.Position(TABLE, (), "travel", True), "rules must be a RuleSet, such as rule_set("),
    (lambda: POSITION.judge(TABLE), "turn must be a Turn, such as Turn(parse_rack('R6'), Table('R3"),
    (lambda: POSITION.push(engine.Turn([Tile("R6")], TABLE)), "the rack does not hold R6"),
    (
        lambda: POSITION.judge(engine.Turn([Tile("R2")], Table("R1 R2 R3 R4 R5"))),
        "the table after the turn has new tiles that were not laid: R1",
    ),
    (
        lambda: POSITION.push(engine.Turn([Tile("R2")], Table("R3 R4 R5 | R2"))),
        "the turn is not legal: Red 2: only 1 tile, but a set needs at least 3.",
    ),
    (lambda: engine.Place("a", 0), "a place is made of two whole numbers, such as Place(meld=0, position=2), not of"),
    (lambda: Tile.from_label(5), "label must be a str, such as 'red-7', not the int 5"),
    (lambda: Tile.from_label("pink-5"), "no tile is labelled 'pink-5'; labels look like 'red-7' or 'joker'"),
]


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_wrong_argument_is_named_in_the_message(call: Callable[[], Any], message: str) -> None:
    """The message shows how to make a right one."""
    with pytest.raises(ArgumentError, match=re.escape(message)):
        call()


def test_name_of_no_edition_is_refused_whatever_its_type() -> None:
    for name in (None, [], "chess"):
        with pytest.raises(UnknownEdition, match=f"choose {', '.join(engine.RULE_SETS)}$"):
            rule_set(name)  # type: ignore[arg-type]


def test_rack_can_be_any_collection_of_tiles() -> None:
    """A tuple, a list, a generator and a count of tiles are the same rack."""
    rack = parse_rack("R6 R7 K1")
    racks = [rack, list(rack), iter(rack), Counter(rack).elements()]
    assert {engine.best_play(TABLE, each, CONTEXT) for each in racks} == {engine.best_play(TABLE, rack, CONTEXT)}


def test_long_value_is_shortened_in_the_message() -> None:
    """The message stays short."""
    with pytest.raises(ArgumentError) as caught:
        engine.judge("R3 " * 1000, TABLE, CONTEXT)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 200

"""Positions and turns as values: the rack after a turn, the best turn, and the generator of legal turns."""

import random
from collections import Counter

import pytest

from tests.support.oracle_arrangements import Oracle, in_order, parts
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.meld import is_group
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver import position as position_module
from tilekeeper.engine.solver.best_play import Aim, best_play
from tilekeeper.engine.solver.position import Position, Turn
from tilekeeper.engine.solver.tile_moves import in_any_order
from tilekeeper.engine.tiles.notation import parse_rack, parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER

SMALL = ("stock.numbers=5", "stock.copies=1")
TABLES = ["R1 R2 R3", "R1 J R3 | {blue}2 {blue}3 {blue}4", "R1 R2 R3 R4 | {blue}3 J {blue}5"]


def position(table: str, rack: str, edition: str = "large-numbers", opened: bool = True) -> Position:
    return Position(parse_table(table), parse_rack(rack), rule_set(edition), opened)


def test_turn_takes_its_tiles_from_the_rack_and_may_open() -> None:
    """The next position has the table after the turn, the rest of the rack, and the player has opened."""
    before = position("R1 R2 R3", "K10 B10 J R4", opened=False)
    after = before.push(Turn(parse_rack("J B10 K10"), parse_table("R1 R2 R3 | K10 B10 J")))
    assert after == position("R1 R2 R3 | K10 B10 J", "R4")
    assert after.push(Turn([parse_rack("R4")[0]], parse_table("R1 R2 R3 R4 | K10 B10 J"))).rack == ()  # type: ignore[arg-type]


def test_replaced_joker_comes_back_to_the_rack_in_junior() -> None:
    """Nobody needs to subtract tables."""
    before = position("R3 R4 J", "R5 K1", "junior")
    turn = Turn(parse_rack("R5"), parse_table("R3 R4 R5"))
    assert before.judge(turn).legal
    assert before.push(turn).rack == parse_rack("K1 J")


def test_turn_that_the_judge_can_not_decide_is_pushed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The players decide about it, and whoever opens with it has opened."""

    def undecided(*turn: object) -> Verdict:
        verdict = judge(*turn)  # type: ignore[arg-type]
        return Verdict(**{name: getattr(verdict, name) for name in Verdict.__slots__} | {"proved": False})

    monkeypatch.setattr(position_module, "judge", undecided)
    after = position("", "R10 R11 R12", opened=False).push(Turn(parse_rack("R10 R11 R12"), parse_table("R10 R11 R12")))
    assert after.opened


def test_turn_without_tiles_opens_nothing() -> None:
    """A house rule allows it."""
    rules = with_house_rules(rule_set("large-numbers"), ["turn.least_tiles=0"])
    before = Position(parse_table("R1 R2 R3"), parse_rack("K1"), rules, opened=False)
    turn = Turn((), before.table)
    assert (before.judge(turn).legal, before.judge(turn).opens) == (True, False)
    assert before.push(turn) == before


def test_best_turn_is_the_best_play() -> None:
    """None if nothing can be laid; with another aim, another turn."""
    before = position("R3 R4 R5", "R2 R6 B11 K11")
    play = best_play(before.table, before.rack, before.context)
    assert play is not None
    assert before.best_turn() == Turn(play.laid, play.after)
    assert position("R3 R4 R5", "K13").best_turn() is None
    several = position("R7 R8 R9 | R7 R8 R9", "R6 R10")
    turn = several.best_turn(Aim.POINTS)
    assert turn is not None
    assert turn.laid == parse_rack("R6 R10")


def test_equal_turns_and_positions_have_equal_hashes() -> None:
    """The order of laid tiles and of the rack is free."""
    turns = {Turn(parse_rack("R6 K1"), parse_table("R6 | K1")), Turn(parse_rack("K1 R6"), parse_table("K1 | R6"))}
    assert len(turns) == len({position("R3", "R6 K1"), position("R3", "K1 R6")}) == 1


def in_one_order(table: Table, rules: RuleSet) -> Table:
    """Return a table with the tiles of every row that can only be a group in one order."""
    return Table([tuple(sorted(meld)) if in_any_order(meld) and is_group(meld, rules) else meld for meld in table])


def every_turn(before: Position) -> set[Table]:
    """Return the table after every legal turn, found by trying everything."""
    oracle, jokers, found = Oracle(before.rules), before.table.counts[JOKER], set[Table]()
    for laid in parts(Counter(before.rack)):
        for taken in range(jokers + 1):
            for melds in oracle.arrangements(in_order(before.table.counts + laid - Counter({JOKER: taken}))):
                if judge(before.table, Table(melds), before.context).legal:
                    found.add(in_one_order(Table(melds), before.rules))
    return found


@pytest.mark.parametrize("name", RULE_SETS)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("opened", [True, False])
def test_turns_are_those_that_an_oracle_finds_by_trying_everything(name: str, table: str, opened: bool) -> None:
    """In every edition, with jokers, each legal turn comes once."""
    rules = with_house_rules(
        rule_set(name),
        (*SMALL, "setup.dealt=4", "setup.stack_size=none", "opening.minimum_points=10") if name != "junior" else SMALL,
    )
    lying = parse_table(table.format(blue="B"))
    rest = sorted((Counter(rules.stock.tiles) - lying.counts).elements())
    before = Position(lying, tuple(random.Random(name + table).sample(rest, 4)), rules, opened)
    turns = list(before.turns())
    tables = [in_one_order(turn.table, rules) for turn in turns]
    assert all(before.judge(turn).legal for turn in turns)
    assert len(tables) == len(set(tables))
    assert set(tables) == every_turn(before)


def test_broken_meld_is_mended_or_stays_as_it_is() -> None:
    """Nobody is blamed for it."""
    tables = {turn.table for turn in position("R1 R2 | R5 R6 R7", "R3 R8").turns()}
    assert tables == {
        *map(parse_table, ("R1 R2 R3 | R5 R6 R7", "R1 R2 R3 | R5 R6 R7 R8", "R1 R2 | R5 R6 R7 R8")),
    }


def test_misread_table_has_no_legal_turn() -> None:
    """The judge always reports a tile that the box does not hold."""
    assert list(position("Y1 Y2 Y3 | R5 R6 R7", "R8").turns()) == []

"""The possible sets of jokers at the end of a turn of the card edition, as blocks of plans."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.meld import readings
from tilekeeper.engine.solver.joker_sets import plans_around_jokers
from tilekeeper.engine.solver.plans import Plan
from tilekeeper.engine.sweep.task import Block, Task
from tilekeeper.engine.tiles.notation import parse_rack, parse_table
from tilekeeper.engine.tiles.tile import JOKER, Tile

CARDS = rule_set("cards")


def plan(table: str, rack: str, stays: str = "") -> Plan:
    """Return a plan without tied melds; jokers of the table stay in their melds as some tiles, or are free."""
    melds = parse_table(table).melds
    places = [Tile(each) for each in stays.split()]
    staying = tuple(zip(places, [meld for meld in melds for tile in meld if tile is JOKER], strict=False))
    must = Counter(tile for meld in melds for tile in meld) + Counter(places) - Counter({JOKER: len(places)})
    return Plan(Task(must, Counter(parse_rack(rack))), (), staying)


def blocks(problem: Plan, replacing: str = "") -> list[set[str]]:
    """Return for each joker with listed sets the blocks of the plans."""
    found = plans_around_jokers(problem, Counter(parse_rack(replacing)), CARDS)
    return [{" | ".join(" ".join(map(str, b.row)) for b in each.task.blocks) for each in plans} for plans in found]


def test_joker_stays_in_a_run_at_its_place() -> None:
    """Two tiles beside it come from the table or the rack."""
    assert blocks(plan("R4 R5 J | R7 R8 R9", "R3", "R6")) == [{"R4 R5 J", "R5 J R7", "J R7 R8"}]
    assert blocks(plan("R4 R5 J", "R7 K1", "R6")) == [{"R4 R5 J", "R5 J R7"}]


def test_joker_stays_in_a_group_of_its_number() -> None:
    """With any two other tiles of the number."""
    problem = plan("R4 B4 J", "Y4 Y5", "K4")
    assert blocks(problem) == [{"J B4 Y4", "J B4 R4", "J Y4 R4"}]


def test_replaced_joker_is_laid_with_two_tiles_of_the_rack() -> None:
    """In a group, or in a run with tiles of the table between them."""
    problem = plan("R4 R5 J R7 | K8 K9 K10", "K6 K7 K11 B7")
    (found,) = blocks(problem)
    assert found == {
        *("K7 B7 J", "J K6 K7", "K6 K7 J", "K6 K7 K8 J", "K6 K7 K8 K9 J", "K6 K7 K8 K9 K10 J"),
        *("K6 J K8 K9 K10 K11", "J K7 K8 K9 K10 K11", "K7 J K9 K10 K11", "K7 K8 J K10 K11", "K7 K8 K9 J K11"),
        "K7 K8 K9 K10 K11 J",
    }


def test_replacing_tile_may_be_one_of_the_two() -> None:
    """It is on the table already, and is not laid again."""
    problem = plan("R4 R5 R6 R7 | J", "R8 B6")
    (plans,) = plans_around_jokers(problem, Counter([Tile("R6")]), CARDS)
    of_rack = {str(each.task.blocks[0].row[0]): problem.task.may - each.task.may for each in plans}
    assert of_rack["B6"] == Counter([Tile("B6")])


def test_two_jokers_of_one_run_share_a_set_or_part() -> None:
    """The set of one joker continues up to the other, or the other is in a set of its own."""
    problem = plan("J K6 K7 J", "", "K5 K8")
    first, second = plans_around_jokers(problem, Counter(), CARDS)
    (one,) = first
    assert [" ".join(map(str, block.row)) for block in one.task.blocks] == ["J K6 K7"]
    assert blocks(one) == [{"J K6 K7 J"}]
    (other,) = second
    assert blocks(other) == [{"J K6 K7 J"}]


def test_two_replaced_jokers_share_a_set_or_have_their_own() -> None:
    """One is between two tiles of the rack with the other, or each has its own set."""
    problem = plan("J | J", "K4 K7 B4")
    (plans,) = plans_around_jokers(problem, Counter(), CARDS)
    each = {" ".join(map(str, one.task.blocks[0].row)): one for one in plans}
    assert each.keys() == {"K4 J J K7", "K4 B4 J"}
    assert blocks(each["K4 B4 J"]) == [{"K4 B4 J J"}]
    assert blocks(each["K4 J J K7"]) == []


def test_incomplete_lists_are_left_out() -> None:
    """A joker of the rack may go anywhere; a tile for which one stands may join the set of another."""
    assert blocks(plan("R4 R5 J", "J R7", "R6")) == []
    problem = plan("R4 R5 J | J R8 R9", "", "R6 R7")
    within = [one for plans in plans_around_jokers(problem, Counter(), CARDS) for one in plans]
    rows = {" ".join(map(str, one.task.blocks[0].row)): one for one in within}
    assert "R5 J R7" in rows
    assert blocks(rows["R5 J R7"]) == []
    assert blocks(rows["R4 R5 J"]) == [{"R4 R5 J J", "R4 R5 J | J R8 R9"}]


def test_jokers_that_can_not_share_a_set_have_their_own() -> None:
    """A full group takes no other joker, and a run takes none of another colour; the replacing tile may be used up."""
    (first, _) = plans_around_jokers(plan("R4 R5 J | K8 K9 J", "", "R6 K10"), Counter(), CARDS)
    assert [blocks(one) for one in first] == [[{"R4 R5 J | K8 K9 J"}]]
    full = plan("K4 B4 Y4", "R6 R7")
    block = Block(parse_rack("K4 B4 Y4 J"), readings(parse_rack("K4 B4 Y4 J"), CARDS)[0])
    full = replace(full, task=replace(full.task, must=Counter([JOKER]), blocks=(block,)))
    assert blocks(full) == [{"K4 B4 Y4 J | J R6 R7", "K4 B4 Y4 J | R6 R7 J"}]


def test_sets_are_listed_where_a_replaced_joker_needs_a_new_set() -> None:
    """With as many tiles of the rack as the rules ask for; in other editions it may join any set."""
    house = with_house_rules(CARDS, ["joker.rack_tiles=1"])
    (plans,) = plans_around_jokers(plan("J | R5 R6 R7", "R4"), Counter(), house)
    assert {" ".join(map(str, each.task.blocks[0].row)) for each in plans} == {
        *("J R4 R5", "R4 J R6", "R4 R5 J", "R4 R5 R6 J", "R4 R5 R6 R7 J"),
    }
    house = with_house_rules(CARDS, ["joker.freed=any-meld"])
    assert list(plans_around_jokers(plan("J", "K4 K7 B4"), Counter(), house)) == []


def test_set_extends_to_another_joker_if_there_are_tiles() -> None:
    """As far as table and rack have the tiles between."""
    (plans,) = plans_around_jokers(plan("J | J", "K4 K5 K8"), Counter(), CARDS)
    each = {" ".join(map(str, one.task.blocks[0].row)): one for one in plans}
    assert blocks(each["J K4 K5"]) == [{"J J K4 K5", "J K4 K5 J"}]
    assert blocks(each["K4 K5 J"]) == [{"J K4 K5 J", "K4 K5 J J"}]

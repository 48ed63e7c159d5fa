"""The sets in which jokers can lie at the end of a turn of the card edition, as blocks of plans."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.meld import readings
from tilekeeper.engine.solver.joker_sets import plans_around_jokers
from tilekeeper.engine.solver.plan import Plan
from tilekeeper.engine.sweep.task import Block, Task
from tilekeeper.engine.tiles.notation import parse_rack, parse_table
from tilekeeper.engine.tiles.tile import JOKER, Tile

CARDS = rule_set("cards")


def plan(table: str, rack: str, stays: str = "") -> Plan:
    """A plan in which nothing is tied; the jokers of the table stay in their melds as some tiles, or came free."""
    melds = parse_table(table).melds
    places = [Tile(each) for each in stays.split()]
    staying = tuple(zip(places, [meld for meld in melds for tile in meld if tile is JOKER], strict=False))
    must = Counter(tile for meld in melds for tile in meld) + Counter(places) - Counter({JOKER: len(places)})
    return Plan(Task(must, Counter(parse_rack(rack))), (), melds, staying)


def blocks(problem: Plan, replacing: str = "") -> list[set[str]]:
    """For each joker whose sets are listed, the blocks in the plans."""
    found = plans_around_jokers(problem, Counter(parse_rack(replacing)), CARDS)
    return [{" | ".join(" ".join(map(str, b.row)) for b in each.task.blocks) for each in plans} for plans in found]


def test_a_joker_stays_in_a_run_at_its_place() -> None:
    """With two beside it, from the table or the rack."""
    assert blocks(plan("R4 R5 J | R7 R8 R9", "R3", "R6")) == [{"R4 R5 J", "R5 J R7", "J R7 R8"}]
    assert blocks(plan("R4 R5 J", "R7 K1", "R6")) == [{"R4 R5 J", "R5 J R7"}]


def test_a_joker_stays_in_a_group_of_its_number() -> None:
    """With any two others of the number."""
    problem = plan("R4 B4 J", "Y4 Y5", "K4")
    assert blocks(problem) == [{"B4 Y4 J", "B4 R4 J", "Y4 R4 J"}]


def test_a_replaced_joker_lies_with_two_of_the_rack() -> None:
    """In a group, or in a run in which tiles of the table may lie between them."""
    problem = plan("R4 R5 J R7 | K8 K9 K10", "K6 K7 K11 B7")
    (found,) = blocks(problem)
    assert found == {
        *("K7 B7 J", "J K6 K7", "K6 K7 J", "K6 K7 K8 J", "K6 K7 K8 K9 J", "K6 K7 K8 K9 K10 J"),
        *("K6 J K8 K9 K10 K11", "J K7 K8 K9 K10 K11", "K7 J K9 K10 K11", "K7 K8 J K10 K11", "K7 K8 K9 J K11"),
        "K7 K8 K9 K10 K11 J",
    }


def test_what_replaced_a_joker_may_be_one_of_the_two() -> None:
    """It lies on the table already, and is not laid once more."""
    problem = plan("R4 R5 R6 R7 | J", "R8 B6")
    (plans,) = plans_around_jokers(problem, Counter([Tile("R6")]), CARDS)
    of_rack = {str(each.task.blocks[0].row[0]): problem.task.may - each.task.may for each in plans}
    assert of_rack["B6"] == Counter([Tile("B6")])


def test_jokers_of_one_run() -> None:
    """The set of one is continued up to the other, or the other lies in a set of its own."""
    problem = plan("J K6 K7 J", "", "K5 K8")
    first, second = plans_around_jokers(problem, Counter(), CARDS)
    (one,) = first
    assert [" ".join(map(str, block.row)) for block in one.task.blocks] == ["J K6 K7"]
    assert blocks(one) == [{"J K6 K7 J"}]
    (other,) = second
    assert blocks(other) == [{"J K6 K7 J"}]


def test_two_replaced_jokers() -> None:
    """One lies between two of the rack with the other, or both have sets of their own."""
    problem = plan("J | J", "K4 K7 B4")
    (plans,) = plans_around_jokers(problem, Counter(), CARDS)
    each = {" ".join(map(str, one.task.blocks[0].row)): one for one in plans}
    assert each.keys() == {"K4 J J K7", "K4 B4 J"}
    assert blocks(each["K4 B4 J"]) == [{"K4 B4 J J"}]
    assert blocks(each["K4 J J K7"]) == []


def test_nothing_is_listed_where_it_would_not_be_everything() -> None:
    """A joker of the rack may lie anywhere; a tile for which one stands may lie in the set of another one."""
    assert blocks(plan("R4 R5 J", "J R7", "R6")) == []
    problem = plan("R4 R5 J | J R8 R9", "", "R6 R7")
    within = [one for plans in plans_around_jokers(problem, Counter(), CARDS) for one in plans]
    rows = {" ".join(map(str, one.task.blocks[0].row)): one for one in within}
    assert "R5 J R7" in rows
    assert blocks(rows["R5 J R7"]) == []
    assert blocks(rows["R4 R5 J"]) == [{"R4 R5 J J", "R4 R5 J | J R8 R9"}]


def test_where_two_jokers_have_nothing_in_common() -> None:
    """A full group takes no other joker, a run none of another colour; the tile for which one stands may be used up."""
    (first, _) = plans_around_jokers(plan("R4 R5 J | K8 K9 J", "", "R6 K10"), Counter(), CARDS)
    assert [blocks(one) for one in first] == [[{"R4 R5 J | K8 K9 J"}]]
    full = plan("K4 B4 Y4", "R6 R7")
    block = Block(parse_rack("K4 B4 Y4 J"), readings(parse_rack("K4 B4 Y4 J"), CARDS)[0])
    full = replace(full, task=replace(full.task, must=Counter([JOKER]), blocks=(block,)))
    assert blocks(full) == [{"K4 B4 Y4 J | J R6 R7", "K4 B4 Y4 J | R6 R7 J"}]


def test_other_ways_to_lay_a_replaced_joker_are_not_listed() -> None:
    """Sets are listed for the card edition's rule alone."""
    house = with_house_rules(CARDS, ["joker.rack_tiles=1"])
    assert list(plans_around_jokers(plan("J", "K4 K7 B4"), Counter(), house)) == []


def test_a_set_goes_on_up_to_another_joker_where_there_are_tiles() -> None:
    """As far as table and rack have those between."""
    (plans,) = plans_around_jokers(plan("J | J", "K4 K5 K8"), Counter(), CARDS)
    each = {" ".join(map(str, one.task.blocks[0].row)): one for one in plans}
    assert blocks(each["J K4 K5"]) == [{"J J K4 K5", "J K4 K5 J"}]
    assert blocks(each["K4 K5 J"]) == [{"J K4 K5 J", "K4 K5 J J"}]

"""What can have become of jokers: which fates can be hoped for, and that no lot is left out that breaks nothing."""

import random

import pytest

from tests.engine.judge.test_judge_oracle import RULES
from tests.support.small_turns import mirrored, small_turn
from tilekeeper.engine.provenance.board import Board
from tilekeeper.engine.provenance.budget import OutOfSteps, Steps
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.provenance.joker_fates import Destiny, Fate, Lot, _is_hopeful, all_lots, hopeful_lots
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.tiles.notation import parse_table


def board(before: str, after: str, edition: str, *house: str) -> Board:
    rules = with_house_rules(rule_set(edition), house)
    return Board(find_changes(parse_table(before), parse_table(after), rules), rules)


def told(lot: Lot) -> str:
    """What became of each joker, in the order in which they lay: `replaced R5 to 1`, `stayed 0`, `moved gone`."""
    return ", ".join(
        f"{one.fate.name.lower()}{'' if one.replaced_by is None else f' {one.replaced_by}'} "
        f"{'gone' if one.meld is None else one.meld}"
        for one in sorted(lot.destinies, key=lambda one: one.origin)
    )


@pytest.mark.parametrize(
    ("edition", "before", "after", "lots"),
    [
        # A freed joker in a set from the rack alone.
        ("finnish", "R4 J R6", "R4 R5 R6 | J K8 K9", ["replaced R5 1"]),
        ("finnish", "R4 J R6 | K8 B8 O8 R8", "R4 R5 R6 | J K8 K9 | B8 O8 R8", []),
        ("finnish", "R4 J R6", "R4 R5 R6 | J K8", []),
        # With two tiles of the rack at least; a joker of the rack is one.
        ("cards", "R4 J R6", "R4 R5 R6 | J K8 K9", ["replaced R5 1"]),
        ("cards", "R4 J R6", "R4 R5 R6 | J K8 K9 K10", ["replaced R5 1"]),
        ("cards", "R4 J R6 | K8 B8 O8 R8", "R4 R5 R6 | J K8 K9 | B8 O8 R8", []),
        ("cards", "R4 J R6", "R4 R5 R6 | J J K8", ["replaced R5 1", "replaced R5 1"]),
        ("cards", "R4 J R6 | K8 B8 Y8 R8", "R4 R5 R6 | J J K8 | B8 Y8 R8", []),
        (
            "cards joker.rack_tiles=0",
            "R4 J R6 | K8 B8 Y8 R8 | K9 K10 K11 K12",
            "R4 R5 R6 | J K8 K9 | B8 Y8 R8 | K10 K11 K12",
            ["replaced R5 1"],
        ),
        # Where it stays, all of a locked set stays with it.
        ("finnish", "R4 J R6 R7", "R4 J R6 R7 R8", ["stayed 0"]),
        ("finnish", "R4 J R6 R7", "R4 J R6 | R7 R8 R9", []),
        ("cards", "R4 J R6 R7", "R4 J R6 | R7 R8 R9", ["stayed 0"]),
        ("cards manipulation.regrouping=extend-only", "R4 J R6 R7", "R4 J R6 | R7 R8 R9", []),
        ("cards manipulation.regrouping=extend-only", "R4 J R6 R7", "R4 J R6 R7 R8", ["stayed 0"]),
        ("junior", "R1 R2 R3 J R5 R6", "R1 R2 R3 J | R5 R6 R7", ["moved 0", "stayed 0"]),
        # Where it is moved, enough of an old set lies with it to be a set, its jokers counted in.
        ("junior", "R1 R2 R3 J | K1 K2 K3", "R1 R2 R3 | K1 K2 K3 J", ["moved 1"]),
        (
            "junior",
            "R1 R2 R3 J | K1 J K3",
            "R1 R2 R3 | K1 J K3 J",
            ["moved 1, moved 1", "moved 1, moved 1", "moved 1, stayed 1"],
        ),
        ("junior", "R1 R2 R3 J", "R1 R2 R3 | J K5 K6", []),
        # Where it is gone, it was replaced and may go to the rack, or anything may.
        ("junior", "R4 J R6", "R4 R5 R6", ["replaced R5 gone"]),
        ("junior", "R4 J R6 R7", "R6 R7 R8", []),
        ("junior manipulation.take_back=yes", "R4 R5 R6 J", "R4 R5 R6", []),
        ("finnish", "R4 J R6", "R4 R5 R6", []),
        ("finnish manipulation.take_back=yes", "R4 J R6", "R4 R5 R6", ["replaced R5 gone"]),
        # Where nothing says how it leaves: with its own, or in a set.
        ("large-numbers", "R4 J R6", "R4 R5 R6 | J K8 K9", ["free 1"]),
        ("large-numbers", "R4 J R6", "R4 J", ["free 0"]),
        ("large-numbers", "R4 J R6", "R4 R5 R6 | J K8", []),
        # What replaced it: of the rack so often as the rack gave it, or of a meld that changed.
        ("finnish", "R4 J R6", "R4 R5 R6 | R5 K5 B5 | J K8 K9", ["replaced R5 2"]),
        (
            "finnish",
            "R4 J R6 | R3 R4 J",
            "R4 R5 R6 | R3 R4 R5 | J K8 K9 | J B8 B9",
            ["replaced R5 2, replaced R5 3", "replaced R5 3, replaced R5 2"],
        ),
        ("finnish", "R4 J R6 | R3 R4 J | R5 B5 O5 K5", "R4 R5 R6 | R3 R4 R5 | B5 O5 K5 | J K8 K9 | J B8 B9", []),
        (
            "finnish joker.replaced_from=anywhere",
            "R4 J R6 | R5 R6 R7 R8",
            "R4 R5 R6 | R6 R7 R8 | J K8 K9",
            ["replaced R5 2"],
        ),
        ("finnish joker.replaced_from=anywhere", "R4 J R6 | R5 B5 O5", "R4 R6 | R5 B5 O5 | J K8 K9", []),
        ("finnish joker.replaced_from=anywhere", "R4 J R6 | R5 R6 R7 R8", "R4 R6 | R6 R7 R8 | J K8 K9", []),
    ],
)
def test_what_can_be_hoped_for(edition: str, before: str, after: str, lots: list[str]) -> None:
    """The fates that are not broken by themselves, whatever else was done."""
    name, *house = edition.split()
    found = [told(lot) for lot in hopeful_lots(board(before, after, name, *house), Steps())]
    assert sorted(found) == lots


@pytest.mark.parametrize("name", [name for name in RULES if name != "junior with two of each"])
def test_no_lot_is_left_out(name: str) -> None:
    """The hopeful lots are all those of which no part is hopeless, fewest replaced first, and none twice."""
    rules, rng, seen = RULES[name], random.Random(name), 0
    while seen < 25:
        before, after = small_turn(rng, rules)
        asked = Board(find_changes(before, mirrored(rng, after), rules), rules)
        if not asked.set_jokers or asked.was_misread:
            continue
        every = [lot for lot in all_lots(asked, lambda destiny: destiny.fate.value) if not lot.left]
        wanted = [lot for lot in every if all(_is_hopeful(one, asked) for one in lot.destinies)]
        found = list(hopeful_lots(asked, Steps()))
        assert len(found) == len(set(found))
        assert {in_order(lot) for lot in found} == {in_order(lot) for lot in wanted}, f"{before} -> {after}"
        if not asked.loose_jokers:
            assert [lot.replaced for lot in found] == sorted(lot.replaced for lot in found)
        seen += 1


def in_order(lot: Lot) -> tuple[tuple[Destiny, ...], tuple[int, ...]]:
    """A lot without the order in which its jokers were asked about."""
    return tuple(sorted(lot.destinies, key=lambda one: one.origin)), lot.rack_jokers


def test_loose_jokers_are_followed_last() -> None:
    """A joker that lay in no set may be the one that is gone, but only once nothing else explains what is."""
    lots = list(hopeful_lots(board("R4 J R6 | J K7", "R4 J R6 R7 | K7 K8 K9", "finnish"), Steps()))
    assert [told(lot) for lot in lots] == ["stayed 0"]
    lots = list(hopeful_lots(board("R4 J R6 | J K7", "R4 R5 R6 | J K7 K8", "junior"), Steps()))
    assert [told(lot) for lot in lots] == ["replaced R5 gone", "replaced R5 1"]


def test_a_joker_of_no_set_has_no_fate() -> None:
    """It is followed to where it lies, since it can be taken for another; what became of it is asked of nobody."""
    lots = list(all_lots(board("R4 J R6 | J K7", "R4 R5 R6 J | K7 J K9", "finnish"), lambda destiny: 0))
    assert {len(lot.destinies) for lot in lots} == {1}
    assert {lot.destinies[0].meld for lot in lots} == {0, 1}


def test_of_one_joker_the_least_wrong_comes_first() -> None:
    """All lots are listed, also those that break something, by what is thought to be wrong with them."""
    looked = board("R4 J R6", "R4 R5 R6 J", "cards")
    by_value = [told(lot) for lot in all_lots(looked, lambda destiny: destiny.fate.value)]
    assert by_value == ["replaced R5 0", "left 0"]
    assert [told(lot) for lot in all_lots(looked, lambda destiny: -destiny.fate.value)] == by_value[::-1]
    assert [lot.left for lot in all_lots(looked, lambda destiny: destiny.fate.value)] == [0, 1]
    assert list(all_lots(board("R4 R5 R6", "R4 R5 R6 J", "cards"), lambda destiny: 0)) == [Lot()]


def test_jokers_of_the_rack_are_told_by_their_melds() -> None:
    """Every choice of melds in which they can lie, each once."""
    lots = list(hopeful_lots(board("R4 J R6", "R4 R5 R6 J | J K8 K9", "cards"), Steps()))
    assert {(told(lot), lot.rack_jokers) for lot in lots} == {("replaced R5 1", (0,)), ("replaced R5 0", (1,))}
    lots = list(hopeful_lots(board("R4 R5 R6", "R4 R5 R6 J | J K8 K9", "cards"), Steps()))
    assert [lot.rack_jokers for lot in lots] == [(0, 1)]


def test_too_many_lots_are_not_looked_through() -> None:
    """Where the steps are at an end no more of them come."""
    looked = board("R4 J R6", "R4 R5 R6 | J K8 K9", "cards")
    with pytest.raises(OutOfSteps):
        list(hopeful_lots(looked, Steps(7)))
    assert Fate.REPLACED in {one.fate for lot in hopeful_lots(looked, Steps(100)) for one in lot.destinies}

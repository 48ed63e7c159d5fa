"""Possible sets of an opening: all sets of the rack are listed, except those that can not have been laid."""

import random
from collections import Counter

import pytest

from tests.engine.judge.test_judge_oracle import RULES
from tests.support.judge_oracle import count_identities, has_legal_identity, openings, same_set, value
from tests.support.small_turns import small_turn
from tilekeeper.engine.judge.opening_sets import likely_sets
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table

CARDS = rule_set("cards")


def test_long_run_gives_all_its_parts_as_sets() -> None:
    """Sets that are still together come first."""
    after = parse_table("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13")
    found = likely_sets(find_changes(Table(), after, CARDS), CARDS, Budget())
    assert len(found) == sum(range(1, 12))
    assert {one.apart for one in found} == {0}
    assert found[0].meld == after.melds[0]
    assert found[0].points == 91
    with pytest.raises(BudgetExceeded):
        likely_sets(find_changes(Table(), after, CARDS), CARDS, Budget(100))


def test_separated_sets_come_last() -> None:
    """Few of their tiles are together: all were used, or others came first and the rest was taken."""
    before, after = parse_table("K10 K11 K12"), parse_table("K10 R10 B10 | K11 R11 B11 | K12 R12 B12 | B13 B9 Y9 K9")
    found = likely_sets(find_changes(before, after, CARDS), CARDS, Budget())
    rows = {" ".join(map(str, one.meld)): one.apart for one in found}
    assert rows["R10 R11 R12"] == 2
    assert rows["B9 B10 B11 B12"] == 3
    assert rows["B9 B10 B11 B12 B13"] == 3
    assert list(rows.values()) == sorted(rows.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cards", "stays, any meld", "extend only, opening"])
def test_sets_of_each_possible_opening_are_listed(name: str) -> None:
    """An oracle tries all openings."""
    rules, rng, tried = RULES[name], random.Random(name), 0
    while tried < 25:
        before, after = small_turn(rng, rules, most_melds=2)
        if count_identities(before, after) > 60:
            continue
        changes = find_changes(before, after, rules)
        listed = {same_set(one.meld, rules) for one in likely_sets(changes, rules, Budget())}
        for sets in openings(changes.placed, rules):
            if has_legal_identity(Table((*before.melds, *sets)), after, rules, 100_000):
                assert {same_set(row, rules) for row in sets} <= listed, f"{before} -> {after}"
                tried += 1


@pytest.mark.parametrize("name", ["cards", "stays, any meld", "extend only, opening"])
def test_listed_sets_are_valid_and_have_the_right_points(name: str) -> None:
    """Each set once, from tiles of the rack, sorted by separated tiles."""
    rules, rng, count = RULES[name], random.Random(f"{name} worth"), 0
    while count < 15:
        changes = find_changes(*small_turn(rng, rules, most_melds=2), rules)
        found = likely_sets(changes, rules, Budget())
        for one in found:
            assert one.tiles == Counter(one.meld)
            assert one.fits(changes.placed)
            assert one.points == value(one.meld, rules)
            assert 0 <= one.apart < len(one.meld)
        assert len({one.meld for one in found}) == len(found)
        assert [one.apart for one in found] == sorted(one.apart for one in found)
        count += bool(found)


@pytest.mark.parametrize(
    ("edition", "before", "after", "apart"),
    [
        # All of it lies together, or all but one, two ...
        ("cards", "", "K10 K11 K12 | R10 B10 Y10", {"K10 K11 K12": 0, "B10 Y10 R10": 0}),
        ("cards", "K13 B13 Y13", "K10 K11 K12 K13 | B13 Y13 R13", {"K10 K11 K12": 0}),
        ("cards", "", "K13 B13 Y13 | R13 R12 R11", {"B13 Y13 K13": None, "K13 B13 Y13": 0, "R11 R12 R13": 0}),
        ("cards melds.wraps=yes", "", "R12 R13 R1 R2 | K12", {"R12 R13 R1 R2": 0, "R13 R1 R2": 0, "R1 R2": None}),
        # ... of which enough stays together, or none lies with another.
        ("cards", "R9 R8 R7", "K10 K11 K12 | R9 R8 R7 R10 | B10 Y10", {"K10 K11 K12": 0}),
        ("cards", "K1 B2 Y3", "R11 B1 | R12 B2 | R13 B3 | K1 Y3", {"R11 R12 R13": 2}),
        ("cards", "K1 B2 Y3", "R11 B1 | R12 B2 | R13 B3 | R11 Y3 | K1", {"R11 R12 R13": 2}),
        ("cards", "", "K1 B1 J | R13", {"K1 B1 J": 0}),
        # A joker lies with the others, or what replaced it does, of the rack.
        ("cards", "", "K10 J K12 | R1", {"K10 J K12": 0, "J K12": None}),
        ("cards", "", "K10 K11 K12 | R1 J R3", {"K10 J K12": 0, "J K11 K12": 0, "K11 K12 J": 1}),
        ("cards", "", "K10 K12 | J R3", {"K10 J K12": 1}),
        ("cards", "", "K10 J K13 | J R1 R2", {"K10 J J K13": 1}),
        # Where sets are taken apart as people like, a joker lies anywhere.
        ("large-numbers opening.table=free-once-open", "", "K10 K12 | J R3", {"K10 J K12": 0}),
        ("large-numbers opening.table=free-once-open", "", "K10 | K12 | J R3", {"K10 J K12": 1}),
        # Where melds are only added to, all of it lies together.
        (
            "cards manipulation.regrouping=extend-only",
            "",
            "K10 K11 K12 | K9 R10",
            {"K10 K11 K12": 0, "K9 K10 K11 K12": None},
        ),
        (
            "cards manipulation.regrouping=extend-only",
            "",
            "R10 B1 | R11 B2 | R12 B3 | R13 Y1",
            {"R10 R11 R12 R13": None},
        ),
    ],
)
def test_number_of_separated_tiles_of_a_set(
    edition: str, before: str, after: str, apart: dict[str, int | None]
) -> None:
    """None for a set that can not have become the table."""
    name, *house = edition.split()
    rules = with_house_rules(rule_set(name), house)
    changes = find_changes(parse_table(before), parse_table(after), rules)
    found = {" ".join(map(str, one.meld)): one.apart for one in likely_sets(changes, rules, Budget())}
    assert {row: found.get(row) for row in apart} == apart


def test_rack_below_the_required_points_gives_no_sets() -> None:
    """Exactly the required points give some."""
    for after, sets in (("K10 B10 Y10 | R9", 0), ("K10 B10 Y10 | R10", 5), ("K5 B5 J | Y4", 0), ("K5 B5 J | Y5", 5)):
        found = likely_sets(find_changes(Table(), parse_table(after), CARDS), CARDS, Budget())
        assert len(found) == sets, after
    # A joker that counts as the tile for which it stands is worth 13 at most.
    rules = with_house_rules(CARDS, ["opening.joker_points=none"])
    for after, sets in (("K13 B13 J", 0), ("K13 B13 J | R1", 1), ("K13 B13 J | R1 R2", 2)):
        found = likely_sets(find_changes(Table(), parse_table(after), rules), rules, Budget())
        assert len(found) == sets, after

"""Valid melds: an oracle that tries every tile for every joker agrees, and readings name the tiles of jokers."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.meld import Kind, best_reading, is_group, is_valid, readings, stand_ins, worth
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile

RULES = rule_set("large-numbers")
BOX = [Tile(ink, number) for ink in RULES.stock.inks for number in range(1, 14)]


def meld(text: str) -> Meld:
    (only,) = parse_table(text).melds
    return only


@st.composite
def near_melds(draw: st.DrawFn) -> Meld:
    """Runs and groups, some with one or two jokers, and some with one tile that breaks them."""
    length = draw(st.integers(1, 6))
    colour, number = draw(st.sampled_from(RULES.stock.inks)), draw(st.integers(1, 13))
    if draw(st.booleans()):
        step = draw(st.sampled_from((1, -1)))
        tiles = [Tile(colour, max(0, number + step * place)) for place in range(length)]
    else:
        tiles = [Tile(ink, number) for ink in draw(st.permutations(RULES.stock.inks))][:length]
    if draw(st.integers(0, 3)) == 0:
        stray = st.builds(Tile, st.sampled_from(Colour), st.integers(0, 15))
        tiles[draw(st.integers(0, len(tiles) - 1))] = draw(stray)
    for place in draw(st.lists(st.integers(0, len(tiles) - 1), max_size=2)):
        tiles[place] = JOKER
    return tuple(tiles)


def fill_jokers(tiles: Meld) -> Iterator[Meld]:
    """Yield the row with every choice of tiles in the places of its jokers."""
    return product(*(BOX if tile.is_joker else [tile] for tile in tiles))


def is_run_without_jokers(tiles: Meld) -> bool:
    numbers = [tile.number or 0 for tile in tiles]
    steps = {following - number for number, following in pairwise(numbers)}
    return len({tile.colour for tile in tiles}) == 1 and steps in ({1}, {-1})


def is_group_without_jokers(tiles: Meld) -> bool:
    return (
        len(tiles) <= 4
        and len({tile.number for tile in tiles}) == 1
        and len({tile.colour for tile in tiles}) == len(tiles)
    )


@given(near_melds())
def test_readings_agree_with_an_oracle_that_tries_every_tile_for_every_joker(tiles: Meld) -> None:
    """A row is valid if some choice of tiles for its jokers makes a meld, and the readings are those choices."""
    plain = [tile for tile in tiles if not tile.is_joker]
    possible = len(tiles) >= 3 and plain and all(tile in BOX for tile in plain)
    wanted = set()
    if possible:
        wanted |= {(Kind.RUN, choice) for choice in fill_jokers(tiles) if is_run_without_jokers(choice)}
        wanted |= {(Kind.GROUP, frozenset(choice)) for choice in fill_jokers(tiles) if is_group_without_jokers(choice)}
    found = readings(tiles, RULES)
    assert {
        (reading.kind, reading.tiles if reading.kind is Kind.RUN else frozenset(reading.tiles)) for reading in found
    } == wanted
    assert is_valid(tiles, RULES) == bool(wanted)
    assert is_group(tiles, RULES) == any(kind is Kind.GROUP for kind, _ in wanted)
    if found:
        values = [worth(tiles, reading, RULES) for reading in found]
        best = best_reading(tiles, RULES)
        assert best is not None
        assert worth(tiles, best, RULES) == max(values)


@given(near_melds())
def test_mirrored_row_is_valid_for_the_same_points(tiles: Meld) -> None:
    """Neither depends on the side from which a row is read."""
    mirrored = tiles[::-1]
    assert is_valid(tiles, RULES) == is_valid(mirrored, RULES)
    best, other = best_reading(tiles, RULES), best_reading(mirrored, RULES)
    if best is not None and other is not None:
        assert worth(tiles, best, RULES) == worth(mirrored, other, RULES)


@pytest.mark.parametrize(
    ("text", "stands_as", "points"),
    [
        ("R3 J R5", ["R3 R4 R5"], 12),
        ("J R3 R2", ["R4 R3 R2"], 9),
        ("K8 B8 J", ["K8 B8 O8", "K8 B8 R8"], 24),
        ("K8 B8 J J", ["K8 B8 O8 R8"], 32),
        ("J J R13", ["R11 R12 R13", "K13 B13 R13", "K13 O13 R13", "B13 O13 R13"], 39),
        ("J J R5", ["R3 R4 R5", "R7 R6 R5", "K5 B5 R5", "K5 O5 R5", "B5 O5 R5"], 18),
        ("R5 J J R8", ["R5 R6 R7 R8"], 26),
        ("R12 R13 J", [], None),
        ("R1 R2 J Y4", [], None),
        ("Y1 Y2 Y3", [], None),
        ("J J", [], None),
        ("J J J", [], None),
        ("R3 R4", [], None),
    ],
)
def test_jokers_of_a_row_stand_for_all_possible_tiles(text: str, stands_as: list[str], points: int | None) -> None:
    """All readings, and the points of the best one."""
    tiles = meld(text)
    assert [" ".join(map(str, reading.tiles)) for reading in readings(tiles, RULES)] == stands_as
    best = best_reading(tiles, RULES)
    assert (worth(tiles, best, RULES) if best else None) == points


def test_joker_counts_the_fixed_points_of_the_opening() -> None:
    """If the edition has none, it counts the tile that it stands for."""
    rules = replace(RULES, opening=replace(RULES.opening, joker_points=25))
    tiles = meld("R3 J R5")
    best = best_reading(tiles, rules)
    assert best is not None
    assert worth(tiles, best, rules) == 33


@pytest.mark.parametrize(
    "text", ["R12 R13 J", "J R13 R12", "J R1 R2", "R2 R1 J", "R3 R2 R1 J", "J J R1 R2", "R13 J R1"]
)
def test_joker_past_an_end_makes_the_run_invalid(text: str) -> None:
    """From either side, and however many tiles are between the joker and the other end."""
    assert readings(meld(text), RULES) == ()


def test_joker_past_an_end_stands_for_the_other_end_by_house_rule() -> None:
    """The run keeps its length, and it does not wrap."""
    rules = with_house_rules(RULES, ["joker.past_end=other-end"])
    stands_as = {"R12 R13 J": "R12 R13 R11", "J R1 R2": "R3 R1 R2", "J J R1 R2": "R3 R4 R1 R2", "R2 R1 J": "R2 R1 R3"}
    for text, stands_for in stands_as.items():
        (reading,) = readings(meld(text), rules)
        assert " ".join(map(str, reading.tiles)) == stands_for
    assert readings(meld("R13 R1 J"), rules) == ()
    assert readings(meld("R12 R13 R14"), rules) == ()
    assert readings(meld("R0 R1 R2"), rules) == ()


@pytest.mark.parametrize(
    ("jokers", "runs", "groups"),
    [
        (2, 0, 0),
        (3, 4 * 11, 13 * 4),
        (4, 4 * 10, 13),
        (5, 4 * 9, 0),
        (12, 4 * 2, 0),
        (13, 4, 0),
        (14, 0, 0),
        (15, 0, 0),
    ],
)
def test_jokers_alone_are_a_meld_by_house_rule_only(jokers: int, runs: int, groups: int) -> None:
    """They then stand for every run and group of their length."""
    row = (JOKER,) * jokers
    found = readings(row, with_house_rules(RULES, ["joker.alone=yes"]))
    assert [sum(reading.kind is kind for reading in found) for kind in Kind] == [runs, groups]
    assert len({frozenset(reading.tiles) for reading in found}) == len(found)
    assert all(tile in BOX for reading in found for tile in reading.tiles)
    assert all(is_valid(reading.tiles, RULES) for reading in found)
    assert readings(row, RULES) == ()


@pytest.mark.parametrize(
    ("text", "house", "group"),
    [
        ("K7 B7 O7", "", True),
        ("K7 B7 O7 R7", "", True),
        ("K7 J O7 R7", "", True),
        ("K7 B7", "", False),
        ("R6 R7 R8", "", False),
        ("K7 B7 O8", "", False),
        ("K8 B7 O7", "", False),
        ("K7 B7 K7", "", False),
        ("J J J", "joker.alone=yes", False),
        ("K7 J J", "joker.most_in_set=1", False),
        ("K7 B7 J", "joker.most_in_set=1", True),
        ("K7 B7 O7", "melds.largest_group=none", False),
        ("K14 B14 O14", "", False),
        ("K7 B7 Y7", "", False),
    ],
)
def test_group_has_one_number_in_different_colours_of_the_edition(text: str, house: str, group: bool) -> None:
    """It is neither too short nor too long, and holds more than jokers."""
    assert is_group(meld(text), with_house_rules(RULES, house.split())) is group


@pytest.mark.parametrize(
    ("text", "position", "tiles"),
    [
        ("R4 J R6", 1, "R5"),
        ("R4 J J", 1, "R3 R5 K4 B4 O4"),
        ("R4 J J", 2, "R2 R6 K4 B4 O4"),
        ("K8 B8 J J", 2, "O8 R8"),
        ("K8 B8 J J", 3, "O8 R8"),
        ("K8 B9 J", 2, ""),
    ],
)
def test_stand_ins_of_a_joker_in_runs_groups_and_invalid_rows(text: str, position: int, tiles: str) -> None:
    """In a run the tile of its position, in a group any missing colour, in an invalid row nothing."""
    found = sorted(stand_ins(meld(text), position, RULES), key=lambda tile: tile.order)
    assert found == sorted((tile for row in parse_table(tiles).melds for tile in row), key=lambda tile: tile.order)

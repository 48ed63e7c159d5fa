"""Shows that an illegal table is mended with the fewest moves, and that this is said only where it is proved."""

from __future__ import annotations

import dataclasses
import importlib
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.oracle_arrangements import Oracle, in_order
from tests.support.small_boxes import box_of, short_rows
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.arrange import arrange, nearest_fix
from tilekeeper.engine.solver.explanation import TileMove
from tilekeeper.engine.solver.nearest_arrangement import NearSearch, TooFar
from tilekeeper.engine.solver.tile_moves import find_moves
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import Tile

LARGE = rule_set("large-numbers")


@pytest.mark.parametrize(
    ("text", "after", "moved"),
    [
        ("R3 R4 R5 | K7 B7 O7", "R3 R4 R5 | K7 B7 O7", []),
        ("R5 R3 R4 | K7 B7 O7", "R3 R4 R5 | K7 B7 O7", ["R5"]),
        ("R3 R4 | R5 B5 K5 O5", "R3 R4 R5 | B5 K5 O5", ["R5"]),
        ("R3 R4 R5 R7 | K6 B6 O6 R6", "R3 R4 R5 R6 R7 | K6 B6 O6", ["R6"]),
        ("R3 R4 R5 K5 | B5 O5", "R3 R4 R5 | K5 B5 O5", ["K5"]),
        ("R3 J R4 | R8 B8 K8", "J R3 R4 | R8 B8 K8", ["R3"]),
    ],
)
def test_nearest_fix(text: str, after: str, moved: list[str]) -> None:
    """A table is mended with the fewest moves, and that no fewer would do is proved."""
    table = parse_table(text)
    fix = nearest_fix(table, LARGE)
    assert fix.after == parse_table(after)
    assert fix.smallest
    assert sorted(str(move.tile) for move in fix.moves) == sorted(moved)
    for move in fix.moves:
        assert move.origin is not None
        assert move.goal is not None
        assert table.tile_at(move.origin) == move.tile == fix.after.tile_at(move.goal)


def messy_table(rng: random.Random, rules: RuleSet, most: int) -> Table:
    """A few tiles that lie anyhow, most of them in rows that are nearly right."""
    left = Counter(box_of(rules))
    melds: list[list[Tile]] = []
    for row in rng.sample(short_rows(rules), 12):
        if Counter(row) <= left and sum(map(len, melds)) + len(row) <= most:
            left -= Counter(row)
            melds.append(list(row))
    for _ in range(rng.randint(0, 4)):
        source = rng.choice(melds)
        tile = source.pop(rng.randrange(len(source)))
        melds = [meld for meld in melds if meld]
        target = rng.choice([*melds, []])
        target.insert(rng.randint(0, len(target)), tile)
        melds += [target] if len(target) == 1 and target not in melds else []
    return Table(tuple(tuple(meld) for meld in melds if meld))


def compare_nearest_with_oracle(seed: int, cases: int) -> None:
    rng = random.Random(seed)
    proved = 0
    for _ in range(cases):
        stock = dataclasses.replace(LARGE.stock, numbers=rng.choice([4, 5, 6]), jokers=rng.choice([0, 1, 2]))
        rules = dataclasses.replace(LARGE, stock=stock)
        table = messy_table(rng, rules, 8)
        everything = [Table(rows) for rows in Oracle(rules).arrangements(in_order(table.counts))]
        fix = nearest_fix(table, rules)
        if everything:
            least = min(len(find_moves(table, after)) for after in everything)
            assert len(fix.moves) >= least, (table, fix)
            assert not fix.smallest or len(fix.moves) == least, (table, fix, least)
            proved += fix.smallest
    assert proved > cases // 2


def test_oracle_knows_nothing_nearer() -> None:
    """Whoever tries every arrangement finds none with fewer moves."""
    compare_nearest_with_oracle(1, 60)


@pytest.mark.long
def test_oracle_knows_nothing_nearer_on_many() -> None:
    """The same on 2,000 tables."""
    compare_nearest_with_oracle(2, 2_000)


def test_nearest_fix_takes_off_what_fits_nowhere() -> None:
    """A tile comes off the table only where not all of them can be arranged, and tiles of no edition at all do."""
    fix = nearest_fix(parse_table("R3 R4 R5 Y9 | K12"), LARGE)
    assert [(str(move.tile), move.goal) for move in fix.moves] == [("K12", None), ("Y9", None)]
    assert fix.after == parse_table("R3 R4 R5")
    arrangement = arrange(parse_table("R1 R2 | K9"), LARGE)
    assert not arrangement.complete
    assert arrangement.table == Table()


def test_a_mess_too_large_to_search_keeps_valid_melds() -> None:
    """Where the nearest can't be proved, valid melds stay as they are if the rest can be arranged without them."""
    mess = " | ".join(f"{ink}{number}" for number in (1, 2, 3, 4, 5, 6) for ink in "KBOR")
    arrangement = arrange(parse_table(f"R10 R11 R12 | {mess}"), LARGE)
    assert arrangement.complete
    assert not arrangement.nearest
    assert parse_table("R10 R11 R12").melds[0] in arrangement.table.melds


def test_moves_tell_what_came_and_went() -> None:
    """A tile of the rack has no origin, one that is gone no goal; identical tiles are matched so that fewest move."""
    moves = find_moves(parse_table("R3 R4 R5 | K7 B7 O7"), parse_table("O7 K7 B7 | R4 R5 R6"))
    assert moves == (
        TileMove(Tile.from_label("red-3"), Place(0, 0), None),
        TileMove(Tile.from_label("red-6"), None, Place(1, 2)),
    )
    assert find_moves(Table(), Table()) == ()


@given(st.integers(0, 10_000))
def test_a_table_with_one_tile_astray_is_one_move_from_legal(seed: int) -> None:
    """Whoever puts one tile of a legal table elsewhere gets it back, or another mend with one move."""
    rng = random.Random(seed)
    legal = parse_table("R3 R4 R5 R6 | K7 B7 O7 R7 | B1 B2 B3 | J O9 O10 | K4 K5 K6")
    melds = [list(meld) for meld in legal.melds]
    source, target = rng.sample(range(len(melds)), 2)
    melds[target].insert(rng.randint(0, len(melds[target])), melds[source].pop(rng.randrange(len(melds[source]))))
    fix = nearest_fix(Table(tuple(map(tuple, melds))), LARGE)
    assert fix.smallest
    assert len(fix.moves) <= 1
    assert all(is_valid(meld, LARGE) for meld in fix.after.melds)


def test_too_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for the nearest arrangement says so when it takes too many steps."""
    with pytest.raises(TooFar):
        NearSearch(parse_table("R3 R4 R5 R7 | K6 B6 O6 R6").melds, LARGE, most_steps=1).nearest()
    monkeypatch.setattr(importlib.import_module("tilekeeper.engine.solver.arrange"), "_MOST_STEPS", 3)
    mess = parse_table("R3 | R4 | R5 | B3 | B4 | B5 | O3 | O4 | O5 | K3 | K4 | K5 | K9 K10 K11")
    arrangement = arrange(mess, LARGE)
    assert not arrangement.nearest
    assert arrangement.complete
    assert mess.melds[-1] in arrangement.table.melds

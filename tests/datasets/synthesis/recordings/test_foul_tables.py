"""Tables with one planted foul, and the legal table with the same places."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tilekeeper.datasets.synthesis.recordings.foul_tables import (
    ALIKE,
    FEWEST_MELDS,
    LIST,
    MOST_MELDS,
    draw_foul_table,
    is_legal,
    render_foul_tables,
    render_melds,
)
from tilekeeper.engine import RuleSet, Table, Tile, is_valid, parse_table, rule_set

RULES = rule_set("large-numbers")


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RULES


@pytest.mark.parametrize("confusable", [True, False])
def test_one_meld_is_wrong_and_no_other(rules: RuleSet, confusable: bool) -> None:
    """The foul differs from the legal table in this meld only, and the stock is not exceeded."""
    kinds = Counter()
    for seed in range(120):
        table = draw_foul_table(np.random.default_rng([seed, 5]), rules, confusable)
        kinds[table.kind] += 1
        assert is_legal(table.legal, rules)
        assert FEWEST_MELDS <= len(table.legal.melds) <= MOST_MELDS
        wrong = [i for i, meld in enumerate(table.foul.melds) if not is_valid(meld, rules)]
        changed = [
            i for i, pair in enumerate(zip(table.foul.melds, table.legal.melds, strict=True)) if pair[0] != pair[1]
        ]
        assert wrong == changed
        assert len(wrong) == 1
        assert all(count <= rules.stock.copies_of(tile) for tile, count in table.foul.counts.items())
        if confusable:
            ((removed,), (added,)) = (table.legal.counts - table.foul.counts, table.foul.counts - table.legal.counts)
            assert dict(ALIKE)[table.kind](removed) == added
    assert set(kinds) == ({kind for kind, _ in ALIKE} if confusable else {"another", "short"})


def test_similar_tiles_are_swapped_both_ways() -> None:
    """The pairs are 6 and 9, and red and orange. Other tiles have no partner."""
    partners = dict(ALIKE)
    red_9, red_6, orange_9, blue_2 = map(Tile.from_label, ("red-9", "red-6", "orange-9", "blue-2"))
    assert (partners["6/9"](red_9), partners["6/9"](red_6)) == (red_6, red_9)
    assert (partners["red/orange"](red_9), partners["red/orange"](orange_9)) == (orange_9, red_9)
    assert (partners["6/9"](blue_2), partners["red/orange"](blue_2)) == (None, None)


def test_foul_and_legal_table_have_the_same_places() -> None:
    """Both tables have the same seed, and all tiles are whole."""
    for seed in range(20):
        table = draw_foul_table(np.random.default_rng(seed), RULES, True)
        foul, legal = (render_melds((seed,), melds) for melds in (table.foul, table.legal))
        if foul and legal:
            break
    assert foul is not None
    assert legal is not None
    assert Counter(Tile.from_label(tile.label) for tile in foul.tiles) == table.foul.counts
    assert np.array_equal([t.quad_px for t in foul.tiles], [t.quad_px for t in legal.tiles])
    changed = (foul.image_bgr != legal.image_bgr).any(axis=2).mean()
    assert 0 < changed < 0.5


def test_folder_lists_its_tables(tmp_path: Path) -> None:
    """Each entry has both tables, both images and the kind of foul; every second foul is a confusable tile."""
    render_foul_tables(tmp_path, 2, "kept-out", seed=3, jobs=1)
    entries = json.loads((tmp_path / LIST).read_text())["tables"]
    assert len(entries) == 2
    assert entries[0]["kind"] in dict(ALIKE)
    assert entries[1]["kind"] in ("another", "short")
    for entry in entries:
        assert not is_legal(parse_table(entry["foul"]), RULES)
        assert is_legal(parse_table(entry["legal"]), RULES)
        assert all((tmp_path / "images" / entry[f"{word}_file"]).is_file() for word in ("foul", "legal"))


def test_too_many_of_a_tile_are_not_legal() -> None:
    """The melds are valid, but a box has only two copies of each tile."""
    assert is_legal(Table((tuple(map(Tile.from_label, ("red-1", "red-2", "red-3"))),)), RULES)
    assert not is_legal(parse_table("R1 R2 R3 | R1 R2 R3 | R1 R2 R3"), RULES)

"""Fouls that look nearly right: each differs from what is right as it should, and the judge finds it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tilekeeper.datasets.synthesis.recordings.confusions import CLUMSY, CONFUSED
from tilekeeper.datasets.synthesis.recordings.foul_tables import ALIKE
from tilekeeper.datasets.synthesis.recordings.games import Game, play_game
from tilekeeper.datasets.synthesis.recordings.pieces import table_of
from tilekeeper.datasets.synthesis.recordings.places import Floor
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, rule_set
from tilekeeper.engine.rules.violations import Code


@pytest.fixture(scope="module")
def game() -> Game:
    """A game in which every turn but the first goes wrong."""
    rng = np.random.default_rng(5)
    return play_game(rng, rule_set(DEFAULT_EDITION), Floor(13, 38.0), 15, 2, 8, 14, (CLUMSY, CONFUSED))


def test_every_other_foul_is_among_what_is_easily_confused(game: Game) -> None:
    """The two groups take turns, the first foul is that of somebody who has not opened, chance leaves out little."""
    kinds = [attempt.kind for attempt in game.attempts if not attempt.verdict.legal]
    assert len(kinds) == 14
    assert kinds[0] == "open-too-low"
    assert all((kind in CONFUSED) == (at % 2 == 1) for at, kind in enumerate(kinds))
    assert len(CONFUSED.keys() & set(kinds)) >= len(CONFUSED) - 1
    assert len(CLUMSY.keys() & set(kinds)) >= len(CLUMSY) - 1


def test_a_confused_tile_is_the_partner_of_the_one_that_mends_it(game: Game) -> None:
    partners = dict(ALIKE)
    for wrong, mended in zip(game.attempts, game.attempts[1:], strict=False):
        if wrong.kind in CONFUSED:
            laid_tiles, should = (Counter(table_of(one.laid.rows).counts) for one in (wrong, mended))
            (false,), (true,) = (laid_tiles - should).elements(), (should - laid_tiles).elements()
            assert partners[wrong.kind](true) == false
            assert mended.verdict.legal


def test_a_tile_that_is_taken_off_the_table_leaves_only_valid_melds(game: Game) -> None:
    taken = next(attempt for attempt in game.attempts if attempt.kind == "take-tile")
    assert [violation.code for violation in taken.verdict.violations] == [Code.TILE_TAKEN]

"""Fouls that look nearly right: each has the planned difference, and the judge finds it."""

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
    """Return a game in which every turn except the first has a foul."""
    rng = np.random.default_rng(5)
    return play_game(rng, rule_set(DEFAULT_EDITION), Floor(13, 38.0), 15, 2, 8, 14, (CLUMSY, CONFUSED))


def test_clumsy_fouls_and_confusions_take_turns(game: Game) -> None:
    """The first foul is an opening that is too low. Nearly every kind of foul occurs."""
    kinds = [attempt.kind for attempt in game.attempts if not attempt.verdict.legal]
    assert len(kinds) == 14
    assert kinds[0] == "open-too-low"
    assert all((kind in CONFUSED) == (at % 2 == 1) for at, kind in enumerate(kinds))
    assert len(CONFUSED.keys() & set(kinds)) >= len(CONFUSED) - 1
    assert len(CLUMSY.keys() & set(kinds)) >= len(CLUMSY) - 1


def test_confused_tile_is_the_partner_of_the_right_tile(game: Game) -> None:
    partners = dict(ALIKE)
    for wrong, corrected in zip(game.attempts, game.attempts[1:], strict=False):
        if wrong.kind in CONFUSED:
            laid_tiles, intended_tiles = (Counter(table_of(attempt.laid.rows).counts) for attempt in (wrong, corrected))
            (false,), (true,) = (laid_tiles - intended_tiles).elements(), (intended_tiles - laid_tiles).elements()
            assert partners[wrong.kind](true) == false
            assert corrected.verdict.legal


def test_taken_tile_leaves_only_valid_melds(game: Game) -> None:
    taken = next(attempt for attempt in game.attempts if attempt.kind == "take-tile")
    assert [violation.code for violation in taken.verdict.violations] == [Code.TILE_TAKEN]

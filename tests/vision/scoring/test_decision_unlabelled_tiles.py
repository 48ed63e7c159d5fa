"""A candidate that only its row supports is labelled "no tile", whatever rounding does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.tile_tables import table_of, tile_row
from tests.vision.scoring.test_tileness_rims import quad
from tilekeeper.vision.arrays import normalise_log_probs
from tilekeeper.vision.scoring.decision import add_unlabelled
from tilekeeper.vision.types import JOINT_NOT_A_TILE, NOT_A_TILE


@pytest.mark.parametrize("seed", range(40))
def test_unlabelled_candidate_in_a_row_is_flagged_and_just_likelier_no_tile(seed: int) -> None:
    """The classifier rejects every candidate; the reading still offers the question."""
    place = tile_row("joker", quad(142, 100), 0.0, False, score=0.95)
    place.number_log_probs = normalise_log_probs(4 * np.random.default_rng(seed).normal(size=(1, 15)))
    place.number_log_probs[0, NOT_A_TILE] = np.log(0.9)
    table = table_of([place, tile_row("blue-3", quad(100, 100), 0.9999, False)])
    assert add_unlabelled(table, np.array([0, 1]), np.array([1])).tolist() == [0]
    assert table.is_doubtful.tolist() == [True, False]
    assert not table.is_joint_tile[0]
    assert np.exp(table.joint_log_probs[0, JOINT_NOT_A_TILE]) == pytest.approx(0.5)

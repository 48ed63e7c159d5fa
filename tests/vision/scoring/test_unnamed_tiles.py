"""What only its place in a row speaks for is no tile by name, whatever rounding does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.told_tiles import told
from tests.vision.scoring.test_rim_features import quad
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.scoring.candidates import Candidates
from tilekeeper.vision.scoring.unnamed_tiles import unnamed
from tilekeeper.vision.types import JOINT_NOT_A_TILE, NOT_A_TILE, normalised


@pytest.mark.parametrize("seed", range(40))
def test_none_is_a_hair_likelier_than_all_names_together(seed: int) -> None:
    """The classifier takes none of them for a tile, and a person hears that it may as well be one."""
    beside = Appearances.empty()
    beside.number_log_probs = normalised(4 * np.random.default_rng(seed).normal(size=(1, 15))).astype(np.float32)
    beside.number_log_probs[0, NOT_A_TILE] = np.log(0.9)
    beside.ink_log_probs = np.full((1, 4), -np.log(4), np.float32)
    beside.upside_down_log_odds = np.zeros(1, np.float32)
    beside.quads_px = np.array([quad(142, 100)], np.float32)
    beside.ink_colours, beside.figures = np.zeros((1, 3), np.float32), np.zeros((1, 0), np.float32)
    read = told("blue-3", quad(100, 100), 0.9999, False)
    read.track[:] = 7
    in_row = unnamed(Candidates.seen(beside, np.array([0.95])), read)
    assert in_row.track.tolist() == [0]
    assert in_row.doubtful.all()
    assert not in_row.is_tile.any()
    assert np.exp(in_row.log_probs[0, JOINT_NOT_A_TILE]) == pytest.approx(0.5)

"""Digits drawn stroke by stroke: full height, and another handwriting with every seed."""

import cv2
import numpy as np
import pytest

from tilekeeper.datasets.synthesis.printings.drawn_figures import GLYPH_PX, drawn_figures
from tilekeeper.datasets.synthesis.printings.typefaces import set_text

DIGITS = "0123456789"


@pytest.mark.parametrize("seed", range(40))
def test_figures_fill_their_height_and_have_ink_and_white(seed: int) -> None:
    for mask in drawn_figures(seed).values():
        height, width = mask.shape
        rows = np.flatnonzero(mask.max(axis=1) > 128)
        assert height == GLYPH_PX
        assert rows[0] <= 3
        assert rows[-1] >= height - 4
        assert 2 <= width <= height
    for digit in "023456789":
        assert 0.1 < (drawn_figures(seed)[digit] > 128).mean() < 0.88


def test_style_depends_on_the_seed() -> None:
    assert all(np.array_equal(drawn_figures(3)[digit], drawn_figures(3)[digit]) for digit in DIGITS)
    assert len({drawn_figures(seed)["4"].tobytes() for seed in range(30)}) == 30


def test_nine_is_mostly_an_upside_down_six() -> None:
    turned = [np.array_equal(drawn_figures(seed)["9"], drawn_figures(seed)["6"][::-1, ::-1]) for seed in range(60)]
    assert 0.6 < np.mean(turned) < 0.95


def test_fours_are_open_and_closed() -> None:
    """The strokes of an open 4 enclose no white area."""
    enclosed = []
    for seed in range(80):
        mask = cv2.copyMakeBorder(drawn_figures(seed)["4"], 2, 2, 2, 2, cv2.BORDER_CONSTANT, value=0)
        parts, _, stats, _ = cv2.connectedComponentsWithStats((mask < 128).astype(np.uint8), connectivity=4)
        enclosed.append(any(stats[part, cv2.CC_STAT_AREA] > 30 for part in range(2, parts)))
    assert 15 < sum(enclosed) < 65


def test_drawn_figures_replace_the_typeface() -> None:
    one, other = (set_text(face, "12", 60, figures=9) for face in ("roboto-bold", "roboto-black"))
    assert one.shape[0] == 60
    assert np.array_equal(one, other)
    assert not np.array_equal(one, set_text("roboto-bold", "12", 60)[:, : one.shape[1]])

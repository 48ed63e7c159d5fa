"""Jokers as line drawings: only the outlines of the filled drawing."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tilekeeper.datasets.synthesis.printings.faces import draw_face
from tilekeeper.datasets.synthesis.printings.jokers import joker_mask, line_drawing
from tilekeeper.datasets.synthesis.printings.printing import draw_printing


@pytest.mark.parametrize("name", ["grin", "butterfly", "star", "hat"])
def test_lines_leave_the_inside_free(name: str) -> None:
    """There is less ink than in the filled drawing, and none inside its filled areas."""
    rng = np.random.default_rng(5)
    filled = joker_mask(name, "", rng) > 127
    lines = line_drawing(filled.astype(np.uint8) * 255, rng) > 127
    assert 0 < lines.sum() < 0.8 * filled.sum()
    inside = cv2.erode(filled.astype(np.uint8), np.ones((13, 13), np.uint8)) > 0
    assert inside.any()
    assert not (lines & inside).any()


def test_set_with_line_jokers_has_only_paler_jokers() -> None:
    """All other faces stay the same."""
    printing = replace(draw_printing(np.random.default_rng(3)), joker="butterfly", joker_scale=0.8)
    lines = replace(printing, joker_lines=True)
    assert draw_face(lines, "joker", 96).bgr.mean() > draw_face(printing, "joker", 96).bgr.mean() + 1
    assert np.array_equal(draw_face(lines, "red-7", 96).bgr, draw_face(printing, "red-7", 96).bgr)

"""Pictures are halved as often as may be before they are resized, and each of them once in a reading."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.imaging import keeping, shrink


def test_a_half_is_made_once_and_is_the_same_as_by_itself() -> None:
    """Two sizes that are made of one half share it while halves are kept, and no longer."""
    picture = np.random.default_rng(0).integers(0, 256, (64, 96, 3), dtype=np.uint8)
    alone = shrink(picture, (48, 32), cv2.INTER_AREA), shrink(picture, (30, 20), cv2.INTER_AREA)
    with keeping():
        kept = shrink(picture, (48, 32), cv2.INTER_AREA)
        assert shrink(picture, (48, 32), cv2.INTER_AREA) is kept
        assert np.array_equal(kept, alone[0])
        assert np.array_equal(shrink(picture, (30, 20), cv2.INTER_AREA), alone[1])
    assert shrink(picture, (48, 32), cv2.INTER_AREA) is not kept

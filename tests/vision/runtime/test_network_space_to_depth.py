"""The input format of the networks."""

import numpy as np

from tests.support.truthful_networks import planes_in
from tilekeeper.vision.runtime.network import space_to_depth


def test_square_holds_four_pixels_from_top_left_to_bottom_right() -> None:
    """The image may be a part of a larger array."""
    whole = np.random.default_rng(3).integers(0, 255, (2, 8, 9, 3), np.uint8)
    part = whole[:, 1:7, 1:]
    squares = space_to_depth(part)
    assert squares.shape == (2, 3, 4, 12)
    assert squares.dtype == np.uint8
    assert squares[1, 2, 3].tolist() == [*part[1, 4, 6], *part[1, 4, 7], *part[1, 5, 6], *part[1, 5, 7]]
    assert np.array_equal(planes_in(squares), part[..., ::-1].transpose(0, 3, 1, 2))

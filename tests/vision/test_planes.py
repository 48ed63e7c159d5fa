"""Pictures as networks take them."""

import numpy as np
import pytest

from tilekeeper.vision.planes import planes_of


@pytest.mark.parametrize("kind", [np.uint8, np.float32])
def test_planes_are_the_channels_from_red_to_blue(kind: type) -> None:
    """Each picture's levels stay as they are, also where it is a part of a larger one."""
    whole = np.random.default_rng(3).integers(0, 255, (2, 8, 9, 3)).astype(kind)
    part = whole[:, 1:7, 2:]
    planes = planes_of(part)
    assert planes.dtype == np.float32
    assert np.array_equal(planes, part[..., ::-1].transpose(0, 3, 1, 2))

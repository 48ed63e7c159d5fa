"""Tests that a shadow falls across a picture as shadows do: one side keeps its light, the other some of it."""

import numpy as np
import pytest

from tilekeeper.models.training.augmentation import LEFT_IN_SHADE, in_the_evening, processed, under_shadow


@pytest.mark.parametrize("seed", range(12))
def test_a_shadow_takes_light_and_gives_none(seed: int) -> None:
    """Nothing becomes lighter, and nowhere is there less than the deepest shade leaves, give or take its tint."""
    image = np.full((60, 80, 3), 200, np.float32)
    shaded = under_shadow(np.random.default_rng(seed), image)
    green = shaded[..., 1]
    assert green.max() <= 200 + 1e-3
    assert green.min() >= 200 * LEFT_IN_SHADE[0] - 1e-3
    assert shaded.max() <= 200 + 1e-3


def test_shadows_have_an_edge_and_fall_anywhere() -> None:
    """Of many, most leave some of the picture in full light and some in shade, and none is where another one was."""
    image = np.full((60, 80, 3), 200, np.float32)
    shaded = [under_shadow(np.random.default_rng(seed), image)[..., 1] for seed in range(40)]
    with_edge = [one for one in shaded if one.max() > 195 and one.min() < 160]
    assert len(with_edge) > 25
    assert len({one.tobytes() for one in shaded}) == len(shaded)


def test_phones_and_webcams_change_some_pictures_and_keep_their_shape() -> None:
    """Most pass as they are; of those that are changed some have halos, lighter than all that was there."""
    image = np.full((48, 64, 3), (120, 140, 150), np.uint8)
    image[10:30, 20:40] = (30, 40, 200)
    made = [processed(np.random.default_rng(seed), image, 20) for seed in range(120)]
    changed = [one for one in made if not np.array_equal(one, image)]
    assert all(one.shape == image.shape and one.dtype == np.uint8 for one in made)
    assert 10 < len(changed) < 60
    assert any(one[:9].max() > 152 for one in changed)


def test_the_evening_is_warm_dim_and_noisy_and_print_can_still_be_told() -> None:
    """All are changed, none alike; in the mean blue is dimmed most, and dark print stays darker than its face."""
    image = np.full((28, 20, 3), 230, np.float32)
    image[8:20, 6:14] = 40
    made = [in_the_evening(np.random.default_rng(seed), image) for seed in range(60)]
    assert all(one.shape == image.shape and one.dtype == np.uint8 for one in made)
    assert len({one.tobytes() for one in made}) == len(made)
    faces = np.array([one[2:6].reshape(-1, 3).mean(axis=0) for one in made])
    blue, green, red = faces.mean(axis=0)
    assert blue < green < red < 230
    assert faces.max() > 200  # in full light, too
    print_levels = np.array([one[10:18, 8:12].mean() for one in made])
    assert (print_levels < 0.7 * faces.mean(axis=1)).all()
    assert np.mean([one[2:6].std(axis=(0, 1)).mean() for one in made]) > 2  # noise

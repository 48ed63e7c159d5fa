"""Textures of table tops: shape, seed and variety of every surface, and their noise functions."""

from __future__ import annotations

import numpy as np
import pytest

from tilekeeper.datasets.synthesis.noise import draw_rotated, fractal, hsv, paint, relight
from tilekeeper.datasets.synthesis.printings.printing import kept_out
from tilekeeper.datasets.synthesis.surfaces.catalogue import SURFACES, joinable

NAMES = sorted(SURFACES)


def draw(name: str, seed: int, wh: tuple[int, int] = (160, 120), px_per_mm: float = 1.4) -> np.ndarray:
    return SURFACES[name](np.random.default_rng(seed), wh, px_per_mm)


@pytest.mark.parametrize("name", NAMES)
def test_surface_is_a_bgr_image_of_the_requested_size(name: str) -> None:
    """The scale does not matter."""
    for wh, px_per_mm in (((160, 120), 1.4), ((75, 100), 0.7), ((131, 97), 6.0)):
        image = draw(name, 3, wh, px_per_mm)
        assert image.shape == (wh[1], wh[0], 3)
        assert image.dtype == np.uint8
        assert image.flags.c_contiguous


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_gives_the_same_surface(name: str) -> None:
    """Another seed gives another surface."""
    first = draw(name, 11)
    assert np.array_equal(first, draw(name, 11))
    assert not np.array_equal(first, draw(name, 12))


@pytest.mark.parametrize("name", NAMES)
def test_seeds_give_surfaces_of_different_colours(name: str) -> None:
    """The mean colour varies over eight seeds, so a surface is more than one image with new noise."""
    means = np.array([draw(name, seed, (96, 72)).mean(axis=(0, 1)) for seed in range(8)])
    assert means.std(axis=0).max() > 4.0


def test_catalogue_has_at_least_30_surfaces_and_is_read_only() -> None:
    """The detector needs at least sixteen surfaces. The read-only mapping prevents accidental additions."""
    assert len(SURFACES) >= 30
    with pytest.raises(TypeError):
        SURFACES["lava"] = SURFACES["walnut"]  # type: ignore[index]


def test_combined_surfaces_use_no_held_out_ones() -> None:
    """`table-edge` and `runner` are in the training pool, so they must not contain held-out surfaces."""
    held_out = set(kept_out()["surfaces"])
    assert held_out < set(SURFACES)
    assert set(joinable()) == set(SURFACES) - held_out - {"table-edge", "runner"}


@pytest.mark.parametrize("wh", [(64, 48), (7, 5), (900, 700)])
@pytest.mark.parametrize("cell_px", [40.0, (200.0, 2.0), 0.5])
def test_fractal_noise_has_zero_mean_and_unit_spread(wh: tuple[int, int], cell_px: float | tuple[float, float]) -> None:
    """The noise is normalised for any grain and size."""
    noise = fractal(np.random.default_rng(1), wh, cell_px, 5)
    assert noise.shape == (wh[1], wh[0])
    assert noise.dtype == np.float32
    assert abs(float(noise.mean())) < 1e-3
    assert float(noise.std()) == pytest.approx(1.0, abs=1e-2)


def test_streaks_run_along_their_longer_cell() -> None:
    """Cells that are wider than high give horizontal streaks."""
    noise = fractal(np.random.default_rng(2), (300, 300), (150.0, 3.0), 1)
    assert np.abs(np.diff(noise, axis=1)).mean() < 0.2 * np.abs(np.diff(noise, axis=0)).mean()


@pytest.mark.parametrize(
    ("hue", "bgr"), [(0, (0, 0, 255)), (120, (0, 255, 0)), (240, (255, 0, 0)), (60, (0, 255, 255)), (-120, (255, 0, 0))]
)
def test_hsv_names_pure_colours(hue: float, bgr: tuple[int, int, int]) -> None:
    """Colours are in BGR order, and hues are modulo 360."""
    assert hsv(hue, 1, 1) == pytest.approx(bgr)


def test_paint_runs_from_the_first_stop_to_the_last() -> None:
    """Values beyond the ends get the colours of the ends."""
    values = np.array([[-5.0, -1.0, 0.0, 1.0, 5.0]], dtype=np.float32)
    image = paint(values, [(0, 0, 0), (200, 100, 50)], -1.0, 1.0)
    assert image[0, 0].tolist() == image[0, 1].tolist() == [0, 0, 0]
    assert image[0, 3].tolist() == image[0, 4].tolist() == [200, 100, 50]
    assert image[0, 2].tolist() == pytest.approx([100, 50, 25], abs=1)


def test_relight_multiplies_and_saturates() -> None:
    """Levels are clipped at 255."""
    image = np.full((2, 2, 3), 200, dtype=np.uint8)
    gain = np.array([[0.5, 1.0], [1.5, 0.0]], dtype=np.float32)
    assert relight(image, gain)[..., 0].tolist() == [[100, 200], [255, 0]]


@pytest.mark.parametrize("angle_deg", [0.0, 30.0, 90.0, 137.0, -12.0])
def test_turned_textures_reach_every_corner(angle_deg: float) -> None:
    """The turned texture covers the whole image, so nothing is mirrored into its corners."""
    wh, textures = (120, 80), []

    def ramp(size: tuple[int, int]) -> np.ndarray:
        textures.append(size)
        across = np.linspace(0, 255, size[0], dtype=np.float32)
        return np.repeat(np.repeat(across[None, :, None], size[1], axis=0), 3, axis=2).astype(np.uint8)

    image = draw_rotated(np.random.default_rng(0), wh, ramp, angle_deg)
    assert image.shape == (80, 120, 3)
    # a turned ramp stays a plane, so its second differences are only rounding errors
    levels = image[..., 0].astype(int)
    assert np.abs(np.diff(levels, 2, axis=0)).max() <= 3
    assert np.abs(np.diff(levels, 2, axis=1)).max() <= 3

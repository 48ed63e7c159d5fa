"""Augmentation: shadows, phone and webcam processing, motion blur, and the degradations of dim light."""

import numpy as np
import pytest

from tilekeeper.models.training import augmentation
from tilekeeper.models.training.augmentation import (
    LEFT_IN_SHADE,
    cast_shadow,
    motion_blur,
    photograph_in_dim_light,
    process,
)
from tilekeeper.models.training.lamps import GAMMA, measured_lamps


@pytest.mark.parametrize("seed", range(12))
def test_shadow_only_darkens(seed: int) -> None:
    """No pixel becomes brighter, and none darker than the deepest shadow."""
    image = np.full((60, 80, 3), 200, np.float32)
    shaded = cast_shadow(np.random.default_rng(seed), image)
    green = shaded[..., 1]
    assert green.max() <= 200 + 1e-3
    assert green.min() >= 200 * LEFT_IN_SHADE[0] - 1e-3
    assert shaded.max() <= 200 + 1e-3


def test_shadows_have_an_edge_and_random_places() -> None:
    """Most images have a part in full light and a part in the shadow, and no two are equal."""
    image = np.full((60, 80, 3), 200, np.float32)
    shaded = [cast_shadow(np.random.default_rng(seed), image)[..., 1] for seed in range(40)]
    with_edge = [output for output in shaded if output.max() > 195 and output.min() < 160]
    assert len(with_edge) > 25
    assert len({output.tobytes() for output in shaded}) == len(shaded)


def test_phone_and_webcam_processing_changes_some_images() -> None:
    """Most images stay the same. Some of the others have halos brighter than the input."""
    image = np.full((48, 64, 3), (120, 140, 150), np.uint8)
    image[10:30, 20:40] = (30, 40, 200)
    outputs = [process(np.random.default_rng(seed), image, 20) for seed in range(120)]
    changed = [output for output in outputs if not np.array_equal(output, image)]
    assert all(output.shape == image.shape and output.dtype == np.uint8 for output in outputs)
    assert 10 < len(changed) < 60
    assert any(output[:9].max() > 152 for output in changed)


@pytest.mark.parametrize("length_px", [0.0, 0.4, 0.9, 1.5, 6.0])
@pytest.mark.parametrize("angle", [0.0, 0.6, np.pi / 2])
def test_motion_blur_spreads_by_its_length(length_px: float, angle: float) -> None:
    """The variance of a spot grows by that of a line, even below one pixel, and no light is lost.

    A plain image stays plain up to its edges.
    """
    ys, xs = np.mgrid[-20.0:21, -20:21]
    blot = np.exp(-(xs**2 + ys**2) / 18).astype(np.float32)
    moved = motion_blur(np.dstack([blot] * 3), angle, length_px)[..., 1]
    assert moved.sum() == pytest.approx(blot.sum(), rel=1e-4)
    along = np.cos(angle) * xs + np.sin(angle) * ys
    spread = (moved * along**2).sum() / moved.sum() - (blot * along**2).sum() / blot.sum()
    max_growth = 1.1 * length_px**2 / 12 + min(length_px, 0.25)  # bilinear sampling adds up to a quarter
    assert length_px**2 / 12 - 1e-6 <= spread <= max_growth + 1e-6
    assert (moved * along).sum() / moved.sum() == pytest.approx(0, abs=1e-3)
    assert motion_blur(np.ones((9, 9, 3), np.float32), angle, length_px) == pytest.approx(1, abs=1e-5)


NO_DEGRADATION = {
    "MEASURED": 0.0,
    "EVENING_K": (6500.0, 6500.0),
    "EVENING_LIGHT": (1.0, 1.0),
    "EVENING_SHAKE_PX": 0.0,
    "EVENING_ELECTRONS": (1e9, 1e9),
    "EVENING_READ_NOISE": 0.0,
    "EVENING_SHARPER": 0.0,
    "EVENING_JPEG": (100, 101),
}
"""Settings with which dim light changes nothing."""


def dim_light_images(monkeypatch: pytest.MonkeyPatch, image: np.ndarray, *harms: str) -> np.ndarray:
    """Return 60 dim-light versions of an image, `(60, H, W, 3)` levels, with only these degradations."""
    for name, neutral in NO_DEGRADATION.items():
        if name not in harms:
            monkeypatch.setattr(augmentation, name, neutral)
    picture = image.astype(np.float32)
    outputs = [photograph_in_dim_light(np.random.default_rng(seed), picture) for seed in range(60)]
    assert all(output.shape == image.shape and output.dtype == np.uint8 for output in outputs)
    return np.array(outputs, float)


def light_of(levels: np.ndarray) -> np.ndarray:
    return (levels / 255) ** GAMMA


def grey(level: int) -> np.ndarray:
    return np.full((28, 20, 3), level, np.uint8)


def test_dim_light_without_degradations_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """JPEG of quality 100 and a black body of 6500 K, which is not exactly daylight, change a few levels."""
    image = grey(100)
    image[8:20, 6:14] = 200
    assert np.abs(dim_light_images(monkeypatch, image) - image).max() < 6


def test_dim_light_has_warm_lamps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The warmest lamp leaves a tenth of the blue light, the coldest nearly all; red stays."""
    blue, _, red = np.moveaxis(light_of(dim_light_images(monkeypatch, grey(200), "EVENING_K")).mean(axis=(1, 2)), -1, 0)
    assert red == pytest.approx(light_of(np.float64(200)), rel=0.05)
    assert (blue / red).min() < 0.2
    assert (blue / red).max() > 0.85


def test_dim_light_reduces_the_exposure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exposures range from less than half of the right one to slightly more than it."""
    light = light_of(dim_light_images(monkeypatch, grey(200), "EVENING_LIGHT")).mean(axis=(1, 2, 3)) / light_of(
        np.float64(200)
    )
    assert 0.4 < light.min() < 0.5
    assert 1.0 < light.max() < 1.15
    assert np.median(light) == pytest.approx(0.7, abs=0.07)


def test_dim_light_adds_motion_blur_to_some_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """A point is blurred in some images and sharp in others."""
    image = grey(20)
    image[14, 10] = 220
    remaining_light = light_of(dim_light_images(monkeypatch, image, "EVENING_SHAKE_PX"))[:, 14, 10, 1] / light_of(
        np.float64(220)
    )
    assert 0.1 < np.mean(remaining_light < 0.6) < 0.6
    assert remaining_light.max() > 0.9


@pytest.mark.parametrize(
    ("level", "harms", "spread"),
    [
        (220, ("EVENING_ELECTRONS",), 0.015),
        (220, ("EVENING_ELECTRONS", "EVENING_READ_NOISE"), 0.015),
        (30, ("EVENING_ELECTRONS",), 0.0014),
        (30, ("EVENING_ELECTRONS", "EVENING_READ_NOISE"), 0.003),
    ],
)
def test_dim_light_has_shot_noise_and_read_noise(
    monkeypatch: pytest.MonkeyPatch, level: int, harms: tuple[str, ...], spread: float
) -> None:
    """Shot noise dominates in bright areas, read noise in dark ones."""
    light = light_of(dim_light_images(monkeypatch, grey(level), *harms))
    assert light.std(axis=(1, 2)).mean() == pytest.approx(spread, rel=0.2)


def test_dim_light_images_are_sharpened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Near an edge some images overshoot by a fifth of the step, others hardly overshoot."""
    image = grey(100)
    image[:, 10:] = 150
    lightest = dim_light_images(monkeypatch, image, "EVENING_SHARPER")[..., 1].max(axis=(1, 2))
    assert lightest.min() < 150
    assert lightest.max() > 157


def test_dim_light_images_are_jpeg(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fine patterns lose some levels, at quality 50 several times more than at 93."""
    fine = np.random.default_rng(0).integers(60, 200, (28, 20, 1)).astype(np.uint8).repeat(3, axis=2)
    losses = np.abs(dim_light_images(monkeypatch, fine, "EVENING_JPEG") - fine).mean(axis=(1, 2, 3))
    assert losses.max() > 8
    assert losses.min() < 5


def test_dim_light_combines_all_degradations_and_print_stays_readable() -> None:
    """No two images are equal, and dark print stays darker than its face."""
    image = np.full((28, 20, 3), 230, np.float32)
    image[8:20, 6:14] = 40
    outputs = np.array([photograph_in_dim_light(np.random.default_rng(seed), image) for seed in range(60)])
    assert len({output.tobytes() for output in outputs}) == len(outputs)
    faces, print_levels = outputs[:, 2:6].mean(axis=(1, 2, 3)), outputs[:, 10:18, 8:12].mean(axis=(1, 2, 3))
    assert (print_levels < 0.7 * faces).all()


def test_no_lamp_is_applied_where_another_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a share of 0 no image is relit, otherwise some are."""
    lit: list[np.ndarray] = []
    monkeypatch.setattr(augmentation, "relight", lambda image, lamp: lit.append(lamp) or image)
    for lamps in (0.0, augmentation.LAMPS):
        for seed in range(40):
            augmentation.recolour(np.random.default_rng(seed), np.full((80, 80, 3), 128, np.float32), lamps=lamps)
        assert bool(lit) == bool(lamps)


def test_moving_camera_shears_and_shaking_camera_bends_the_image() -> None:
    """The shear moves each row by the same step more than the row above; the wave bends the rows."""
    rows = np.arange(320)
    moved = np.array([augmentation.row_shifts_px(np.random.default_rng(seed), rows, 40) for seed in range(200)])
    steps = np.diff(moved, axis=1)
    assert np.abs(steps.mean(axis=1)).max() < augmentation.ROLLED_LEAN + 0.03
    assert np.abs(steps.mean(axis=1)).mean() > 0.03
    straight = moved - np.array([np.polyval(np.polyfit(rows, row, 1), rows) for row in moved])
    assert np.abs(straight).max() < 2.6 * augmentation.ROLLED_WAVE * 40
    assert (np.abs(straight).max(axis=1) > 0.3).mean() > 0.6
    assert len({row.tobytes() for row in moved}) == len(moved)


def test_shifted_rows_replicate_the_edge() -> None:
    image = np.arange(12, dtype=np.uint8).reshape(2, 6)
    assert augmentation.shift_rows(image, np.array([2, -1], np.float32)).tolist() == [
        [0, 0, 0, 1, 2, 3], [7, 8, 9, 10, 11, 11],
    ]  # fmt: skip


def test_measured_lamps_are_as_frequent_as_black_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both functions that use lamps draw from all of them."""
    lamps: list[bytes] = []
    monkeypatch.setattr(augmentation, "relight", lambda image, lamp: lamps.append(lamp.tobytes()) or image)
    image, measured = np.full((80, 80, 3), 128, np.float32), {lamp.tobytes() for lamp in measured_lamps()}
    for augment in (
        lambda rng: augmentation.recolour(rng, image, lamps=1.0),
        lambda rng: photograph_in_dim_light(rng, image),
    ):
        lamps.clear()
        for seed in range(400):
            augment(np.random.default_rng(seed))
        assert len(lamps) == 400
        assert np.mean([lamp in measured for lamp in lamps]) == pytest.approx(augmentation.MEASURED, abs=0.08)
        assert len(measured.intersection(lamps)) > 90

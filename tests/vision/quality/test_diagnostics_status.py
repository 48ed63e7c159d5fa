"""A reading that can't be trusted says why and what to do."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera
from tests.support.truthful_networks import Truth
from tilekeeper.vision.photos import load_photo
from tilekeeper.vision.quality import diagnostics
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import OK


def pictured(px_per_mm: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    quads = seen_by_camera([*row_mm((-60, -60), 4), *row_mm((-40, 50), 4)], px_per_mm=px_per_mm)
    truth = Truth(quads, ["red-1"] * 8, (1920, 1080))
    return truth.picture(), quads


def test_reading_with_few_doubts_is_trusted() -> None:
    """Doubtful tiles are flagged; up to a third of them are no reason to distrust the image."""
    image, quads = pictured()
    assert diagnostics.status_of(Scene(image), quads, (False,) * 8) == OK
    assert diagnostics.status_of(Scene(image), quads, (True, True) + (False,) * 6) == OK
    assert diagnostics.status_of(Scene(image), quads[:2], (True, True)) == OK


@pytest.mark.parametrize(("far_px_per_mm", "is_usable"), [(1.0, False), (2.0, True)])
def test_far_tiles_that_are_mostly_doubtful_make_a_reading_unusable(far_px_per_mm: float, is_usable: bool) -> None:
    """A low camera misses more far tiles. If all tiles have one size, doubts about the far ones are no reason."""
    image, near = pictured()
    _, far = pictured(far_px_per_mm)
    quads = np.concatenate([near, near, near, far[:5] - far.min() + 20])
    doubtful = np.array([False] * 24 + [True, True, True, False, False])
    assert (diagnostics.status_of(Scene(image), quads, doubtful) == OK) is is_usable
    assert diagnostics.status_of(Scene(image), quads, doubtful & (np.arange(29) != 24)) == OK


def test_small_tiles_are_called_too_small() -> None:
    image, quads = pictured(px_per_mm=0.4)
    assert diagnostics.status_of(Scene(image), quads, (False,) * 8) == diagnostics.TOO_SMALL


def test_grey_image_has_no_colours(photos_folder: Path) -> None:
    """A photo has colours; the same photo in grey and slightly noisy greys have none."""
    photo = load_photo(photos_folder / "images" / "rummy-1.jpg").image_bgr
    grey = cv2.cvtColor(cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    assert not diagnostics.is_colourless(photo)
    assert diagnostics.is_colourless(grey)
    assert diagnostics.is_colourless(np.clip(grey + np.random.default_rng(1).integers(-2, 3, grey.shape), 0, 255))
    quads = np.array([[[10, 10], [60, 10], [60, 80], [10, 80]]], np.float32)
    assert (
        diagnostics.status_of(Scene(grey), quads, (False,), diagnostics.is_colourless(grey)) == diagnostics.NO_COLOURS
    )


def test_doubtful_tiles_are_blamed_on_dark_blur_or_nothing() -> None:
    image, quads = pictured()
    doubtful = (True,) * 8
    assert diagnostics.status_of(Scene(image), quads, doubtful) == diagnostics.TOO_DOUBTFUL
    assert diagnostics.status_of(Scene(image // 8), quads, doubtful) == diagnostics.TOO_DARK
    assert diagnostics.status_of(Scene(cv2.GaussianBlur(image, (0, 0), 7)), quads, doubtful) == diagnostics.TOO_BLURRED


def test_dark_image_that_could_be_read_is_trusted() -> None:
    image, quads = pictured()
    assert diagnostics.status_of(Scene(image // 8), quads, (False,) * 8) == OK


@pytest.mark.parametrize("shake_px", [0, 27])
def test_shaken_photo_is_called_blurred(photos_folder: Path, shake_px: int) -> None:
    from tilekeeper.datasets.photos import load_annotated

    photo = next(photo for photo in load_annotated(photos_folder, sessions=("s1",)) if photo.file == "rummy-36.jpg")
    image = load_photo(photo.path).image_bgr
    if shake_px:
        image = cv2.blur(image, (shake_px, 1))
    quads = np.array([tile.quad_px for tile in photo.tiles])
    expected = diagnostics.TOO_BLURRED if shake_px else diagnostics.TOO_DOUBTFUL
    assert diagnostics.status_of(Scene(image), quads, (True,) * len(quads)) == expected

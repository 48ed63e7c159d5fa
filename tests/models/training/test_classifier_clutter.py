"""Clutter for training: scenes without tiles, cropped at false detections and at random places."""

import numpy as np

from tilekeeper.models.training.classifier_clutter import MAX_DETECTIONS, RANDOM_CROPS, SCENE_WH, ClutterStudio
from tilekeeper.models.training.classifier_samples import STORE_WH, cut_out

QUAD = np.array([[100, 100], [150, 100], [150, 170], [100, 170]], np.float32)


def studio(seed: int, detection_count: int, images: list[np.ndarray] | None = None) -> ClutterStudio:
    """Return a studio whose detector finds `detection_count` nearby quads and stores its images."""

    def detect(image: np.ndarray) -> list[np.ndarray]:
        if images is not None:
            images.append(image)
        return [QUAD + 2 * i for i in range(detection_count)]

    return ClutterStudio(np.random.default_rng(seed), detect)


def test_each_scene_gives_detections_and_random_crops() -> None:
    """The number of detections is limited, and all crops have the usual size."""
    for detection_count in (0, 3, 40):
        crops = studio(1, detection_count).draw_crops()
        assert len(crops) == min(detection_count, MAX_DETECTIONS) + RANDOM_CROPS
        assert all(crop.shape == (STORE_WH[1], STORE_WH[0], 3) and crop.dtype == np.uint8 for crop in crops)


def test_scenes_differ_except_with_the_same_seed() -> None:
    """Each scene has the given size."""
    images: list[np.ndarray] = []
    source = studio(2, 1, images)
    source.draw_crops()
    source.draw_crops()
    studio(2, 1, images).draw_crops()
    first, second, repeated = images
    assert first.shape == (SCENE_WH[1], SCENE_WH[0], 3)
    assert np.array_equal(first, repeated)
    assert np.abs(first.astype(int) - second).mean() > 5


def test_crops_show_the_place_of_the_detection() -> None:
    """A crop equals the image at the detected quad."""
    images: list[np.ndarray] = []
    crops = studio(3, 1, images).draw_crops()
    assert np.array_equal(crops[0], cut_out(images[0], QUAD))

"""Pictures for the page are small enough for a tablet, and crops show the tiles of a question."""

import numpy as np
import pytest

from tilekeeper.companion.capture.encoding import (
    TILE_WIDTH_PX,
    decode,
    encode_png,
    picture_of,
    preview,
    rows_crop,
    tile_crop,
)

RED, BLUE = (20, 20, 220), (220, 20, 20)


def table(width_px: int = 3200, height_px: int = 2400) -> np.ndarray:
    """Return a blue picture with a red tile in its middle, an eighth as wide."""
    image = np.full((height_px, width_px, 3), BLUE, np.uint8)
    image[height_px * 3 // 8 : height_px * 5 // 8, width_px * 7 // 16 : width_px * 9 // 16] = RED
    return image


def tile_quad(width_px: int = 3200, height_px: int = 2400) -> np.ndarray:
    """Return the corners of that tile, `(4, 2)`."""
    low, high = np.array([width_px * 7 / 16, height_px * 3 / 8]), np.array([width_px * 9 / 16, height_px * 5 / 8])
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])], np.float32)


@pytest.mark.parametrize(("wh", "longest_px"), [((3200, 2400), 1600), ((640, 480), 640)])
def test_large_picture_is_scaled_and_its_original_size_kept(wh: tuple[int, int], longest_px: int) -> None:
    picture = picture_of(table(*wh), 7, "camera 0", 1600, 82)
    image = decode(picture.jpeg)
    assert image is not None
    assert (max(image.shape), picture.image_wh, picture.number) == (longest_px, wh, 7)


def test_tile_crop_is_upright() -> None:
    picture = picture_of(table(), 1, "photo", 1600, 82)
    for turned in (0, 2):  # from either end
        image = decode(tile_crop(picture, np.roll(tile_quad(), turned, axis=0)))
        assert image is not None
        assert image.shape[1] == TILE_WIDTH_PX
        height, width = image.shape[:2]
        assert np.abs(image[height // 2, width // 2].astype(int) - RED).max() < 12
        assert np.abs(image[2, 2].astype(int) - BLUE).max() < 12


def test_rows_crop_outlines_each_row() -> None:
    image = decode(rows_crop(picture_of(table(), 1, "photo", 1600, 82), [[tile_quad()]]))
    assert image is not None
    green = (image[..., 1] > 150) & (image[..., 0] < 120)
    assert green.any()


def test_preview_is_at_most_as_wide_as_requested() -> None:
    for wanted_px, width_px in ((480, 480), (4000, 640)):
        image = decode(preview(table(640, 480), wanted_px))
        assert image is not None
        assert image.shape[1] == width_px


def test_png_keeps_every_pixel() -> None:
    image = np.random.default_rng(0).integers(0, 256, (72, 48, 3), np.uint8)
    kept = decode(encode_png(image))
    assert kept is not None
    assert np.array_equal(kept, image)
    assert decode(b"no picture") is None

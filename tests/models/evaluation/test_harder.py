"""Degraded photos: each degradation has its measured effect, moves the truth along, and is deterministic."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tilekeeper.models.evaluation.harder import (
    FULL_WELL,
    HELD_PX,
    LIGHT,
    LOW_DEG,
    NEAR_OF_FAR,
    READ_NOISE,
    ROLLED_LEAN,
    SHADE,
    STOP,
    WAYS,
    Harder,
    aslant,
    blown,
    dark,
    filmed_by_hand,
    ignore_beyond,
    ignore_illegible,
    lamp,
    lowered,
    median_width_px,
    rolled,
    shaded,
    shaken,
    small,
    spectral,
    to_linear,
    to_srgb,
    transform_truth,
)
from tilekeeper.models.evaluation.measure import Pictured
from tilekeeper.models.evaluation.score import Prediction, Tally, Truth, match


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def box(left: float, top: float, width: float, height: float) -> np.ndarray:
    """Return an outline, clockwise from the top left, through the centres of its corner pixels."""
    right, bottom = left + width - 1, top + height - 1
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def picture(*boxes: np.ndarray) -> np.ndarray:
    """Draw white tiles on dark wood."""
    image = np.full((300, 400, 3), (30, 45, 60), np.uint8)
    for tile in boxes:
        cv2.fillConvexPoly(image, np.round(tile).astype(np.int32), (240, 240, 240))
    return image


def truth(*boxes: np.ndarray) -> Truth:
    return Truth(("red-1",) * len(boxes), boxes, (False,) * len(boxes), np.zeros((0, 4)), np.array(boxes))


@pytest.mark.parametrize("way", WAYS)
def test_truth_moves_with_its_tile(way: str) -> None:
    """After each degradation the outline contains the bright tile and nothing else."""
    tile = box(150, 100, 50, 70)
    image, changed = Harder(way, 50).apply(3, Pictured("a", "s1", truth(tile), None, lambda: picture(tile)))
    inside = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.round(changed.outlines_px[0]).astype(np.int32), 1)
    core, around = cv2.erode(inside, np.ones((5, 5))), cv2.dilate(inside, np.ones((9, 9)))
    light = image.max(axis=2).astype(float)
    assert light[core > 0].mean() > 2 * light[around == 0].mean()
    grown = cv2.dilate(inside, np.ones((5, 5))) - cv2.dilate(inside, np.ones((3, 3)))
    assert light[core > 0].mean() > 1.4 * light[grown > 0].mean()
    assert changed.quads_px is not None
    assert np.allclose(changed.quads_px[0], changed.outlines_px[0], atol=1e-3)


def test_result_depends_on_seed_way_and_image() -> None:
    """The same arguments give the same image."""
    tile = box(150, 100, 50, 70)
    pictured = Pictured("a", "s1", truth(tile), None, lambda: picture(tile))
    first, repeated, other = (Harder("dark", 50).apply(index, pictured)[0] for index in (1, 1, 2))
    assert np.array_equal(first, repeated)
    assert not np.array_equal(first, other)


def test_median_tile_becomes_16_px_wide() -> None:
    """Tiles smaller than that are not enlarged."""
    for width, factor in ((64, 0.25), (10, 1.0)):
        tile = box(20, 20, width, 1.4 * width)
        image, homography = small(rng(), picture(tile), width)
        assert image.shape[:2] == (300 * factor, 400 * factor)
        # the outer edges of the image stay its outer edges
        corner = cv2.perspectiveTransform(np.array([[[-0.5, -0.5], [399.5, 299.5]]]), homography)[0]
        assert np.allclose(corner, [[-0.5, -0.5], [400 * factor - 0.5, 300 * factor - 0.5]])


def test_lamp_tints_white_and_keeps_black() -> None:
    """White gets the chromaticity of a black body of 2700 K, and nothing is clipped."""
    white, black = (lamp(rng(), np.full((2, 2, 3), level, np.uint8), 40)[0][0, 0] for level in (255, 0))
    assert black.tolist() == [0, 0, 0]
    blue, green, red = to_linear(white[None, None])[0, 0]
    assert red == pytest.approx(1, abs=0.01)
    xyz = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.119192, 0.95]])
    x, y, z = xyz @ [red, green, blue]
    assert (x / (x + y + z), y / (x + y + z)) == pytest.approx((0.4599, 0.4106), abs=0.004)


def test_dark_image_has_a_third_of_the_light_and_shot_noise() -> None:
    """Mean and standard deviation are those of counted electrons."""
    grey = np.full((200, 200, 3), 188, np.uint8)  # a half, in linear light
    electrons = to_linear(dark(rng(), grey, 40)[0]) * FULL_WELL
    wanted = float(to_linear(grey[:1, :1])[0, 0, 0]) * LIGHT * FULL_WELL
    assert electrons.mean() == pytest.approx(wanted, rel=0.01)
    assert electrons.std() == pytest.approx(np.sqrt(wanted + READ_NOISE**2), rel=0.05)


def test_shake_blurs_by_a_tenth_of_a_tile_without_a_shift() -> None:
    """A point becomes a centred line of that length, and no light is lost."""
    image = np.zeros((61, 61, 3), np.uint8)
    image[30, 30] = 255
    light = to_linear(shaken(rng(), image, 120.0)[0])[..., 0]
    assert light.sum() == pytest.approx(1, rel=0.06)
    ys, xs = np.nonzero(light > 0.2 * light.max())
    assert np.hypot(np.ptp(xs), np.ptp(ys)) == pytest.approx(12, abs=1.6)
    assert (xs.mean(), ys.mean()) == pytest.approx((30, 30), abs=0.6)


def test_shadow_leaves_a_fifth_of_the_light() -> None:
    """One side has all the light, the other a fifth, and both are large."""
    light = to_linear(shaded(rng(), np.full((300, 400, 3), 200, np.uint8), 40)[0])[..., 0]
    full = float(to_linear(np.full((1, 1, 3), 200, np.uint8))[0, 0, 0])
    in_the_sun, in_the_shade = light > 0.95 * full, light < 1.1 * SHADE * full
    assert (in_the_sun | in_the_shade).mean() > 0.95
    assert in_the_sun.mean() > 0.1
    assert in_the_shade.mean() > 0.1


def test_overexposure_doubles_the_light_and_clips_white() -> None:
    grey, pale = (to_linear(blown(rng(), np.full((2, 2, 3), level, np.uint8), 40)[0])[0, 0, 0] for level in (100, 220))
    assert grey == pytest.approx(STOP * float(to_linear(np.full((1, 1, 3), 100, np.uint8))[0, 0, 0]), rel=0.02)
    assert pale == pytest.approx(1)


@pytest.mark.parametrize("seed", range(4))
def test_tilt_of_45_degrees_shortens_one_side_by_root_two(seed: int) -> None:
    """A small square in the middle keeps its side along the axis, and no corner is outside the image."""
    square = np.array([[[199, 149], [200, 149], [200, 150], [199, 150]]], np.float64)
    image, homography = aslant(np.random.default_rng(seed), picture(), 40)
    mapped = cv2.perspectiveTransform(square, homography)[0].astype(np.float32)
    assert cv2.contourArea(mapped) == pytest.approx(np.cos(np.pi / 4), rel=0.01)
    corners = cv2.perspectiveTransform(np.array([[[0, 0], [399, 0], [399, 299], [0, 299]]], np.float64), homography)[0]
    assert (corners >= -0.01).all()
    assert (corners <= np.array(image.shape[1::-1]) - 0.99).all()


@pytest.mark.parametrize("elevation", LOW_DEG)
def test_low_camera_shows_near_tiles_four_times_as_large(elevation: float) -> None:
    """The middle keeps its width and shrinks in height by the sine of the elevation.

    No corner is outside the image.
    """
    image, homography = lowered(elevation)(rng(), picture(), 50)
    corners = cv2.perspectiveTransform(np.array([[[0, 0], [399, 0], [399, 299], [0, 299]]], np.float64), homography)[0]
    assert (corners >= -0.01).all()
    assert (corners <= np.array(image.shape[1::-1]) - 0.99).all()
    middle = np.array([[199.5, 149.5]])

    def step(at: np.ndarray) -> np.ndarray:
        """Return the scale factors at a point, the singular values of the local affine map."""
        ends = (at + np.array([[0, 0], [0.01, 0], [0, 0.01]]))[None]
        mapped = cv2.perspectiveTransform(ends, homography)[0]
        return np.linalg.svd((mapped[1:] - mapped[0]) / 0.01, compute_uv=False)

    assert step(middle) == pytest.approx([1, np.sin(np.radians(elevation))], rel=0.01)
    depths = np.array([homography[2] @ (*corner, 1) for corner in [(0, 0), (399, 0), (399, 299), (0, 299)]])
    assert depths.max() / depths.min() == pytest.approx(NEAR_OF_FAR, rel=0.02)
    near, far = corners[depths.argmin()], corners[depths.argmax()]
    assert near[1] > far[1]


@pytest.mark.parametrize("seed", range(4))
def test_phone_shows_the_whole_photo_on_640_by_480(seed: int) -> None:
    """The phone is upright or sideways, and tiles are never enlarged."""
    image, homography = filmed_by_hand(np.random.default_rng(seed), picture(), 50)
    assert sorted(image.shape[:2]) == [480, 640]
    corners = cv2.perspectiveTransform(np.array([[[0, 0], [399, 0], [399, 299], [0, 299]]], np.float64), homography)[0]
    assert (corners >= -1).all()
    assert (corners <= np.array(image.shape[1::-1])).all()
    scale = np.sqrt(cv2.contourArea(corners.astype(np.float32)) / (399 * 299))
    assert 0.7 * HELD_PX[0] / 50 < scale < HELD_PX[1] / 50


def test_measured_lamps_change_white_by_white_balance_and_shift_reds() -> None:
    """White keeps its brightest channel with any white balance, and black stays black."""
    image = np.array([[[255, 255, 255], [0, 0, 0], [40, 30, 200]]], np.uint8)
    lit = np.array([spectral(np.random.default_rng(seed), image, 40)[0][0] for seed in range(80)])
    assert (lit[:, 0].max(axis=1) >= 254).all()
    assert lit[:, 1].max() == 0
    darkest = lit[:, 0].min(axis=1)
    assert darkest.min() < 150
    assert darkest.max() > 250
    assert (lit[:, 0].argmin(axis=1)[darkest < 200] == 0).mean() > 0.9  # warm lamps lack blue
    assert np.ptp(lit[:, 2].astype(int), axis=0).max() > 30


@pytest.mark.parametrize("seed", range(4))
def test_rolling_shutter_shears_the_image(seed: int) -> None:
    """Rows keep their height. Points move as the homography says and are blurred along the rows."""
    image = picture()
    points = np.array([[80, 40], [320, 40], [200, 150], [80, 260], [320, 260]])
    image[points[:, 1], points[:, 0]] = 255
    sheared, homography = rolled(np.random.default_rng(seed), image, 200)
    corners = cv2.perspectiveTransform(np.array([[[0, 0], [399, 0], [399, 299], [0, 299]]], np.float64), homography)[0]
    assert np.ptp(corners[:2], axis=0) == pytest.approx([399, 0])
    assert corners[3, 1] - corners[0, 1] == pytest.approx(299)
    lean = abs(corners[3, 0] - corners[0, 0])
    assert 0 < lean <= ROLLED_LEAN * 299
    assert (corners >= -0.01).all()
    assert (corners <= np.array(sheared.shape[1::-1]) - 0.99).all()
    light = to_linear(sheared)[..., 1]
    for x, y in cv2.perspectiveTransform(points[None].astype(np.float64), homography)[0]:
        near = light[round(y) - 12 : round(y) + 13, round(x) - 12 : round(x) + 13] - float(np.median(light))
        ys, xs = np.nonzero(near > 0.3 * near.max())
        assert (xs.mean() - 12, ys.mean() - 12) == pytest.approx((0, 0), abs=0.8)
        assert np.ptp(ys) <= 1
        assert np.ptp(xs) == pytest.approx(0.1 * lean, abs=2.2)


def test_tile_too_flat_to_read_is_ignored() -> None:
    """A tile 8 px high becomes an ignored box; one 30 px high stays, with its index in the rows."""
    cut = replace(truth(box(0, 0, 40, 8), box(50, 50, 40, 31), box(90, 50, 40, 31)), cut=(False, False, True))
    changed = ignore_illegible(cut)
    assert changed.cut == (True, False, True)
    assert changed.ignored_px.tolist() == [[0, 0, 39, 7]]
    whole = [Prediction("red-1", changed.outlines_px[1], doubtful=False)]
    assert match(changed, whole) == [None, 0, None]


def test_width_is_the_median_short_side_of_whole_tiles() -> None:
    """Cut tiles do not count; an image without tiles has none."""
    three = truth(box(0, 0, 31, 51), box(0, 0, 51, 71), box(0, 0, 91, 131))
    assert median_width_px(three) == pytest.approx(50)
    assert median_width_px(Truth(("joker",), (box(0, 0, 9, 9),), (True,), np.zeros((0, 4)))) is None


def test_ignored_boxes_move_too() -> None:
    """The moved boxes are bounding boxes."""
    shift = np.array([[2, 0, 10], [0, 2, 20], [0, 0, 1]], float)
    changed = transform_truth(Truth((), (), (), np.array([[1, 2, 3, 4]])), shift)
    assert changed.ignored_px.tolist() == [[12, 24, 16, 28]]
    assert changed.quads_px is None


def test_tile_read_beyond_the_photo_is_no_false_detection() -> None:
    """Two read tiles at one place give one false detection, and so does a tile next to a cut tile."""
    photo = replace(truth(box(0, 0, 21, 29), box(40, 86, 21, 15)), cut=(False, True))
    changed = ignore_beyond(photo, (100, 100), np.eye(3))

    def count_false_detections(*places: tuple[float, float]) -> int:
        tally = Tally()
        tally.add(
            "a.jpg", changed, [Prediction("red-1", np.asarray(box(x, y, 21, 29), float), False) for x, y in places]
        )
        return tally.invented

    assert count_false_detections((40, 90)) == count_false_detections((90, 40), (40, 90), (-20, 40), (40, -20)) == 0
    assert (count_false_detections((62, 80)), count_false_detections((40, 90), (70, 90))) == (1, 1)
    assert median_width_px(changed) == median_width_px(photo)


def test_linear_light_round_trips() -> None:
    levels = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(3, axis=2)
    assert np.array_equal(to_srgb(to_linear(levels)), levels)

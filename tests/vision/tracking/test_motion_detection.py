"""Motion detection: still, moving, covered or bumped, whatever the light does."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.truthful_networks import WH, lit, noisy, shifted, with_arm, with_tiles, wood
from tilekeeper.vision.scene import Rest, State
from tilekeeper.vision.tracking.motion_detection import MotionDetector

WOOD = wood()
TILES = [(x, y) for y in (120, 260, 400) for x in range(200, 700, 26)]
TABLE = with_tiles(WOOD, TILES)


def settled_on(*pictures: np.ndarray) -> tuple[MotionDetector, Rest, float]:
    """Push images one second apart into a detector that settles at once; return it, the last rest and the next time."""
    detector, time_s, rest = MotionDetector(0.0), 0.0, None
    for picture in pictures:
        rest = detector.push(picture, time_s)
        time_s += 1.0
    assert rest is not None
    return detector, rest, time_s


def test_still_frames_settle_once() -> None:
    detector = MotionDetector(0.3)
    rests = [detector.push(noisy(TABLE, seed), seed / 10) for seed in range(8)]
    assert [rest.state for rest in rests] == [State.MOVING] * 3 + [State.STILL] * 5
    assert [rest.settled for rest in rests] == [False] * 3 + [True] + [False] * 4
    assert rests[3].changed_px is None


def test_one_tile_on_a_large_table_changes_a_box_around_it() -> None:
    _, rest, _ = settled_on(noisy(TABLE, 0), noisy(TABLE, 1), noisy(with_tiles(TABLE, [(810, 300)]), 2))
    assert (rest.state, rest.settled) == (State.STILL, True)
    assert rest.changed_px is not None
    ((left, top, right, bottom),) = rest.changed_px
    assert 760 < left < 798 < 822 < right < 860
    assert 245 < top < 283 < 317 < bottom < 355


def test_other_print_at_the_same_place_is_a_change() -> None:
    """A tile is exchanged for another with the same outline."""
    _, rest, _ = settled_on(TABLE, with_tiles(TABLE, [(252, 260)], "8"))
    assert rest.settled
    assert rest.changed_px is not None
    assert len(rest.changed_px) == 1


def test_slowly_slid_tile_counts_as_moving_all_the_way() -> None:
    """Each step between two frames is too small to notice, but the distance from the start is not."""
    detector = MotionDetector(0.3)
    for step in range(60):
        rest = detector.push(with_tiles(WOOD, [(300 + 4 * step, 300)]), step / 20)
        assert rest.state is State.MOVING
    assert detector.push(with_tiles(WOOD, [(300 + 4 * 59, 300)]), 3.5).settled


@pytest.mark.parametrize(
    ("gain", "tilt"), [(1.08, 0.0), (0.8, 0.0), (1.3, 0.0), (0.65, 0.0)], ids=["up", "step down", "step up", "dim"]
)
def test_step_of_lamp_or_exposure_is_no_motion(gain: float, tilt: float) -> None:
    detector, _, time_s = settled_on(noisy(TABLE, 0))
    rest = detector.push(noisy(lit(TABLE, gain, tilt), 1), time_s)
    assert (rest.state, rest.settled) == (State.STILL, False)


def test_unevenly_drifting_lamp_is_no_motion() -> None:
    """The right side gets brighter and the left side darker, in the end by up to a fifth."""
    detector, _, time_s = settled_on(TABLE)
    for step in range(20):
        rest = detector.push(lit(TABLE, 1 - step / 200, step / 100), time_s + step / 10)
        assert (rest.state, rest.settled) == (State.STILL, False), step


def test_tile_placed_during_an_exposure_step_is_a_motion() -> None:
    detector, _, time_s = settled_on(TABLE)
    rest = detector.push(lit(with_tiles(TABLE, [(810, 300)]), 0.85), time_s)
    assert rest.settled
    assert rest.changed_px is not None
    assert len(rest.changed_px) == 1


@pytest.mark.parametrize(
    "bgr", [(110, 140, 205), (30, 28, 26), (235, 232, 228)], ids=["skin", "dark sleeve", "white sleeve"]
)
def test_arm_that_stays_covers_the_table_until_it_leaves(bgr: tuple[int, int, int]) -> None:
    detector, rest, time_s = settled_on(noisy(TABLE, 0), noisy(with_arm(TABLE, (400, 200), bgr), 1))
    assert (rest.state, rest.settled) == (State.HIDDEN, True)
    (outline,) = rest.hidden_px
    (left, top), (right, bottom) = outline.min(axis=0), outline.max(axis=0)
    assert left < 372
    assert top < 204
    assert right > 480
    assert bottom >= WH[1] - 4
    assert cv2.pointPolygonTest(outline, (400.0, 300.0), False) > 0
    assert cv2.pointPolygonTest(outline, (500.0, 220.0), False) < 0
    assert rest.changed_px is not None
    assert len(rest.changed_px) == 0
    rest = detector.push(noisy(TABLE, 2), time_s)
    assert (rest.state, rest.settled) == (State.STILL, True)
    assert rest.changed_px is not None
    assert len(rest.changed_px) == 0


@pytest.mark.parametrize(
    ("bgr", "gain"), [((235, 232, 228), 0.5), ((110, 140, 205), 0.6)], ids=["white sleeve", "skin"]
)
def test_arm_under_a_dimmed_lamp_is_an_occluder(bgr: tuple[int, int, int], gain: float) -> None:
    table = with_tiles(wood(3), TILES)
    _, rest, _ = settled_on(noisy(table, 0), noisy(lit(with_arm(table, (400, 200), bgr), gain), 1))
    assert rest.state is State.HIDDEN


def test_coat_as_bright_as_the_table_covers_it_until_it_leaves() -> None:
    """Grey on brown wood differs only in its colours."""
    grey = (110, 110, 110)
    coat = with_arm(with_arm(TABLE, (250, 150), grey), (650, 150), grey)
    cv2.rectangle(coat, (100, 380), (860, WH[1] + 20), grey, -1)
    detector, rest, time_s = settled_on(noisy(TABLE, 0), noisy(coat, 1))
    assert rest.state is State.HIDDEN
    assert detector.push(noisy(TABLE, 2), time_s).state is State.STILL


def test_bump_of_a_table_with_three_tiles_is_found() -> None:
    """Almost only the rim of the image shows the bump."""
    few_tiles = cv2.GaussianBlur(with_tiles(WOOD, [(300, 120), (326, 120), (352, 120)]), (0, 0), 1.2)
    _, rest, _ = settled_on(noisy(few_tiles, 0), noisy(shifted(few_tiles, 14, -9), 1))
    assert rest.shift is not None
    assert rest.shift[:2, 2] == pytest.approx((14, -9), abs=1.5)


@pytest.mark.parametrize("tile_px", [(810, 300), (330, 500)], ids=["far", "a tile and a half away"])
def test_tiles_placed_beside_a_resting_arm_are_a_change(tile_px: tuple[int, int]) -> None:
    arm = with_arm(TABLE, (400, 440))
    _, rest, _ = settled_on(TABLE, arm, with_arm(with_tiles(TABLE, [tile_px]), (400, 440)))
    assert (rest.state, rest.settled) == (State.HIDDEN, True)
    assert rest.changed_px is not None
    ((left, top, right, low),) = rest.changed_px
    assert left < tile_px[0] < right
    assert top < tile_px[1] < low


def test_change_close_to_an_arm_is_reported_up_to_the_arm() -> None:
    """The pattern comparison near an arm includes a part of the arm; the difference of the images does not."""
    tile_px = (488, 480)
    figure_left = tile_px[0] - 7
    before, after = (with_tiles(TABLE, [tile_px], digit) for digit in "58")
    _, rest, _ = settled_on(before, with_arm(before, (400, 440)), with_arm(after, (400, 440)))
    assert rest.state is State.HIDDEN
    assert rest.changed_px is not None
    ((left, _, right, _),) = rest.changed_px
    assert left < figure_left < tile_px[0] < right


def weave(seed: int, level: float = 80, depth: float = 14) -> np.ndarray:
    """Return a dark cloth with a weak pattern."""
    spots = np.random.default_rng(seed).normal(0, 1, (WH[1] // 8, WH[0] // 8)).astype(np.float32)
    pattern = cv2.resize(np.tanh(spots), WH, interpolation=cv2.INTER_CUBIC)
    return np.repeat(np.clip(level + depth * pattern, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


@pytest.mark.parametrize("seed", range(2, 10))
def test_resting_arm_with_noise_settles_only_once(seed: int) -> None:
    """The pattern of the cloth beside the arm is half unknown."""
    before = with_tiles(weave(1), TILES[:20])
    after = before.copy()
    after[330:520, 440:600] = weave(seed)[330:520, 440:600]
    arm = with_arm(after, (400, 440))
    detector, rest, time_s = settled_on(before, noisy(arm, 0, 2))
    assert rest.settled
    rests = [detector.push(noisy(arm, at, 2), time_s + at) for at in range(1, 4)]
    assert [(rest.state, rest.settled) for rest in rests] == [(State.HIDDEN, False)] * 3


def test_thing_pushed_in_from_the_edge_becomes_background() -> None:
    """A tray that stays must not cover the table forever."""
    tray = with_arm(TABLE, (400, 440), (60, 170, 60))
    detector, rest, time_s = settled_on(TABLE, tray)
    assert rest.state is State.HIDDEN
    rest = detector.push(tray, time_s + 7.5)
    assert (rest.state, rest.settled) == (State.STILL, True)
    assert rest.changed_px is not None
    assert len(rest.changed_px) >= 1
    assert not detector.push(tray, time_s + 8.5).settled


def test_shadow_over_the_edge_covers_nothing() -> None:
    """A person leans over the table, and every tile is still visible."""
    shade = with_arm(np.full_like(TABLE, 255), (400, 150), (170, 170, 170)).astype(np.float32) / 255
    shade = cv2.GaussianBlur(shade, (0, 0), 12)
    _, rest, _ = settled_on(TABLE, (TABLE * shade).astype(np.uint8))
    assert rest.state is State.STILL


def test_arm_over_the_edge_of_the_play_area_is_an_occluder() -> None:
    """Outside the play area the image is black."""
    mask = np.zeros((WH[1], WH[0], 1), np.uint8)
    cv2.fillPoly(mask, [np.array([[90, 60], [860, 80], [900, 470], [60, 450]])], 1)
    _, rest, _ = settled_on(TABLE * mask, with_arm(TABLE, (400, 200)) * mask)
    assert rest.state is State.HIDDEN


@pytest.mark.parametrize(("right", "down", "turn"), [(14, -9, 0.0), (5, 3, 0.0), (30, 18, 2.0)])
def test_bumped_camera_is_lost_and_its_shift_is_reported(right: float, down: float, turn: float) -> None:
    detector = MotionDetector(0.3)
    detector.push(TABLE, 0.0)
    assert detector.push(TABLE, 0.4).settled
    bumped = noisy(shifted(TABLE, right, down, turn), 5)
    assert detector.push(bumped, 0.5).state is State.LOST
    rest = detector.push(bumped, 1.0)
    assert (rest.state, rest.settled) == (State.STILL, True)
    assert rest.changed_px is None
    assert rest.shift is not None
    view = cv2.getRotationMatrix2D((WH[0] / 2, WH[1] / 2), turn, 1.0)
    points = np.array([[[x, y]] for x, y in TILES], np.float64)
    shifted_points = cv2.perspectiveTransform(points, rest.shift)
    true = points @ view[:, :2].T + view[:, 2] + (right, down)
    assert np.abs(shifted_points - true).max() < 1.5


@pytest.mark.parametrize(
    ("right", "down", "gain", "floor_bgr"),
    [(60, 40, 1.8, (115, 135, 190)), (-80, 0, 0.6, (115, 135, 190)), (0, -60, 1.25, (90, 110, 150))],
)
def test_parts_that_a_bump_brings_into_view_in_new_light_cover_nothing(
    right: float, down: float, gain: float, floor_bgr: tuple[int, int, int]
) -> None:
    """A plain floor is visible for the first time, so it cannot have changed."""
    bump = np.array([[1, 0, right], [0, 1, down]], np.float32)
    bumped = np.asarray(cv2.warpAffine(TABLE, bump, WH, borderValue=floor_bgr), np.uint8)
    _, rest, _ = settled_on(noisy(TABLE, 0, 2), noisy(lit(bumped, gain), 1, 2))
    assert (rest.state, rest.settled, rest.hidden_px) == (State.STILL, True, ())
    assert rest.shift is not None


@pytest.mark.parametrize(("right", "down"), [(1.2, -0.8), (3.0, 1.5)])
def test_arm_resting_during_a_bump_stays_an_occluder(right: float, down: float) -> None:
    table = cv2.GaussianBlur(with_tiles(WOOD, [(x, y) for x, y in TILES if x > 520]), (0, 0), 1.5)  # the blur of a lens
    detector = MotionDetector(0.3)
    detector.push(table, 0.0)
    assert detector.push(table, 0.4).settled
    with_both = shifted(with_arm(table, (300, 200)), right, down)
    detector.push(with_both, 0.5)
    rest = detector.push(with_both, 0.9)
    assert (rest.state, rest.settled, len(rest.hidden_px)) == (State.HIDDEN, True, 1)
    assert rest.changed_px is None
    assert rest.shift is not None
    bumped = shifted(table, right, down)
    detector.push(bumped, 1.0)
    rest = detector.push(bumped, 1.4)
    assert (rest.state, rest.hidden_px) == (State.STILL, ())


def test_exchanged_table_is_read_as_a_whole() -> None:
    other = cv2.flip(with_tiles(wood(7), TILES[:9]), -1)
    _, rest, _ = settled_on(TABLE, other)
    assert rest.settled
    assert rest.changed_px is None
    assert rest.shift is None


@pytest.mark.parametrize("wh", [(1920, 1080), (1280, 720), (640, 480), (320, 240), (1080, 1920)])
def test_frames_of_any_size_settle_and_move(wh: tuple[int, int]) -> None:
    detector = MotionDetector(0.0)
    before, after = (cv2.resize(table, wh) for table in (TABLE, with_tiles(TABLE, [(810, 300)])))
    assert detector.push(before, 0.0).changed_px is None
    rest = detector.push(after, 1.0)
    assert rest.changed_px is not None
    ((left, top, right, bottom),) = rest.changed_px * np.tile(np.array(WH) / wh, 2)
    assert left < 810 < right
    assert top < 300 < bottom
    assert detector.push(TABLE[:, ::-1], 2.0).changed_px is None


def rug(seed: int) -> np.ndarray:
    """Return a table with a pattern all over it."""
    spots = np.random.default_rng(seed).normal(0, 1, (WH[1] // 12, WH[0] // 12)).astype(np.float32)
    pattern = cv2.resize(np.tanh(spots), WH, interpolation=cv2.INTER_CUBIC)
    return np.repeat(np.clip(110 + 45 * pattern, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def test_exchanged_table_is_not_taken_for_a_change_of_light() -> None:
    """If everything changes the noise threshold is high, and only the pattern shows it."""
    detector = MotionDetector(0.3)
    for step in range(8):
        detector.push(noisy(rug(0), step), step / 8)
    rests = [detector.push(noisy(rug(1), step), 1 + step / 8) for step in range(16)]
    (settled,) = [rest for rest in rests if rest.settled]
    if settled.changed_px is not None:
        sides = settled.changed_px[:, 2:] - settled.changed_px[:, :2]
        assert sides.prod(axis=1).sum() > 0.9 * WH[0] * WH[1]
    assert rests[-1].state is State.STILL


def test_dark_stripe_of_an_exchanged_table_is_no_sleeve() -> None:
    """Most of an exchanged rug looks like a change of light, but a stripe that reaches the edge does not."""
    striped = rug(2)
    cv2.rectangle(striped, (300, 200), (350, WH[1]), (25, 25, 25), -1)
    _, rest, _ = settled_on(rug(1), striped)
    assert (rest.state, rest.settled, rest.hidden_px) == (State.STILL, True, ())


def test_row_close_to_the_edge_covers_nothing() -> None:
    """The change of pattern around the tiles reaches the edge; the tiles do not."""
    row = [(x, WH[1] - 30) for x in range(400, 560, 26)]
    _, rest, _ = settled_on(TABLE, with_tiles(TABLE, row))
    assert (rest.state, rest.settled, rest.hidden_px) == (State.STILL, True, ())


def test_change_that_only_the_pattern_shows_is_found_while_nothing_moves() -> None:
    detector, cloth = MotionDetector(0.3), weave(1, 30, 7)
    other = cloth.copy()
    other[60:260, 560:860] = weave(2, 30, 7)[60:260, 560:860]
    shown = (
        [cloth] * 8
        + [with_arm(cloth, (400, 440), (60, 170, 60))] * 16
        + [with_arm(other, (400, 440), (60, 170, 60))] * 32
    )
    rests = [detector.push(noisy(picture, step, 3), step / 8) for step, picture in enumerate(shown)]
    assert [rest.state for rest in rests[12:24]] == [State.HIDDEN] * 12
    assert any(rest.settled for rest in rests[24:32])
    assert State.MOVING not in [rest.state for rest in rests[24:]]
    assert rests[-1].state is State.STILL


def test_table_in_the_dark_is_kept_as_it_was() -> None:
    detector, _, time_s = settled_on(noisy(TABLE, 0), noisy(TABLE, 1))
    dark = [detector.push(noisy(np.zeros_like(TABLE), step), time_s + 20 * step) for step in range(4)]
    assert {(rest.state, rest.settled) for rest in dark} == {(State.LOST, False)}
    rests = [detector.push(noisy(TABLE, step), time_s + 100 + step) for step in range(3)]
    (settled,) = [rest for rest in rests if rest.settled]
    assert settled.changed_px is not None
    assert len(settled.changed_px) == 0


def test_dimmer_lamp_after_the_dark_is_the_same_table() -> None:
    detector, _, time_s = settled_on(noisy(TABLE, 0), noisy(TABLE, 1))
    dimmer = (TABLE * 0.5).astype(np.uint8)
    assert not any(detector.push(noisy(dimmer, step), time_s + step).settled for step in range(5))


def test_resting_hand_is_not_compared_with_the_table_beneath() -> None:
    detector = MotionDetector(0.3)
    for step in range(8):
        detector.push(noisy(TABLE, step), step / 8)
    rests = [detector.push(noisy(with_arm(TABLE, (500, 300)), step), 1 + step / 8) for step in range(24)]
    assert sum(rest.settled for rest in rests) == 1
    assert rests[-1].state is State.HIDDEN


def test_exchanged_table_after_the_dark_is_read_as_a_whole() -> None:
    """The other table is as bright as the first, so the difference of the images shows only parts of it."""
    detector, _, time_s = settled_on(noisy(rug(0), 0), noisy(rug(0), 1))
    for step in range(4):
        detector.push(noisy(np.zeros_like(TABLE), step), time_s + 20 * step)
    rests = [detector.push(noisy(rug(1), step), time_s + 100 + step) for step in range(3)]
    (settled,) = [rest for rest in rests if rest.settled]
    assert settled.changed_px is None
    assert settled.shift is None

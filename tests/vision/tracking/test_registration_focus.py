"""A table that is out of focus counts as unchanged and is not read until it is sharp."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.truthful_networks import (
    WH,
    PlayedTable,
    labels_by_track,
    noisy,
    picture,
    row,
    shifted,
    with_arm,
    with_tiles,
    wood,
)
from tilekeeper.vision.scene import Rest, State
from tilekeeper.vision.tracking import motion_detection
from tilekeeper.vision.tracking.motion_detection import MotionDetector

TILES = [(x, y) for y in (120, 260, 400) for x in range(200, 700, 26)]
TABLE = with_tiles(wood(), TILES)
LAID = [
    *row(200, 120, "red-3", "red-4", "red-5", "red-6"),
    *row(500, 120, "red-7", "blue-7", "black-7"),
    *row(200, 300, "blue-9", "blue-10", "blue-11", "blue-12"),
]


def blurred(image: np.ndarray, spread_px: float = 3.0, larger: float = 1.0) -> np.ndarray:
    """Return the image as a lens shows it that is focused on something else."""
    breath = cv2.getRotationMatrix2D((WH[0] / 2, WH[1] / 2), 0, larger)
    breathed = cv2.warpAffine(image, breath, WH, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(breathed, (0, 0), spread_px), np.uint8)


def rests_of(*pictures: np.ndarray) -> list[Rest]:
    """Return the rests of a detector that settles at once, for images one second apart."""
    detector = MotionDetector(0.0)
    return [detector.push(noisy(image, at, 2), float(at)) for at, image in enumerate(pictures)]


@pytest.mark.parametrize(("spread_px", "larger"), [(2.0, 1.01), (5.0, 1.0)])
def test_blurred_table_is_not_read_until_it_is_sharp(spread_px: float, larger: float) -> None:
    soft = blurred(TABLE, spread_px, larger)
    _, unsharp, still_unsharp, sharp = rests_of(TABLE, soft, soft, TABLE)
    assert not unsharp.settled
    assert not still_unsharp.settled
    assert (sharp.state, sharp.settled, sharp.shift) == (State.STILL, True, None)
    assert sharp.changed_px is not None
    assert not len(sharp.changed_px)


def test_tile_placed_while_out_of_focus_is_read_once_it_is_sharp() -> None:
    more = with_tiles(TABLE, [(810, 300)])
    _, unsharp, sharp = rests_of(TABLE, blurred(more), more)
    assert not unsharp.settled
    assert sharp.changed_px is not None
    ((left, top, right, low),) = sharp.changed_px
    assert 760 < left < 798 < 822 < right < 860
    assert 245 < top < 283 < 317 < low < 355


def test_arm_that_draws_the_focus_delays_the_reading() -> None:
    """It is the most common reason for a blurred image."""
    _, unsharp, sharp = rests_of(TABLE, blurred(with_arm(TABLE, (400, 300))), TABLE)
    assert not unsharp.settled
    assert sharp.settled
    assert sharp.changed_px is not None
    assert not len(sharp.changed_px)


def test_camera_that_stays_out_of_focus_is_read_after_four_seconds() -> None:
    """There is no better image to wait for; it is read once."""
    detector = MotionDetector(0.0)
    detector.push(noisy(TABLE, 0, 2), 0.0)
    rests = [detector.push(noisy(blurred(TABLE, 5.0), at, 2), at / 4) for at in range(4, 40)]
    assert [rest.state for rest in rests[:16]] == [State.MOVING] * 16
    assert [rest.settled for rest in rests[16:]] == [True] + [False] * 19


def test_moves_while_out_of_focus_do_not_restart_the_wait() -> None:
    """A hand comes back every two seconds before a lens that stays blurred."""
    detector = MotionDetector(0.35)
    soft = blurred(more := with_tiles(TABLE, [(810, 300)]), 3.0)
    hand, pictures = blurred(with_arm(more, (400, 300)), 3.0), [TABLE] * 8
    for _ in range(4):
        pictures += [hand] * 3 + [soft] * 13
    settled = [at / 8 for at, image in enumerate(pictures) if detector.push(noisy(image, at, 2), at / 8).settled]
    assert settled[0] < 1
    assert 4 < settled[1] - 1 < 6.5


@pytest.mark.parametrize(("tiles", "sigma"), [(TILES[:8], 6.0), (TILES, 2.0)])
def test_few_tiles_on_a_plain_cloth_with_noise_still_show_blur(tiles: list[tuple[int, int]], sigma: float) -> None:
    table = with_tiles(np.full_like(TABLE, 0) + np.array((40, 95, 60), np.uint8), tiles)
    detector = MotionDetector(0.0)
    detector.push(noisy(table, 1, sigma), 0.0)
    assert not detector.push(noisy(blurred(table), 2, sigma), 1.0).settled
    assert detector.push(noisy(table, 3, sigma), 2.0).settled


def test_hand_that_moves_for_long_still_delays_the_reading() -> None:
    """A turn takes longer than the wait; only time at rest counts."""
    detector = MotionDetector(0.35)
    hands = [blurred(with_arm(TABLE, (350 + at % 8 * 20, 300))) for at in range(40)]
    pictures = [TABLE] * 8 + [hands[0]] * 8 + hands + [hands[0]] * 8 + [TABLE] * 6
    rests = [detector.push(noisy(image, at, 2), at / 8) for at, image in enumerate(pictures)]
    _, last = (rest for rest in rests if rest.settled)
    assert (last.state, len(last.parts_px)) == (State.STILL, 0)


@pytest.mark.parametrize("count", [1, 20])
@pytest.mark.parametrize("ground", [wood(), np.full_like(TABLE, 0) + np.array((40, 95, 60), np.uint8)])
def test_table_cleared_of_all_tiles_is_not_out_of_focus(count: int, ground: np.ndarray) -> None:
    assert rests_of(with_tiles(ground, TILES[:count]), ground)[1].settled


@pytest.mark.parametrize("gain", [0.25, 1.5])
def test_lamp_turned_down_or_up_is_not_out_of_focus(gain: float) -> None:
    relit = np.clip(with_tiles(wood(), TILES[1:]) * gain, 0, 255).astype(np.uint8)
    assert rests_of(TABLE, relit)[1].settled


def test_camera_out_of_focus_is_checked_twice_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check takes as long as one second of frames of a still table."""
    calls: list[float] = []
    monkeypatch.setattr(motion_detection, "is_out_of_focus", lambda *_: calls.append(1) or True)
    detector = MotionDetector(0.0)
    detector.push(noisy(TABLE, 0, 2), 0.0)
    for at in range(8, 24):
        detector.push(noisy(blurred(TABLE), at, 2), at / 8)
    assert len(calls) == 4


def test_blurred_other_table_and_bumped_table_are_read() -> None:
    """There are no known tiles on another table, and a bumped table may stay bumped."""
    other = blurred(cv2.flip(with_tiles(wood(7), TILES[:9]), -1))
    for image in (other, blurred(shifted(TABLE, 24, -15))):
        _, rest = rests_of(TABLE, image)
        assert rest.settled
        assert rest.changed_px is None


@pytest.mark.parametrize("image", [noisy(TABLE, 7), TABLE // 3, with_tiles(TABLE, [(810, 300)])])
def test_change_as_sharp_as_before_is_read_at_once(image: np.ndarray) -> None:
    assert rests_of(TABLE, image)[1].state is State.STILL


def test_table_without_texture_is_never_out_of_focus() -> None:
    assert rests_of(np.full_like(TABLE, 90), TABLE)[1].settled
    assert rests_of(blurred(TABLE), TABLE)[1].settled


def test_blurred_tiles_keep_their_labels_and_corrections() -> None:
    played = PlayedTable()
    before = played.still(LAID)
    track = next(iter(labels_by_track(before)))
    played.reader.correct(track, "joker")
    known = labels_by_track(played.reader.reading)
    unsharp = played.still([(930, 30, "no-tile")], blurred(picture(LAID)))
    assert labels_by_track(unsharp) == known
    assert not played.reader.is_done
    reading = played.still(more := [*LAID, (700, 400, "orange-1")])
    assert len(reading.tiles) == len(more)
    assert known.items() <= labels_by_track(reading).items()

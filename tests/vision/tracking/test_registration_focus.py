"""A camera out of focus: what it no longer shows is as it was, and nothing is read until it sees again."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.truthful_networks import WH, Played, noisy, picture, row, shifted, told, with_arm, with_tiles, wood
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
    """The picture as a lens shows it that is focused on something else."""
    breath = cv2.getRotationMatrix2D((WH[0] / 2, WH[1] / 2), 0, larger)
    breathed = cv2.warpAffine(image, breath, WH, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(breathed, (0, 0), spread_px), np.uint8)


def rests_of(*pictures: np.ndarray) -> list[Rest]:
    """What a gate that waits for nothing says of pictures a second apart."""
    gate = MotionDetector(0.0)
    return [gate.push(noisy(one, at, 2), float(at)) for at, one in enumerate(pictures)]


@pytest.mark.parametrize("spread_px", [2.0, 3.0, 5.0])
@pytest.mark.parametrize("larger", [1.0, 1.01])
def test_a_table_out_of_focus_is_waited_for(spread_px: float, larger: float) -> None:
    """Nothing of it is to be read, neither while it is blurred nor once it is in focus again."""
    soft = blurred(TABLE, spread_px, larger)
    _, out, still, back = rests_of(TABLE, soft, soft, TABLE)
    assert not out.settled
    assert not still.settled
    assert (back.state, back.settled, back.shift) == (State.STILL, True, None)
    assert back.changed_px is not None
    assert not len(back.changed_px)


def test_what_was_laid_while_the_camera_was_out_of_focus_is_told_once_it_is_seen() -> None:
    """And nothing else is."""
    more = with_tiles(TABLE, [(810, 300)])
    _, out, back = rests_of(TABLE, blurred(more), more)
    assert not out.settled
    assert back.changed_px is not None
    ((left, top, right, low),) = back.changed_px
    assert 760 < left < 798 < 822 < right < 860
    assert 245 < top < 283 < 317 < low < 355


def test_an_arm_that_draws_the_focus_is_waited_for() -> None:
    """It is the commonest reason why a camera loses it."""
    _, out, back = rests_of(TABLE, blurred(with_arm(TABLE, (400, 300))), TABLE)
    assert not out.settled
    assert back.settled
    assert back.changed_px is not None
    assert not len(back.changed_px)


def test_a_camera_that_stays_out_of_focus_is_read_as_it_is() -> None:
    """There is no better picture to wait for; it is read once."""
    gate = MotionDetector(0.0)
    gate.push(noisy(TABLE, 0, 2), 0.0)
    rests = [gate.push(noisy(blurred(TABLE, 5.0), at, 2), at / 4) for at in range(4, 40)]
    assert [rest.state for rest in rests[:16]] == [State.MOVING] * 16
    assert [rest.settled for rest in rests[16:]] == [True] + [False] * 19


def test_whoever_plays_on_meanwhile_is_not_kept_waiting_for_longer() -> None:
    """A lens that stays a little off: a hand is back every two seconds, and what was laid is read all the same."""
    gate = MotionDetector(0.35)
    soft = blurred(more := with_tiles(TABLE, [(810, 300)]), 3.0)
    hand, pictures = blurred(with_arm(more, (400, 300)), 3.0), [TABLE] * 8
    for _ in range(4):
        pictures += [hand] * 3 + [soft] * 13
    settled = [at / 8 for at, one in enumerate(pictures) if gate.push(noisy(one, at, 2), at / 8).settled]
    assert settled[0] < 1
    assert 4 < settled[1] - 1 < 6.5


@pytest.mark.parametrize("sigma", [2.0, 4.0, 6.0])
@pytest.mark.parametrize("tiles", [TILES[:8], TILES])
def test_a_cloth_without_a_pattern_and_noise_hide_no_blur(tiles: list[tuple[int, int]], sigma: float) -> None:
    """What tells is the tiles alone; noise steps as much as before."""
    table = with_tiles(np.full_like(TABLE, 0) + np.array((40, 95, 60), np.uint8), tiles)
    gate = MotionDetector(0.0)
    gate.push(noisy(table, 1, sigma), 0.0)
    assert not gate.push(noisy(blurred(table), 2, sigma), 1.0).settled
    assert gate.push(noisy(table, 3, sigma), 2.0).settled


def test_a_hand_that_moves_for_long_draws_the_focus_no_less() -> None:
    """A turn takes longer than a camera that stays out of focus is waited for; what counts is what is seen at rest."""
    gate = MotionDetector(0.35)
    hands = [blurred(with_arm(TABLE, (350 + at % 8 * 20, 300))) for at in range(40)]
    pictures = [TABLE] * 8 + [hands[0]] * 8 + hands + [hands[0]] * 8 + [TABLE] * 6
    rests = [gate.push(noisy(one, at, 2), at / 8) for at, one in enumerate(pictures)]
    _, last = (rest for rest in rests if rest.settled)
    assert (last.state, len(last.parts_px)) == (State.STILL, 0)


@pytest.mark.parametrize("count", [1, 3, 8, 20])
@pytest.mark.parametrize("ground", [wood(), np.full_like(TABLE, 0) + np.array((40, 95, 60), np.uint8)])
def test_tiles_that_were_all_taken_are_no_blur(count: int, ground: np.ndarray) -> None:
    """Light steps less where they lay, and no blur tells that they are gone."""
    assert rests_of(with_tiles(ground, TILES[:count]), ground)[1].settled


@pytest.mark.parametrize("gain", [0.25, 0.5, 1.5])
def test_a_lamp_that_is_turned_down_or_up_is_no_blur(gain: float) -> None:
    """A tile that was taken meanwhile is told at once."""
    less = np.clip(with_tiles(wood(), TILES[1:]) * gain, 0, 255).astype(np.uint8)
    assert rests_of(TABLE, less)[1].settled


def test_a_camera_out_of_focus_is_looked_at_twice_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """To find out takes as long as a table at rest does in a second."""
    asked: list[float] = []
    monkeypatch.setattr(motion_detection, "is_out_of_focus", lambda *_: asked.append(1) or True)
    gate = MotionDetector(0.0)
    gate.push(noisy(TABLE, 0, 2), 0.0)
    for at in range(8, 24):
        gate.push(noisy(blurred(TABLE), at, 2), at / 8)
    assert len(asked) == 4


def test_another_table_out_of_focus_and_a_bumped_one_are_read() -> None:
    """Nothing of the one is known, and the other may stay where it is."""
    other = blurred(cv2.flip(with_tiles(wood(7), TILES[:9]), -1))
    for seen in (other, blurred(shifted(TABLE, 24, -15))):
        _, rest = rests_of(TABLE, seen)
        assert rest.settled
        assert rest.changed_px is None


@pytest.mark.parametrize("seen", [noisy(TABLE, 7), TABLE // 3, with_tiles(TABLE, [(810, 300)])])
def test_what_is_as_sharp_is_not_waited_for(seen: np.ndarray) -> None:
    """Noise is no sharpness, less light no blur, and a tile that was laid is seen."""
    assert rests_of(TABLE, seen)[1].state is State.STILL


def test_a_flat_table_is_never_out_of_focus() -> None:
    """A blank picture, and a camera that has only now found its focus, are read."""
    assert rests_of(np.full_like(TABLE, 90), TABLE)[1].settled
    assert rests_of(blurred(TABLE), TABLE)[1].settled


def test_tiles_keep_their_names_and_a_persons_word_while_nobody_could_read_them() -> None:
    """What is laid meanwhile is told once it is seen."""
    played = Played()
    before = played.still(LAID)
    track = next(iter(told(before)))
    played.reader.correct(track, "joker")
    known = told(played.reader.reading)
    out = played.still([(930, 30, "no-tile")], blurred(picture(LAID)))
    assert told(out) == known
    assert not played.reader.is_done
    again = played.still(more := [*LAID, (700, 400, "orange-1")])
    assert len(again.tiles) == len(more)
    assert known.items() <= told(again).items()

"""The film of a game night is complete and within its limits, for any names and pictures."""

import subprocess
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.support.lying_pictures import LIES
from tilekeeper.companion.capture import time_lapse
from tilekeeper.companion.capture.time_lapse import FILM, Film, Shot, film_command, make_film, select_evenly

LONG = "Bartholomäus-Maximilian von und zu Hohenstaufen-Katzenellenbogen"


def picture(path: Path, bright: int, seed: int | None = None) -> Path:
    """Write a picture of a table with a black margin around the play area."""
    image = np.zeros((480, 640, 3), np.uint8)
    area = image[60:420, 80:560]
    area[:] = bright if seed is None else np.random.default_rng(seed).integers(0, 256, area.shape)
    cv2.imwrite(str(path), image)
    return path


def film(folder: Path, count: int, name: str = "Ada", noise: bool = False) -> Film:
    shots = [
        Shot(
            str(picture(folder / f"{at}.jpg", 60 + 2 * at, at if noise else None)),
            name,
            f"turn {at}",
            at % 2 == 0,
            (200, 60, 10),
        )
        for at in range(count)
    ]
    return Film(("An evening", "Ada and Bo"), tuple(shots), ("Ada wins",))


def frames_of(data: bytes) -> list[np.ndarray]:
    read, animation = cv2.imdecodeanimation(np.frombuffer(data, np.uint8))
    assert read
    return [frame[:, :, :3] for frame in animation.frames]


def test_film_has_a_frame_for_each_turn_between_two_cards(tmp_path):
    data = make_film(film(tmp_path, 5))
    assert data is not None
    frames = frames_of(data)
    assert len(frames) == 7
    # The margin that is black in all pictures is cut off: the play area, 4:3 here, fills the width.
    assert frames[1].shape[:2] == (450 + time_lapse.STRIP_PX, time_lapse.WIDTH_PX)
    levels = [float(frame[:400].mean()) for frame in frames[1:-1]]
    assert levels == sorted(levels)
    assert levels[0] > 50


def test_illegal_turn_has_a_cross_and_legal_turn_a_tick(tmp_path):
    data = make_film(film(tmp_path, 2))
    assert data is not None
    stands, falls = (frame[-time_lapse.STRIP_PX :, -80:].astype(int) for frame in frames_of(data)[1:3])
    green = stands[..., 1] - stands[..., 2]
    red = falls[..., 2] - falls[..., 1]
    assert (green > 60).sum() > 300
    assert (red > 60).sum() > 300


def test_long_name_stays_inside_the_caption(tmp_path):
    data = make_film(film(tmp_path, 1, LONG))
    assert data is not None
    strip = frames_of(data)[1][-time_lapse.STRIP_PX + 10 :]
    assert strip[:, :14].min() > 200
    assert strip[:, -14:].min() > 200


@pytest.mark.parametrize(
    ("count", "most", "expected"), [(3, 5, [0, 1, 2]), (9, 5, [0, 2, 4, 6, 8]), (200, 2, [0, 199])]
)
def test_many_turns_are_shown_evenly_up_to_the_last(count, most, expected):
    assert list(select_evenly(range(count), most)) == expected


@pytest.mark.slow
def test_too_large_film_is_made_of_fewer_pictures(tmp_path, monkeypatch):
    whole = make_film(film(tmp_path, 8, noise=True))
    assert whole is not None
    monkeypatch.setattr(time_lapse, "LARGEST_BYTES", len(whole) // 2)
    smaller = make_film(film(tmp_path, 8, noise=True))
    assert smaller is not None
    assert len(smaller) <= len(whole) // 2
    assert 3 <= len(frames_of(smaller)) < 10


def test_missing_or_damaged_pictures_are_left_out(tmp_path):
    described = film(tmp_path, 3)
    (tmp_path / "0.jpg").unlink()
    (tmp_path / "1.jpg").write_bytes(b"no picture")
    data = make_film(described)
    assert data is not None
    assert len(frames_of(data)) == 3
    (tmp_path / "2.jpg").unlink()
    assert make_film(described) is None


@pytest.mark.parametrize("lie", LIES)
def test_pictures_that_lie_are_left_out_at_once(tmp_path, lie):
    """A restored archive may have such pictures; OpenCV would work on one for minutes, or give up the film."""
    described = film(tmp_path, 2)
    (tmp_path / "0.jpg").write_bytes(LIES[lie]())
    before_s = time.process_time()
    data = make_film(described)
    assert data is not None
    assert len(frames_of(data)) == 3
    assert time.process_time() - before_s < 5


@pytest.mark.slow
def test_film_process_reads_a_description_and_writes_the_film(tmp_path):
    done = subprocess.run(film_command(), input=FILM.dump_json(film(tmp_path, 2)), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout[:6] in (b"GIF89a", b"GIF87a")
    empty = FILM.dump_json(Film(("x",), (), ("y",)))
    assert subprocess.run(film_command(), input=empty, capture_output=True, check=False).returncode == 1

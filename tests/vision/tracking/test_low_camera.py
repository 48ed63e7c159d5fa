"""A game filmed from 25° above the table is read in a rectified view until the camera is raised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from tests.support.frames import Frame
from tilekeeper.datasets.synthesis.recordings.recording import Plan, Recording, shoot
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.vision.scene import State
from tilekeeper.vision.shipped import load_reader
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import TableReading

pytestmark = pytest.mark.slow

WH, FPS, WIDE = (1280, 720), 2.5, 1920


@dataclass(frozen=True)
class Film:
    """A film from straight above; `low` returns the same film from 25° above the table."""

    recording: Recording
    frames: list[np.ndarray]

    def low(self) -> Iterator[np.ndarray]:
        rise, (width, height) = np.radians(25), WH
        away, focal = 2.2 * width, 2.4 * width
        tilt = np.array([[focal, 0, 0], [0, focal * np.sin(rise), 0], [0, -np.cos(rise), away]])
        tilted = tilt @ np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]])
        ends = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float64)
        corners = cv2.perspectiveTransform(ends, tilted)[0]
        low, wh = corners.min(axis=0), np.ptp(corners, axis=0)
        scale = WIDE / wh[0]
        placed = np.array([[scale, 0, -scale * low[0]], [0, scale, -scale * low[1]], [0, 0, 1]]) @ tilted
        for frame in self.frames:
            yield cv2.warpPerspective(frame, placed, (WIDE, int(scale * wh[1])), borderMode=cv2.BORDER_REPLICATE)


@pytest.fixture(scope="module")
def film() -> Film:
    frames: list[np.ndarray] = []
    plan = Plan(7001, turns=2, fouls=0, melds=10, players=2, pool="kept-out", fps=FPS, wh=WH, tile_px=27.0, still_s=3.2)
    return Film(shoot(plan, frames.append), frames)


def certain(reading: TableReading) -> Counter[str]:
    return Counter(tile.label for tile in reading.tiles if not tile.doubtful)


def test_low_camera_that_is_raised_follows_the_turns_with_the_same_tracks(film: Film) -> None:
    reader, ends = FrameReader(load_reader(2), 0.5), {still.last_frame: still for still in film.recording.stills}
    kept: list[float] = []
    tracks: set[int] = set()
    for at, image in enumerate(film.low()):
        reading = reader.push(Frame(image, at / FPS))
        if at not in ends:
            continue
        assert reader.rest.state in (State.STILL, State.HIDDEN)
        true_labels = Counter(tile.label for meld in parse_table(ends[at].table).melds for tile in meld)
        read = certain(reading)
        assert not read - true_labels
        assert sum((true_labels - read).values()) <= 2
        assert reading.image_wh == (image.shape[1], image.shape[0])
        current = {tile.sighting.track for tile in reading.tiles}
        kept.append(len(tracks & current) / max(1, len(tracks)))
        tracks = current
    assert len(kept) >= 2
    assert min(kept[1:]) > 0.9

    # the camera now hangs above the table, so its image needs no rectification
    begun = len(film.frames) / FPS
    for number in range(6):
        reading = reader.push(Frame(film.frames[-1], begun + number / FPS))
    true_labels = Counter(tile.label for meld in parse_table(film.recording.stills[-1].table).melds for tile in meld)
    assert not certain(reading) - true_labels
    assert sum((true_labels - certain(reading)).values()) <= 1
    assert reading.image_wh == WH

"""A rendered table as a stream of a network camera at full frame rate: hands come, place tiles, and leave."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from tests.benchmarks.companion.jpeg_stream import STARTS_WITHIN_S, JpegStream, NoStream
from tilekeeper.datasets.synthesis.recordings.recording import Plan, Shooting

FPS = 30
SIZE_WH, TILE_PX = (1920, 1080), 40.0
JPEG_QUALITY = 88
HAND_FRAMES, HAND_TAKES = 8, 2
"""Number of images of a hand that comes and goes, and the number of frames for each."""
STILL_FRAMES = 4
"""Number of images of a still table that take turns; they differ by the camera's noise."""


@dataclass(frozen=True, slots=True)
class Scene:
    """JPEG images of a hand that builds a table, and of the table afterwards."""

    hand: tuple[bytes, ...]
    still: tuple[bytes, ...]


def render_scenes(seed: int, fouls: int, wh: tuple[int, int] = SIZE_WH, tile_px: float = TILE_PX) -> list[Scene]:
    """Return the tables of a game in order: a beginning, a legal turn, then fouls, each with its correction.

    Raises:
        ValueError: if there is no room for the game.
    """
    taken: list[bytes] = []

    def take(image_bgr: np.ndarray) -> None:
        _, jpeg = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        taken.append(jpeg.tobytes())

    def taken_now() -> tuple[bytes, ...]:
        pictures = tuple(taken)
        taken.clear()
        return pictures

    plan = Plan(50_000 + seed, fouls + 1, fouls, melds=10, fps=STILL_FRAMES, wh=wh, tile_px=tile_px)
    shooting = Shooting(plan, take)
    laid = shooting.game.begin
    shooting.hold(laid, 1.0, None)
    scenes = [Scene((), taken_now())]
    for attempt in shooting.game.attempts:
        shooting.play(laid, attempt, HAND_FRAMES)
        hand = taken_now()
        shooting.hold(attempt.laid, 1.0, None)
        scenes.append(Scene(hand, taken_now()))
        laid = attempt.laid
    return scenes


class OnAir:
    """Shows tables that a hand builds, until it is closed; one app can watch it once at `address`."""

    def __init__(self, scene: Scene, fps: int = FPS) -> None:
        """Begin with a still table; ffmpeg waits for a watcher.

        Raises:
            NoStream: if ffmpeg is not installed or does not start.
        """
        self._changed = threading.Condition()
        self._hand: list[bytes] = []
        self._still: Sequence[bytes] = scene.still
        self._hand_gone_s = 0.0
        self._stream = JpegStream(self._picture, fps)
        self.address = self._stream.address

    def lay(self, scene: Scene) -> None:
        """Show a hand, and then this table."""
        with self._changed:
            self._hand = [jpeg for jpeg in scene.hand for _ in range(HAND_TAKES)]
            self._still = scene.still
            self._hand_gone_s = 0.0

    def hand_gone_s(self) -> float:
        """Wait until the hand is gone; return when its last image was sent (`time.time`).

        Raises:
            NoStream: if the stream has stalled.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._hand_gone_s > 0, STARTS_WITHIN_S):
                raise NoStream("the stream stands still: nobody watches it any more")
            return self._hand_gone_s

    def close(self) -> None:
        """End the stream and its process."""
        self._stream.close()

    def _picture(self, number: int) -> bytes:
        with self._changed:
            if self._hand:
                return self._hand.pop(0)
            if not self._hand_gone_s:
                self._hand_gone_s = time.time()
                self._changed.notify_all()
            return self._still[number % len(self._still)]

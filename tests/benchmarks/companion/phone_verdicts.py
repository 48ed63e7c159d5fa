"""Time from Done to the verdict with a phone as camera: its page films a recording with a browser's fake camera."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.companion.app_process import running_app
from tests.benchmarks.companion.evening_on_air import EveningOnAir
from tests.benchmarks.companion.on_air import FPS, HAND_TAKES, Scene
from tests.benchmarks.companion.verdict_times import browser_page, figures_of_still, press_done, watch_done

SIZE_WH, TILE_PX = (1280, 720), 30.0
STILL_S = 6.0
"""Time of each table before the next hand comes; a later verdict would be on another table."""


class Film:
    """A recorded game that a camera repeats at its own pace; see `OnAir`."""

    def __init__(self, scenes: Sequence[Scene], path: Path) -> None:
        """Write the film as MJPEG, which browsers show at 30 frames a second."""
        with path.open("wb") as film:
            for scene in scenes:
                for jpeg in scene.hand:
                    film.write(jpeg * HAND_TAKES)
                for number in range(round(STILL_S * FPS)):
                    film.write(scene.still[number % len(scene.still)])
        self.path = path

    def lay(self, scene: Scene) -> None:
        """Do nothing, because the film shows the table by itself."""

    def hand_gone_s(self) -> float:
        """Return a time without a meaning; the game night waits until the table was read."""
        return time.time()


def time_phone_verdicts(scenes: Sequence[Scene], turns: int, on_progress: Callable[[int], None]) -> dict[str, Any]:
    """Press Done in turns on a still table that a phone's page films; return milliseconds.

    Raises:
        NoBrowser: if there is none.
        AppFailed: if app or page do not reach an expected state.
    """
    still_ms: list[float] = []
    verdicts: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        film = Film(scenes, Path(folder) / "game.mjpeg")
        camera = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
        shows = f"--use-file-for-fake-video-capture={film.path}"
        with (
            running_app("--source", "phone") as app,
            browser_page(app, "camera", *camera, shows) as phone,
        ):
            phone.locator("#start").click()
            phone.locator("#phone[data-state='sending']").wait_for()
            evening = EveningOnAir(app, film, scenes)
            browser = phone.context.browser
            assert browser is not None
            page = browser.new_page(viewport={"width": 1180, "height": 820})
            app.let_in(page.context)
            page.goto(app.address)
            watch_done(page)
            for _ in range(turns):
                evening.lay_next()
                evening.wait_until_read(evening.reading_number)
                pressed_ms, painted_ms, _ = press_done(page)
                still_ms.append(painted_ms - pressed_ms)
                verdicts.append(evening.note_verdict())
                on_progress(1)
    return figures_of_still(still_ms) | {"said": {kind: verdicts.count(kind) for kind in sorted(set(verdicts))}}

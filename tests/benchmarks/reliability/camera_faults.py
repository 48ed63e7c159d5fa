"""Causes random camera faults while turns are played and judged.

The camera is simulated and its clock counts its frames, so an hour of faults takes minutes and gives the same result on
every machine. Its frames go through the same code as those of a real camera: `capture.health`, the tracker and the
shipped networks. Nobody presses Done in the first two seconds of a fault, because a hand needs that time.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from unittest import mock

import cv2
import numpy as np
from flask.testing import FlaskClient

from tests.benchmarks.reliability.report import Outcome
from tests.support.judged_turns import JudgedTurns
from tests.support.rendered_tables import RenderedTables
from tests.support.scratch import scratch_folder
from tilekeeper.companion.capture.health import LIVELY_FRAMES, Health
from tilekeeper.companion.capture.sources import Frame
from tilekeeper.companion.session import watcher
from tilekeeper.companion.session.observer import NetworkObserver
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.companion.web.api.extensions import AppParts, parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.vision.shipped import load_reader

FPS: Final = 15
TOLD_WITHIN_S: Final = 2.0
WELL_WITHIN_S: Final = 3.0
HAND_S: Final = 2.0
BEFORE = "R3 R4 R5 | K8 B8 O8"
TURNS = {"legal": "R3 R4 R5 R6 | K8 B8 O8", "illegal": "R3 R4 R5 R6 K9 | K8 B8 O8"}
"""Tables after a turn from `BEFORE`, by their verdict."""

Change = Callable[[np.ndarray, random.Random], np.ndarray | None]
"""Returns a changed image (H, W, 3) uint8, or None without an image."""


def tear_image(image: np.ndarray, rng: random.Random) -> np.ndarray:
    """Shift all rows from some row on to the side."""
    row = rng.randrange(60, len(image) - 60)
    return np.vstack([image[:row], np.roll(image[row:], rng.choice((-1, 1)) * rng.randrange(40, 300), axis=1)])


def cut_short(image: np.ndarray, rng: random.Random) -> np.ndarray:
    """Make all rows from some row on grey, as a decoder does with missing data."""
    row = rng.randrange(60, len(image) - 60)
    return np.vstack([image[:row], np.full_like(image[row:], 128)])


def resized(width_px: int, height_px: int) -> Change:
    """Return a change that resizes the image."""
    return lambda image, _: cv2.resize(image, (width_px, height_px), interpolation=cv2.INTER_AREA)


def shaken(image: np.ndarray, rng: random.Random) -> np.ndarray:
    """Shift the image a little."""
    return np.roll(image, (rng.randrange(-25, 26), rng.randrange(-25, 26)), axis=(0, 1))


def flickering(image: np.ndarray, rng: random.Random) -> np.ndarray:
    """Make the image lighter or darker than the previous one."""
    return np.clip(image * rng.uniform(0.5, 1.3), 0, 255).astype(np.uint8)


def snow(image: np.ndarray, rng: random.Random) -> np.ndarray:
    """Return an image of noise."""
    return np.random.default_rng(rng.randrange(2**32)).integers(0, 256, image.shape, np.uint8)


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of camera fault."""

    change: Change
    told: bool = True
    """Whether its images are unusable, so that the page must show the reason; other images are read as usual."""
    named: bool = True
    """Whether the page names the fault, and not only that the image moves."""
    seconds: tuple[float, float] = (3.0, 6.0)


FAULTS: Final = {
    "freezes": Fault(lambda image, _: image),
    "goes black": Fault(lambda image, _: np.zeros_like(image)),
    "tears": Fault(tear_image),
    "is cut short": Fault(cut_short),
    "swaps colours": Fault(lambda image, _: np.ascontiguousarray(image[..., ::-1])),
    "stalls": Fault(lambda image, _: None, seconds=(5.0, 5.0)),
    "is unplugged": Fault(lambda image, _: None, seconds=(60.0, 60.0)),
    "shakes": Fault(shaken, named=False),
    "flickers": Fault(flickering, told=False),
    "snows": Fault(snow),
    "halves its size": Fault(resized(480, 360), told=False),
    "has another size": Fault(resized(1280, 960), told=False),
}


class MadeUpCamera:
    """A camera that delivers frames one by one; `now_s` advances with each frame."""

    kind, name = "camera", "camera 0"

    def __init__(self, rng: random.Random) -> None:
        self.now_s = 1000.0
        self.trouble = ""
        self.image = np.zeros((720, 960, 3), np.uint8)
        self.fault: Fault | None = None
        self._rng, self._count = rng, 0
        self._frozen: np.ndarray | None = None
        noise = np.random.default_rng(5)
        self._noise = [noise.integers(0, 7, self.image.shape, np.uint8) for _ in range(5)]
        self._health = Health(self.name, self.now_s)

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Take the next frame."""
        self.now_s += 1 / FPS
        self._count += 1
        image: np.ndarray | None = cv2.add(self.image, self._noise[self._count % len(self._noise)])
        if self.fault is FAULTS["freezes"]:
            image = self._frozen = image if self._frozen is None else self._frozen
        elif self.fault is not None:
            assert image is not None  # it was just taken
            image = self.fault.change(image, self._rng)
        if self.fault is None:
            self._frozen = None
        if image is None:
            self.trouble = self._health.silence(self.now_s) or self.trouble
            return None
        self.trouble = self._health.push(image, self.now_s)
        return None if self.trouble else Frame(image, self.now_s, self.name, self._count)

    def close(self) -> None:
        """Do nothing, because nothing is open."""


class Table:
    """An app that watches the simulated camera frame by frame."""

    def __init__(self, app_parts: AppParts, client: FlaskClient, camera: MadeUpCamera) -> None:
        self.parts, self.client, self.camera = app_parts, client, camera
        self.turns = JudgedTurns(self.press, lambda: self.state)
        self._newest: tuple[int, dict[str, Any]] = (-1, {})

    @property
    def state(self) -> dict[str, Any]:
        """Return the state as a page gets it after a change."""
        version, state = self._newest
        if version != self.parts.session.state.version:
            state = self.client.get("/api/state").get_json()
            self._newest = state["version"], state
        return state

    def press(self, what: str, **body: object) -> dict[str, Any]:
        """Press a button and expect success."""
        answer = self.client.post(f"/api/{what}", json=body)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return answer.get_json()  # type: ignore[no-any-return]  # as the document says

    def shows(self, notation: str) -> bool:
        """Return whether the page shows this table as still."""
        snapshot = self.parts.session.state.snapshot
        if not snapshot.settled or snapshot.trouble:
            return False
        state = self.state
        return state["reading"] is not None and same(state["reading"]["table"], notation)

    def until(self, holds: Callable[[], bool], longest_s: float) -> float | None:
        """Watch until a condition holds; return the camera's seconds until then, or None after the time limit."""
        begun_s = self.camera.now_s
        while self.camera.now_s - begun_s < longest_s:
            self.parts.watcher.take_frame()
            if holds():
                return self.camera.now_s - begun_s
        return None

    def watch(self, seconds: float) -> None:
        """Watch for this time."""
        self.until(lambda: False, seconds)


@contextmanager
def table(rng: random.Random) -> Iterator[Table]:
    """Run an app that watches a simulated camera."""
    camera = MadeUpCamera(rng)
    with (
        scratch_folder() as folder,
        mock.patch.object(watcher, "FRAME_EVERY_WAITING_S", 0.0),
    ):
        observer = NetworkObserver(load_reader(2))
        user = UserSettings.model_construct(frames_per_second=math.inf)  # its clock is simulated
        settings = Settings(rule_set("large-numbers"), camera, observer, camera.name, folder, user=user)
        app = create_app(settings)
        try:
            yield Table(parts(app), app.test_client(), camera)
        finally:
            parts(app).close()


def same(one: str, other: str) -> bool:
    """Return whether two tables have the same melds in any order."""
    return sorted(one.split(" | ")) == sorted(other.split(" | "))


def measure(count: int, seed: int = 1) -> Outcome:
    """Cause `count` faults, and return the outcome of their turns."""
    rng, outcome = random.Random(seed), Outcome()
    rendered = RenderedTables()
    images = {notation: rendered.table(notation) for notation in (BEFORE, *TURNS.values())}
    told_s: list[float] = []
    well_s: list[float] = []
    with table(rng) as page:
        for notation, image in images.items():
            page.camera.image = image
            if page.until(lambda notation=notation: page.shows(notation), 10.0) is None:  # type: ignore[misc]
                outcome.trouble(f"{notation} is not read even while all is well")
                return outcome
        for number in range(count):
            name = rng.choice([*FAULTS]) if number >= len(FAULTS) else [*FAULTS][number]
            outcome.cases[name] += 1
            troubles = make_fault(page, name, images, rng, told_s, well_s)
            outcome.troubles += [f"{name}: {one}" for one in troubles]
    outcome.counts["misjudged"] = sum("judged" in one for one in outcome.troubles)
    outcome.figures["s until it was told, at most"] = f"{max(told_s, default=0.0):.2f}"
    outcome.figures["s until all was well again, at most"] = f"{max(well_s, default=0.0):.2f}"
    return outcome


def make_fault(
    page: Table, name: str, images: dict[str, np.ndarray], rng: random.Random, told_s: list[float], well_s: list[float]
) -> Iterator[str]:
    """Play a turn with a camera fault; return the failures."""
    camera, fault = page.camera, FAULTS[name]
    camera.image = images[BEFORE]
    page.watch(LIVELY_FRAMES / FPS + 0.5 if name == "freezes" else 0.5)
    if page.until(lambda: page.shows(BEFORE), 10.0) is None:
        yield "the table is not read while all is well"
        return
    page.turns.begin()
    kind, laid = rng.choice([*TURNS.items()])
    camera.fault = fault
    longest_s = rng.uniform(*fault.seconds)

    def is_told() -> bool:
        snapshot = page.parts.session.state.snapshot
        return bool(snapshot.trouble) if fault.named else not snapshot.settled

    begun_s = camera.now_s
    if fault.told:
        after_s = page.until(is_told, HAND_S)
        if after_s is None:
            yield f"it is not told within {HAND_S:g} s"
        else:
            told_s.append(after_s)
    page.watch(HAND_S - (camera.now_s - begun_s))
    presses = rng.random() < 0.5
    camera.image = images[laid]
    if presses:
        page.watch(0.5)
        presses = _press_done(page)
    page.until(lambda: presses and _verdict(page) is not None, longest_s - HAND_S)
    verdict = _verdict(page) if presses else None
    if verdict not in (None, kind, "unsure"):
        yield f"judged {verdict}, and it is {kind}, while the fault lasts"
    camera.fault = None
    after_s = page.until(lambda: page.shows(laid), 10.0)
    if after_s is None or after_s > WELL_WITHIN_S:
        yield f"not well again within {WELL_WITHIN_S:g} s, but after {after_s}"
    else:
        well_s.append(after_s)
    if not presses:
        page.turns.done()
    verdict = _verdict(page)
    if verdict != kind:
        yield f"judged {verdict} in the end, and it is {kind}"


def _press_done(page: Table) -> bool:
    """Press Done; return whether that is possible, which it is not while the camera is in trouble."""
    if page.parts.session.state.snapshot.trouble:
        return False
    page.turns.done()
    return True


def _verdict(page: Table) -> str | None:
    verdict = page.state["verdict"]
    return None if verdict is None else str(verdict["kind"])

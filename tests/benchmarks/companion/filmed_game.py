"""Plays a rendered game before the whole app, frame by frame, and notes every verdict beside what is true.

The app is the real one, driven as a page drives it: over its API, with frames that come as a camera's do. Only the
clock of the frames is made up.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from flask.testing import FlaskClient

from tests.benchmarks.companion.feed import Feed
from tests.benchmarks.companion.outcome import Outcome, Shot, outcome_of, same_table
from tests.benchmarks.vision.frames import DRIFT, drifted, truth_of
from tests.support.judged_turns import JudgedTurns
from tilekeeper.companion.session.observer import NetworkObserver
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.web.api.extensions import Parts, parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.datasets.synthesis.recordings.games import Attempt
from tilekeeper.datasets.synthesis.recordings.places import Arrangement
from tilekeeper.datasets.synthesis.recordings.recording import Plan, Shooting
from tilekeeper.datasets.synthesis.recordings.studio import Looks
from tilekeeper.datasets.synthesis.recordings.truth import Still
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.models.evaluation.measure import predictions_of
from tilekeeper.models.evaluation.score import match
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.types import NO_TILE_LABEL

FOULS_A_GAME = 6
"""Each is followed by a legal turn; the legal turn with which a game begins is not counted."""
SIZE_WH, TILE_PX = (1280, 720), (22.0, 31.0)
FPS, STILL_S = 8.0, 1.25
HAND_FRAMES = 6
PATIENCE = 6
"""A table that has not come to rest is shown for so many frames more."""
FRAMES_A_TURN = HAND_FRAMES + round(1.2 * STILL_S * FPS)


class NotBegun(Exception):  # noqa: N818, the name says it
    """A game whose first table was not read as it lies, names apart; the message says how."""


Keep = Callable[[Outcome, Shot], None]
"""Gets the pictures of a turn that went wrong or was asked about."""


class Pressing:
    """The app as somebody at a tablet presses it."""

    def __init__(self, http: FlaskClient, app_parts: Parts) -> None:
        self.http, self.parts = http, app_parts
        self.turns = JudgedTurns(self.press, lambda: self.state)

    def press(self, what: str, **body: object) -> dict[str, Any]:
        """Press a button; the state after it, or the error."""
        return self.http.post(f"/api/{what}", json=body).get_json()

    @property
    def state(self) -> dict[str, Any]:
        """The state as a page gets it."""
        return self.http.get("/api/state").get_json()


def plan_of(seed: int) -> Plan:
    """The game of a seed: its own printing (kept out of training), surface, camera, light and fouls."""
    tile_px = float(np.random.default_rng([seed, 7]).uniform(*TILE_PX))
    turns = FOULS_A_GAME + 1
    return Plan(40_000 + seed, turns, FOULS_A_GAME, "alike", 8, fps=FPS, wh=SIZE_WH, tile_px=tile_px, still_s=STILL_S)


def play_before_app(seed: int, reader: Reader, keep: Keep, looks: Looks | None = None) -> Iterator[Outcome]:
    """Play the game of a seed and yield what came of each turn; `looks` take the place of what is drawn.

    A game ends with the first wrong verdict: from there on the people would have overruled the app, and what it says
    of the turns after would tell nothing new. Raises `ValueError` where there is no room for the game that was drawn,
    `NotBegun` where the people would have to enter the first table by hand.
    """
    with tempfile.TemporaryDirectory() as folder:
        feed = Feed(FPS)
        table = Filmed(plan_of(seed), feed, looks)
        app = create_app(Settings(rule_set(table.plan.rules), feed, NetworkObserver(reader), "bench", Path(folder)))
        parts(app).start()
        try:
            yield from _play(seed, table, Pressing(app.test_client(), parts(app)), keep)
        finally:
            parts(app).close()


def _play(seed: int, table: Filmed, app: Pressing, keep: Keep) -> Iterator[Outcome]:
    first, *others = table.shooting.game.attempts  # the first is legal, and what the turns to be judged start from
    still = table.lie(first.laid, first)
    _begin(app, still)
    laid, start = first.laid, still
    rng = np.random.default_rng([seed, 3])
    for number, attempt in enumerate(others):
        app.turns.say_opened(attempt.opened)
        early = bool(rng.random() < 0.5)
        table.play(laid, attempt)
        if early:  # the player presses Done as the hand leaves; the app waits until the table lies still
            app.turns.done()
        still = table.lie(attempt.laid, attempt)
        if not early:
            app.turns.done()
        for _ in range(PATIENCE):
            if app.state["turn"]["waiting_to"] is None:
                break
            table.lie(attempt.laid, attempt, frames=2)
        shot = Shot(
            seed, number, attempt, start, still, table.newest, app.parts.session.state.snapshot.reading, app.state
        )
        outcome = outcome_of(shot, early, answer=lambda still=still: _answer(app, still))
        if outcome.needs_review:
            keep(outcome, shot)
        yield outcome
        if outcome.wrong:
            return
        laid = attempt.laid
        if attempt.verdict.legal:
            start = still


def _begin(app: Pressing, still: Still) -> None:
    """Begin from the table as it lies, every doubtful or misnamed tile named by a person, and what is none as none.

    In an evening each of these tiles was laid in a turn of its own, and asked about or put right then.
    """
    reading, truth = app.parts.session.state.snapshot.reading, truth_of(still, np.eye(3))
    if reading is None:
        raise NotBegun("nothing was read")
    number = app.state["reading"]["number"]
    matched = match(truth, predictions_of(reading))
    for tile in {*range(len(reading.tiles))} - {*matched}:
        app.press("correct", reading=number, tile=tile, label=NO_TILE_LABEL)
    for label, tile in zip(truth.labels, matched, strict=True):
        if tile is not None and (reading.tiles[tile].doubtful or reading.tiles[tile].label != label):
            app.press("correct", reading=number, tile=tile, label=label)
    read = app.turns.begin()["reading"]["table"]
    if not same_table(read, still.table):
        raise NotBegun(f"{still.table} read as {read}")


def _answer(app: Pressing, still: Still) -> dict[str, Any]:
    """Answer every question by what is true, as a person at the table would; the state after it."""
    truth = truth_of(still, np.eye(3))
    for _ in range(len(truth.labels)):
        verdict = app.state["verdict"]
        if verdict is None or verdict["kind"] != "unsure" or not verdict["questions"]:
            break
        tile = verdict["questions"][0]["tile"]
        reading = app.parts.session.state.snapshot.reading
        assert reading is not None  # there is a question about it
        matches = match(truth, predictions_of(reading))
        label = truth.labels[matches.index(tile)] if tile in matches else "no-tile"
        app.press("correct", reading=verdict["reading_number"], tile=tile, label=label)
    return app.state


class Filmed:
    """The rendered table before the camera of the app."""

    def __init__(self, plan: Plan, feed: Feed, looks: Looks | None) -> None:
        self.plan = plan
        self.newest = np.zeros((plan.wh[1], plan.wh[0], 3), np.uint8)
        self._feed = feed
        self.shooting = Shooting(plan, self._put, looks)
        self._frames = FRAMES_A_TURN * (1 + len(self.shooting.game.attempts))

    def _put(self, image_bgr: np.ndarray) -> None:
        self.newest = drifted(image_bgr, min(1.0, self.shooting.frames / self._frames), DRIFT)
        self._feed.put(self.newest)

    def play(self, before: Arrangement, attempt: Attempt) -> None:
        """Let a hand come, move tiles and go."""
        self.shooting.play(before, attempt, HAND_FRAMES)

    def lie(self, laid: Arrangement, attempt: Attempt, frames: int | None = None) -> Still:
        """Let the table lie until the app has looked at all of it; what is true of it."""
        still = self.shooting.hold(laid, self.shooting.pause_s() if frames is None else frames / FPS, None)
        self._feed.wait_until_taken()
        return still

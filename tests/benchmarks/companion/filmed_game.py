"""Plays a rendered game before the whole app, frame by frame, and records every verdict with the ground truth.

The app is the real one and is controlled like from a page, through its API, with frames as from a camera. Only the
clock of the frames is simulated.
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
from tilekeeper.companion.web.api.extensions import AppParts, parts
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
"""Number of fouls; a legal turn follows each, and the first legal turn of a game is not counted."""
SIZE_WH, TILE_PX = (1280, 720), (22.0, 31.0)
FPS, STILL_S = 8.0, 1.25
HAND_FRAMES = 6
PATIENCE = 6
"""Number of additional frames for a table that has not settled."""
FRAMES_A_TURN = HAND_FRAMES + round(1.2 * STILL_S * FPS)


class NotBegun(Exception):  # noqa: N818, the name says it
    """The first table of a game was misread, apart from labels; the message describes it."""


Keep = Callable[[Outcome, Shot], None]
"""Is called with the images of a wrong or questioned turn."""


class Pressing:
    """A client of the app, like a tablet."""

    def __init__(self, http: FlaskClient, app_parts: AppParts) -> None:
        self.http, self.parts = http, app_parts
        self.turns = JudgedTurns(self.press, lambda: self.state)

    def press(self, what: str, **body: object) -> dict[str, Any]:
        """Press a button; return the state after it, or the error."""
        return self.http.post(f"/api/{what}", json=body).get_json()

    @property
    def state(self) -> dict[str, Any]:
        """Return the state as a page gets it."""
        return self.http.get("/api/state").get_json()


def plan_of(seed: int) -> Plan:
    """Return the game of a seed, with its own held-out printing, surface, camera, light and fouls."""
    tile_px = float(np.random.default_rng([seed, 7]).uniform(*TILE_PX))
    turns = FOULS_A_GAME + 1
    return Plan(40_000 + seed, turns, FOULS_A_GAME, "alike", 8, fps=FPS, wh=SIZE_WH, tile_px=tile_px, still_s=STILL_S)


def play_before_app(seed: int, reader: Reader, keep: Keep, looks: Looks | None = None) -> Iterator[Outcome]:
    """Play the game of a seed and yield the outcome of each turn; `looks` replace the rendered tiles and tables.

    A game ends with the first wrong verdict: there the players would overrule the app, and later verdicts would show
    nothing new. Raises `ValueError` if there is no room for the game, and `NotBegun` if the players would have to enter
    the first table by hand.
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
    first, *others = table.shooting.game.attempts  # the first turn is legal, and the judged turns start from it
    still = table.lie(first.laid, first)
    _begin(app, still)
    laid, start = first.laid, still
    rng = np.random.default_rng([seed, 3])
    for number, attempt in enumerate(others):
        app.turns.say_opened(attempt.opened)
        early = bool(rng.random() < 0.5)
        table.play(laid, attempt)
        if early:  # the player presses Done as the hand leaves; the app waits until the table is still
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
    """Begin from the table; a person first labels every doubtful or misread tile and rejects false detections.

    In a game night these tiles would have been placed, questioned and corrected in earlier turns.
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
    """Answer every question correctly, like a person at the table; return the state after it."""
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
    """A rendered table before the camera of the app."""

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
        """Show a hand that comes, moves tiles and leaves."""
        self.shooting.play(before, attempt, HAND_FRAMES)

    def lie(self, laid: Arrangement, attempt: Attempt, frames: int | None = None) -> Still:
        """Show the still table until the app has read all of it; return the table's ground truth."""
        still = self.shooting.hold(laid, self.shooting.pause_s() if frames is None else frames / FPS, None)
        self._feed.wait_until_taken()
        return still

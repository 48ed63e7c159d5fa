"""Random buttons in random order: no tile is lost, and undo restores the same state."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import MarkedTables
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.session.commands import playing
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.state import GameState, Phase
from tilekeeper.engine.rules.editions import RULE_SETS

STEPS = 60
TAKEN_BACK = 0.3
"""The probability that an accepted action is undone at once."""


class Hands:
    """Presses random buttons, sensible and not."""

    def __init__(self, page: EveningClient, rng: random.Random, edition: str) -> None:
        self.page, self.rng = page, rng
        stock = RULE_SETS[edition].stock
        self.inks, self.highest = [ink.letter for ink in stock.inks], stock.numbers

    def press(self, revision: int) -> tuple[str, int]:
        """Press a random button; return its path and the status of the answer."""
        what, body = self._choice()
        answer = self.page.http.post(f"/api/evening/{what}", json={"revision": revision, **body})
        assert answer.status_code in (200, 400, 409), (what, body, answer.get_data(as_text=True))
        return what, answer.status_code

    def _choice(self) -> tuple[str, dict[str, object]]:
        rng, seat = self.rng, self.rng.randrange(4)
        choices: list[tuple[int, str, Callable[[], dict[str, object]]]] = [
            (6, "starter", lambda: {"player": seat, "overruled": rng.random() < 0.7}),
            (2, "lots", lambda: {"tiles": self._tiles(rng.randint(1, 4))}),
            (6, "deal", dict),
            (14, "done", lambda: {"table": self._table()}),
            (10, "draw", dict),
            (3, "pass", lambda: {"can_lay": rng.random() < 0.5}),
            (3, "stand", dict),
            (4, "restored", dict),
            (3, "overrule", lambda: {"reason": "so", "legal": rng.random() < 0.6}),
            (2, "resume", dict),
            (1, "pause", dict),
            (1, "more-time", dict),
            (1, "restart", dict),
            (2, "cancel", dict),
            (2, "lost", lambda: {"tile": None, "player": rng.choice([None, seat])}),
            (1, "returned", lambda: {"tile": None}),
            (1, "left", lambda: {"player": seat}),
            (1, "joined", lambda: {"name": rng.choice(["Zoe", "Ada", "Yan"]), "deals": rng.random() < 0.5}),
            (1, "opened", lambda: {"player": seat, "opened": rng.random() < 0.8}),
            (1, "turn", lambda: {"player": seat}),
            (1, "settings", lambda: {"timer": rng.choice(["off", "friendly", "strict"]), "tournament": True}),
            (1, "redeal", lambda: {"player": seat, "tiles": self._tiles(14)}),
            (4, "undo", lambda: {"steps": rng.choice([1, 1, 2, 5])}),
        ]
        weights = [weight for weight, _, _ in choices]
        _, what, body = rng.choices(choices, weights)[0]
        return what, body()

    def _table(self) -> str:
        """The table with a new meld, or with an invalid one."""
        table = self.page.evening["table_text"]
        number = self.rng.randint(1, self.highest - 2)
        ink = self.rng.choice(self.inks)
        new = self.rng.choice(
            [
                f"{ink}{number} {ink}{number + 1} {ink}{number + 2}",
                f"K{number} B{number} R{number}",
                f"K{self.highest} B{self.highest} R{self.highest}",
                self._tiles(2),
            ]
        )
        return f"{table} | {new}" if table and self.rng.random() < 0.9 else new

    def _tiles(self, count: int) -> str:
        return " ".join(f"{self.rng.choice('KBR')}{self.rng.randint(1, self.highest)}" for _ in range(count))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """One app for all tests of this file; each begins a game night of its own."""
    from tilekeeper.companion.session.settings import Settings
    from tilekeeper.companion.web.app import create_app
    from tilekeeper.engine.rules.editions import rule_set

    folder: Path = tmp_path_factory.mktemp("evenings")
    app = create_app(Settings(rule_set("large-numbers"), NoSource(), MarkedTables(), "No camera", folder))
    yield app
    parts(app).close()


def played(app: Flask) -> GameNight:
    """The present game night."""
    return playing(parts(app).session.state)


def check(app: Flask, page: EveningClient, what: str, before: GameState, was: int) -> None:
    """Check the invariants after an accepted action."""
    night = played(app).state
    game = night.recorded.game
    # A judged Done is two actions: the button and the verdict.
    assert page.evening["revision"] - was in ((1, 2) if what == "done" else (1,))
    if game.ledger is not None and game.state.phase is Phase.TURNS:
        assert game.ledger.unaccounted == 0, what
    if game.state.round is not None and game.state.round.bank is not None:
        assert game.state.round.bank.size == game.state.rules.stars.bank
    assert all(sum(score.points) == 0 for score in game.state.sheet.rounds if score.zero_sum)
    if what != "undo" and night.recorded.last_step and game.entries and game.state is not before:
        back = game.undo(1) if len(night.recorded.valid_records()) > 1 else game
        assert Game.replay(back.entries).state == back.state


def play_at_random(app: Flask, seed: int, edition: str) -> None:
    """Press sixty buttons, then undo everything and read the game night from the disk."""
    rng = random.Random(seed)
    page = EveningClient(app)
    evening = page.begin("Ada", "Bo", *(["Cleo"] * (seed % 2)), edition=edition, settings={"timer": "strict"})
    hands = Hands(page, rng, edition)
    for _ in range(STEPS):
        night = played(app)
        before, revision = night.state, night.revision
        what, status = hands.press(revision)
        if status != 200:
            assert played(app).state is before
            assert played(app).revision == revision
            continue
        check(app, page, what, before.state, revision)
        undoes = what != "undo" and played(app).state.recorded is not before.recorded and before.failing is None
        if undoes and rng.random() < TAKEN_BACK:
            page.act("undo")
            after = played(app).state
            assert after.state == before.state, what
            assert (after.failing, after.clock.player) == (None, before.clock.player)
    night = played(app)
    state, steps = night.state.state, night.state.recorded.steps_back
    page.post("/api/evenings/leave")
    page.post("/api/evenings/open", id=evening["id"])
    reopened = played(app).state
    assert reopened.state == state
    if steps:
        page.act("undo", steps=steps + reopened.pending_steps)
        assert played(app).state.state.phase is Phase.STARTER
    page.post("/api/evenings/leave")


@pytest.mark.parametrize("edition", RULE_SETS)
def test_random_buttons_keep_the_game_night_consistent(running, edition):
    play_at_random(running, 1, edition)


@pytest.mark.long
@pytest.mark.parametrize("edition", RULE_SETS)
@pytest.mark.parametrize("seed", range(2, 42))
def test_many_random_game_nights_stay_consistent(running, edition, seed):
    play_at_random(running, seed, edition)

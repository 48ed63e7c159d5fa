"""Tables of a hall as processes of their own, each played by the random player through its page's own requests."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.forked_app import ForkedApp
from tests.support.random_games import random_game
from tilekeeper.engine.game.events import (
    Dealt,
    Entry,
    GameStarted,
    LotsDrawn,
    Passed,
    RackShown,
    RedealClaimed,
    StarterChosen,
    TileDrawn,
    TilesLaid,
)
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.tiles.tile import Tile

EDITION = "finnish"
ANSWERS_WITHIN_S = 30.0
_LOOKS_EVERY_S = 0.1


def planned_game(seed: str, players: Sequence[str]) -> Game:
    """The game that these people will play; it ends with the round."""
    *_, (game, _) = random_game(random.Random(seed), EDITION, players=tuple(players), mishaps=False)
    return game


def button(entry: Entry) -> tuple[str, dict[str, Any]]:
    """What people press at the table so that an entry is recorded."""
    match entry:
        case StarterChosen():
            return "starter", {"player": entry.player, "overruled": entry.overruled}
        case LotsDrawn():
            return "lots", {"tiles": _text(entry.tiles)}
        case Dealt():
            return "deal", {}
        case RedealClaimed():
            return "redeal", {"player": entry.player, "tiles": _text(entry.rack)}
        case TilesLaid():
            return "done", {"table": str(entry.after)}
        case TileDrawn():
            return "draw", {}
        case Passed():
            return "pass", {"can_lay": entry.can_lay}
        case RackShown():
            return "rack", {"player": entry.player, "tiles": _text(entry.tiles), "sure": True}
        case _:
            raise AssertionError(f"the random player does nothing like {entry}")


def _text(tiles: Sequence[Tile]) -> str:
    return " ".join(map(str, tiles))


class TableApp:
    """A table's app on a folder of its own; may be killed and started again on it."""

    def __init__(self, name: str, folder: Path, hall: str) -> None:
        """Start it.

        Args:
            name: what the table is called.
            folder: where it keeps its evenings.
            hall: as for `tilekeeper run --hall`.
        """
        self.name, self.folder, self._hall = name, folder, hall
        self.away = threading.Event()
        """Set while it is killed, or not there again yet."""
        self.start()

    def start(self) -> None:
        """Start it, anew where it was killed."""
        self._app = ForkedApp(self.folder, more=("--hall", self._hall, "--table-id", self.name))
        self.port = self._app.port
        assert self.port, f"table {self.name} did not start"
        self.away.clear()

    def kill(self) -> None:
        """End it with SIGKILL."""
        self.away.set()
        self._app.kill()

    def end(self) -> None:
        """End it as a service manager does."""
        self.away.set()
        self._app.end()

    def ask(self, path: str, body: object = None) -> tuple[int, Any]:
        """Ask as a page does; the status and the answer, text where it is no JSON.

        Raises:
            OSError, http.client.HTTPException: where the app does not answer.
        """
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWERS_WITHIN_S)) as connection:
            data = None if body is None else json.dumps(body)
            connection.request("GET" if data is None else "POST", path, data, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
            is_json = answer.headers.get_content_type() == "application/json"
            return answer.status, json.loads(text) if is_json else text

    def log(self) -> list[dict[str, Any]]:
        """The log of the evening that is played."""
        status, text = self.ask("/api/evening/export.jsonl")
        assert status == 200, text
        return [json.loads(line) for line in str(text).splitlines()[1:]]


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button that was pressed, and answered."""

    table: str
    log: str
    entries: int
    """How many entries the log had after it; 0 where nobody counts."""
    at_s: float
    """When it was sent, by the monotonic clock."""
    took_s: float
    """How long the table took to answer."""


class RandomPlayer(threading.Thread):
    """Plays at one table whatever the hall seats there, one game after the other, through anything that happens."""

    def __init__(self, table: TableApp, pause_s: Callable[[], float], ended: threading.Event) -> None:
        """Take a table.

        Args:
            table: the table.
            pause_s: gives how long the people think before the next button, in seconds.
            ended: is set where it is enough.
        """
        super().__init__(name=f"player {table.name}", daemon=True)
        self.table, self._pause_s, self._ended = table, pause_s, ended
        self.played: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        self.pressed: list[Pressed] = []
        self.longest_s = 0.0
        """The longest that a press took while the app was there."""
        self.troubles: list[str] = []
        self.games = 0
        self.plays = False
        self._counts_entries = True

    def run(self) -> None:
        """Play until it is enough."""
        over: set[str] = set()
        while not self._ended.is_set():
            evening = self._evening()
            if evening is None or evening["id"] in over or evening["phase"] == "over":
                self.plays = False
                self._ended.wait(_LOOKS_EVERY_S)
                continue
            self.plays = True
            if self._play(evening):
                over.add(evening["id"])
                self.games += 1

    def _evening(self) -> dict[str, Any] | None:
        answer = self._ask("/api/state")
        return None if answer is None else answer[1]["evening"]

    def _play(self, evening: dict[str, Any]) -> bool:
        """Play the evening to its end; False where it is not the same any more, or was ended meanwhile."""
        names = [player["name"] for player in evening["players"]]
        plan = [entry for entry in planned_game(seed_of(names), names).entries if not isinstance(entry, GameStarted)]
        revision, done = evening["revision"], self._done()
        while done < len(plan):
            if self._ended.wait(self._pause_s()):
                return False
            path, body = button(plan[done])
            begun_s = time.monotonic()
            answer = self._ask(f"/api/evening/{path}", {"revision": revision} | body)
            took_s = time.monotonic() - begun_s
            if answer is not None and answer[0] == 200:
                self.longest_s = max(self.longest_s, took_s)
                done, revision = done + 1, answer[1]["evening"]["revision"]
                self.pressed.append(Pressed(self.table.name, evening["id"], done, begun_s, took_s))
                continue
            if answer is not None and answer[1].get("code") == "halted":
                continue  # the hall has not started the round yet, or has paused it
            if answer is not None and answer[1].get("code") != "stale":
                self.troubles.append(f"table {self.table.name}: {path} {body}: {answer}")
                return True
            # Nobody knows whether it was recorded: the app was killed, or somebody else has pressed something.
            now = self._evening()
            if now is None or now["id"] != evening["id"]:
                return False
            revision, done = now["revision"], self._done()
        return True

    def _done(self) -> int:
        """How many entries of the plan stand in the log."""
        while not self._ended.is_set():
            if self.table.away.wait(0) or (log := self._log()) is None:
                self._ended.wait(_LOOKS_EVERY_S)
                continue
            return sum(entry["event"] not in ("commanded", "game-started") for entry in log)
        return 0

    def _log(self) -> list[dict[str, Any]] | None:
        try:
            return self.table.log()
        except (OSError, http.client.HTTPException, ValueError):
            return None

    def _ask(self, path: str, body: object = None) -> tuple[int, Any] | None:
        """What the app answers; None where it was killed meanwhile."""
        while not self._ended.is_set():
            if self.table.away.is_set():
                self._ended.wait(_LOOKS_EVERY_S)
                if body is not None:
                    return None
                continue
            try:
                return self.table.ask(path, body)
            except (OSError, http.client.HTTPException, ValueError) as error:
                time.sleep(_LOOKS_EVERY_S)
                if not self.table.away.is_set() and body is not None:
                    self.troubles.append(f"table {self.table.name} did not answer {path}: {error!r}")
                if body is not None:
                    return None
        return None


def seed_of(names: Sequence[str]) -> str:
    """From what the game of these people comes: the same wherever and whenever they sit."""
    return " ".join(names)


def games_of(tables: Iterator[Sequence[str]]) -> list[Game]:
    """The games that these tables play, undisturbed."""
    return [planned_game(seed_of(names), names) for names in tables]

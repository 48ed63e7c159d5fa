"""Tables of a hall in their own processes; the random player plays them with the requests of the page."""

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
    """Return the game of these players; it ends with the round."""
    *_, (game, _) = random_game(random.Random(seed), EDITION, players=tuple(players), mishaps=False)
    return game


def button(entry: Entry) -> tuple[str, dict[str, Any]]:
    """Return the path and the body of the request that records an entry."""
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
    """A table's app with its own folder; it can be killed and restarted."""

    def __init__(self, name: str, folder: Path, hall: str) -> None:
        """Start the app of a table.

        Args:
            name: the name of the table.
            folder: the folder of its game nights.
            hall: as for `tilekeeper run --hall`.
        """
        self.name, self.folder, self._hall = name, folder, hall
        self.away = threading.Event()
        """Set from a kill until the restart is complete."""
        self.start()

    def start(self) -> None:
        """Start the app, or restart it after a kill."""
        self._app = ForkedApp(self.folder, more=("--hall", self._hall, "--table-id", self.name))
        self.port = self._app.port
        assert self.port, f"table {self.name} did not start"
        self.away.clear()

    def kill(self) -> None:
        """End the app with SIGKILL."""
        self.away.set()
        self._app.kill()

    def end(self) -> None:
        """End the app like a service manager."""
        self.away.set()
        self._app.end()

    def ask(self, path: str, body: object = None) -> tuple[int, Any]:
        """Send a request of a page; return the status and the answer, as text if it is no JSON.

        Raises:
            OSError, http.client.HTTPException: if the app does not answer.
        """
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWERS_WITHIN_S)) as connection:
            data = None if body is None else json.dumps(body)
            connection.request("GET" if data is None else "POST", path, data, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
            is_json = answer.headers.get_content_type() == "application/json"
            return answer.status, json.loads(text) if is_json else text

    def log(self) -> list[dict[str, Any]]:
        """Return the log of the current game night."""
        status, text = self.ask("/api/evening/export.jsonl")
        assert status == 200, text
        return [json.loads(line) for line in str(text).splitlines()[1:]]


@dataclass(frozen=True, slots=True)
class Pressed:
    """A pressed button that was answered."""

    table: str
    log: str
    entries: int
    """Number of entries in the log after it; 0 if they are not counted."""
    at_s: float
    """Time of sending, by the monotonic clock."""
    took_s: float
    """Time until the answer."""


class RandomPlayer(threading.Thread):
    """Plays all games that the hall assigns to one table, in spite of failures."""

    def __init__(self, table: TableApp, pause_s: Callable[[], float], ended: threading.Event) -> None:
        """Take a table.

        Args:
            table: the table.
            pause_s: returns the thinking time before the next button, in seconds.
            ended: is set to stop playing.
        """
        super().__init__(name=f"player {table.name}", daemon=True)
        self.table, self._pause_s, self._ended = table, pause_s, ended
        self.played: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        self.pressed: list[Pressed] = []
        self.longest_s = 0.0
        """Longest time of an answer while the app was running."""
        self.troubles: list[str] = []
        self.games = 0
        self.plays = False
        self._counts_entries = True

    def run(self) -> None:
        """Play until `ended` is set."""
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
        """Play the game night to its end; return False if another one has begun or it was ended meanwhile."""
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
            # it is unknown whether the press was recorded: the app was killed, or another client pressed a button
            now = self._evening()
            if now is None or now["id"] != evening["id"]:
                return False
            revision, done = now["revision"], self._done()
        return True

    def _done(self) -> int:
        """Return the number of entries of the plan in the log."""
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
        """Return the app's answer, or None if it was killed meanwhile."""
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
    """Return the seed of the game of these players, independent of table and time."""
    return " ".join(names)


def games_of(tables: Iterator[Sequence[str]]) -> list[Game]:
    """Return the games of these tables without failures."""
    return [planned_game(seed_of(names), names) for names in tables]

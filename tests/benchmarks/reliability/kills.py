"""Kills the app with SIGKILL while three clients press buttons, its camera process, and a migration halfway.

Requirements: every acknowledged action is in the database exactly once, no action is in it twice, and the restarted app
shows the state that follows from the records.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from tests.benchmarks.reliability.report import Outcome
from tests.support.forked_app import TABLES, ForkedApp, runs
from tests.support.known_tables import MarkedTables, table_reading
from tests.support.mjpeg_camera import NetworkCamera, network_camera, wait_for
from tests.support.scratch import scratch_folder
from tilekeeper.companion.storage import integrity, migrate
from tilekeeper.companion.storage.folder import FILE_NAME
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.log import format_header, parse_log
from tilekeeper.engine.game.state import Phase

CLIENTS = 3
LONGEST_LOAD_S = 0.5
"""Longest time for which the clients press buttons before a kill."""
ANSWERS_WITHIN_S = 20.0
STATEMENTS = 30
"""A migration is killed before a statement up to this number; it has fewer, so some kills come after it."""
NEXT_STEP = '''
"""A step as a later version may bring it: every record is copied into another table, which takes its name."""
import sqlalchemy as sa
from alembic import op

revision, down_revision = "0002", "0001"


def upgrade():
    op.create_table("later", sa.Column("name", sa.String(9), primary_key=True))
    with op.batch_alter_table("records", recreate="always") as records:
        records.add_column(sa.Column("told", sa.Text))
    with op.batch_alter_table("evenings", recreate="always") as evenings:
        evenings.add_column(sa.Column("place", sa.Text))
'''


@dataclass(slots=True)
class Pressed:
    """The actions of clients since the start of the app."""

    acknowledged: Counter[str] = field(default_factory=Counter)
    unanswered: Counter[str] = field(default_factory=Counter)
    """Actions that may be recorded or not, because the app was killed before its answer."""
    newest: dict[str, Any] = field(default_factory=dict)
    """The game night of the highest received revision."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, what: str, evening: dict[str, Any]) -> None:
        """Record that an action was acknowledged with a game night."""
        with self.lock:
            self.acknowledged[what] += 1
            if evening["revision"] > self.newest.get("revision", 0):
                self.newest = evening


def ask(connection: http.client.HTTPConnection, path: str, body: object = None) -> tuple[int, Any]:
    """Send a request of a page; return the status and the answer."""
    data = None if body is None else json.dumps(body)
    connection.request("GET" if data is None else "POST", path, data, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def press(port: int, number: int, pressed: Pressed, ended: threading.Event, outcome: Outcome) -> None:
    """Press buttons on a page until the app ends or the time is over."""
    rng = random.Random(number)
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWERS_WITHIN_S)) as connection:
        for count in itertools.count():
            what, body = "tile-drawn", {}
            path = "draw"
            match rng.randrange(8):
                case 0 if count > 2:  # other clients act more often than this one undoes, so the deal stays
                    path, what = "undo", "undone"
                case 1 | 2 | 3:
                    path, what = "table", f"{number}-{count}-{rng.randrange(10**9)}"
                    body = {"table": rng.choice(TABLES), "reason": what}
            sent = False
            try:
                _, state = ask(connection, "/api/state")
                sent = True
                status, answer = ask(
                    connection, f"/api/evening/{path}", {"revision": state["evening"]["revision"]} | body
                )
            except (OSError, http.client.HTTPException, ValueError):
                if sent:
                    pressed.unanswered[what] += 1
                return
            if status == 200:
                pressed.take(what, answer["evening"])
            elif status != 409:
                outcome.trouble(f"{path} was answered with {status}: {str(answer)[:200]}")
            if ended.is_set():
                return


def under_load(port: int, number: int, outcome: Outcome, meanwhile: Callable[[], None]) -> Pressed:
    """Let three clients press buttons during an event that ends them; return their actions."""
    pressed, ended = Pressed(), threading.Event()
    names = range(CLIENTS * number, CLIENTS * number + CLIENTS)
    clients = [threading.Thread(target=press, args=(port, name, pressed, ended, outcome)) for name in names]
    for client in clients:
        client.start()
    meanwhile()
    ended.set()
    for client in clients:
        client.join()
    return pressed


def records(folder: Path, evening: str) -> list[tuple[str, str]]:
    """Return the stored records of a game night: each the line of the event, and its reason."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        rows = connection.execute("SELECT event, note FROM records WHERE evening = ? ORDER BY place", (evening,))
        return [(line, json.loads(note)["reason"]) for line, note in rows]


def count_kinds(rows: list[tuple[str, str]]) -> Counter[str]:
    """Count each action in the records: tables by their reason, all others by kind."""
    kinds = Counter(json.loads(line)["event"] for line, _ in rows)
    return Counter({kind: kinds[kind] for kind in ("tile-drawn", "undone")}) + Counter(
        reason for _, reason in rows if reason
    )


def check(before: Counter[str], pressed: Pressed, after: Counter[str], outcome: Outcome) -> None:
    """Compare the acknowledged actions with the stored ones."""
    outcome.counts["actions acknowledged"] += pressed.acknowledged.total()
    for what in after.keys() | pressed.acknowledged.keys() | before.keys():
        fewest = before[what] + pressed.acknowledged[what]
        if after[what] < fewest:
            outcome.trouble(f"lost: {fewest - after[what]} of {what}")
        if after[what] > fewest + pressed.unanswered[what]:
            outcome.trouble(f"doubled: {what}")


def check_state(port: int, rows: list[tuple[str, str]], newest: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    """Compare the app's state with the state from the records, and with the newest state of a client."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWERS_WITHIN_S)) as connection:
        evening: dict[str, Any] = ask(connection, "/api/state")[1]["evening"]
    shown = as_shown(evening)
    replayed = as_replayed(rows)
    if shown != replayed:
        outcome.trouble(f"the state {shown} is not what the records lead to, {replayed}")
    if newest and evening["revision"] < newest["revision"]:
        outcome.trouble(f"revision {evening['revision']} after {newest['revision']} was acknowledged")
    if newest and evening["revision"] == newest["revision"] and shown != as_shown(newest):
        outcome.trouble(f"the state {shown} is not what was shown before, {as_shown(newest)}")
    return evening


def as_shown(evening: dict[str, Any]) -> tuple[object, ...]:
    """Return the parts of the page's state that follow from the records."""
    racks = [player["rack"] for player in evening["players"]]
    return evening["phase"], evening["player"], evening["pool"], evening["table_text"], racks


def as_replayed(rows: list[tuple[str, str]]) -> tuple[object, ...]:
    """Return the same parts, computed from the records by the engine alone."""
    first, *rest = parse_log("\n".join([format_header(), *(line for line, _ in rows)]) + "\n")
    game = Game.start(first)  # type: ignore[arg-type]  # an evening begins with its start
    for entry in rest:
        game = game.record(entry)
    play = game.state.round
    if play is None:
        return str(game.state.phase), None, None, "", [None] * len(game.state.players)
    turn = play.turn if game.state.phase is Phase.TURNS else None
    return str(game.state.phase), turn, play.pool, str(play.table), [seat.rack for seat in play.seats]


def begin(port: int) -> str:
    """Begin a game night up to the first turn; return its ID."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWERS_WITHIN_S)) as connection:
        seats = [{"people": [name]} for name in ("Ada", "Bo", "Cleo")]
        evening = ask(connection, "/api/evenings", {"seats": seats, "edition": "large-numbers"})[1]["evening"]
        for path, body in (("starter", {"player": 0, "overruled": True}), ("deal", {})):
            answer = ask(connection, f"/api/evening/{path}", {"revision": evening["revision"]} | body)[1]
            evening = answer["evening"]
        return str(evening["id"])


# The app.


def kill_apps(count: int, rng: random.Random, outcome: Outcome) -> Iterator[None]:
    """Kill and restart an app under load, `count` times on one folder."""
    with scratch_folder() as folder, ExitStack() as stack:
        app, evening = stack.enter_context(ForkedApp(folder)), ""
        for number in range(count):
            if not evening:
                evening = begin(app.port)
            before = count_kinds(records(folder, evening))

            def wait_and_kill(app: ForkedApp = app) -> None:
                time.sleep(rng.uniform(0.02, LONGEST_LOAD_S))
                app.kill()

            pressed = under_load(app.port, number, outcome, wait_and_kill)
            outcome.cases["the app"] += 1
            app = stack.enter_context(ForkedApp(folder))
            rows = records(folder, evening)
            check(before, pressed, count_kinds(rows), outcome)
            if check_state(app.port, rows, pressed.newest, outcome)["phase"] != str(Phase.TURNS):
                evening = ""  # the round is over
            yield


# Its camera.


def kill_cameras(count: int, rng: random.Random, outcome: Outcome) -> Iterator[None]:
    """Kill the camera process under load, `count` times; finally kill the app, whose camera must end too."""
    tables = MarkedTables()
    with scratch_folder() as folder, network_camera() as camera, ExitStack() as stack:
        camera.image = tables.picture(table_reading(TABLES[0]))
        app = stack.enter_context(ForkedApp(folder, camera.address))
        evening = begin(app.port)
        for number in range(count):
            before = count_kinds(records(folder, evening))
            camera_pid = pictures_come(app, camera)

            def kill_and_wait(pid: int = camera_pid) -> None:
                os.kill(pid, signal.SIGKILL)
                pictures_come(app, camera, but_from=pid)

            pressed = under_load(app.port, 10_000 + number, outcome, kill_and_wait)
            outcome.cases["its camera process"] += 1
            rows = records(folder, evening)
            check(before, pressed, count_kinds(rows), outcome)
            check_state(app.port, rows, pressed.newest, outcome)
            yield
        left = camera_processes(app)
        app.kill()
        with suppress(AssertionError):
            wait_for(lambda: not any(map(runs, left)))
        if any(map(runs, left)):
            outcome.trouble("a killed app left its camera process behind")


def pictures_come(app: ForkedApp, camera: NetworkCamera, but_from: int = 0) -> int:
    """Wait until the app shows the current table; return the ID of its camera process."""
    with closing(http.client.HTTPConnection("127.0.0.1", app.port, timeout=ANSWERS_WITHIN_S)) as connection:

        def shows() -> bool:
            state = ask(connection, "/api/state")[1]
            return bool(state["settled"] and not state["source"]["trouble"] and camera_processes(app) - {but_from})

        wait_for(shows)
    return max(camera_processes(app) - {but_from})


def camera_processes(app: ForkedApp) -> set[int]:
    """Return the camera processes of an app."""
    return {pid for pid, words in children(app.process.pid or 0) if "spawn_main" in words}


def children(pid: int) -> list[tuple[int, str]]:
    """Return the child processes of a process, each with its command."""
    found: list[tuple[int, str]] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # the thread or process has ended meanwhile
            for child in (task / "children").read_text().split():
                found.append((int(child), Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")))
    return found


# A migration.


def kill_migrations(count: int, rng: random.Random, outcome: Outcome) -> Iterator[None]:
    """Kill a migration to a later version before one of its statements, `count` times, and repeat it."""
    with scratch_folder() as scratch:
        whole, steps = scratch / "whole", scratch / "steps"
        shutil.copytree(migrate.MIGRATIONS, steps)
        (steps / "versions" / "0002_later.py").write_text(NEXT_STEP)
        app = ForkedApp(whole)
        evening = begin(app.port)
        under_load(app.port, 20_000, outcome, partial(time.sleep, LONGEST_LOAD_S))
        app.end()
        rows = records(whole, evening)
        for _ in range(count):
            folder = scratch / "data"
            shutil.copytree(whole, folder)
            dying = ForkedApp(folder, prepare=partial(as_later, steps, rng.randrange(1, STATEMENTS)))
            dying.kill()
            outcome.cases["a migration" if not dying.port else "just after a migration"] += 1
            restarted = ForkedApp(folder, prepare=partial(as_later, steps, None))
            if not restarted.port:
                outcome.trouble("the app does not start after a migration was killed")
            elif records(folder, evening) != rows:
                outcome.trouble("records are lost after a migration was killed")
            else:
                check_state(restarted.port, rows, {}, outcome)
                if (folder / "set-aside").exists():
                    outcome.trouble("a sound file was taken for damaged after a migration was killed")
            restarted.kill()
            shutil.rmtree(folder)
            yield


def as_later(steps: Path, dies_before: int | None) -> None:
    """Turn this process into a later version that is killed before one of its statements."""
    migrate.MIGRATIONS = steps
    migrate.HEAD = integrity.HEAD = "0002"
    if dies_before is None:
        return
    statements = itertools.count(1)

    def look(*_: object) -> None:
        if next(statements) == dies_before:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", look)


def measure(count: int, seed: int = 1, camera: bool = True) -> Outcome:
    """Kill `count` processes: among 25, four migrations and three cameras; all others are apps."""
    rng, outcome = random.Random(seed), Outcome()
    migrations, cameras = count * 4 // 25, count * 3 // 25 if camera else 0
    for _ in itertools.chain(
        kill_apps(count - migrations - cameras, rng, outcome),
        kill_cameras(cameras, rng, outcome) if cameras else (),
        kill_migrations(migrations, rng, outcome),
    ):
        pass
    return outcome

"""Fifty tables at 20 times the pace of a tournament: the delay from a press to the projector, and the hub's load.

Every table is its own app without a camera, played by the random player; the hub has its pages, its database and a
broker. The delay counts from before the press is sent to its table until the projector's stream has its entry.
"""

from __future__ import annotations

import os
import random
import re
import statistics
import threading
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from tests.benchmarks.club.disturbed import prepare
from tests.benchmarks.club.hubs import CLUB, HubProcess
from tests.benchmarks.club.tables import RandomPlayer, TableApp
from tests.benchmarks.reliability.report import Outcome
from tests.support.mosquitto import Mosquitto
from tests.support.postgres import Postgres
from tests.support.scratch import scratch_folder
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.desk import Desk
from tilekeeper.companion.hub.schema import HallRow
from tilekeeper.companion.hub.settings import Role

SPED_UP = 20
TURN_S = (5.0, 35.0)
"""Thinking times of tournament players, in real time."""
MEASURED_S = 60.0
FEWER_MEASURED_S = 10.0
FEW = 5
SOON_S = 0.3
MOST_CORES = 0.5
MOST_MB = 300.0
_SHOWN = re.compile(r'data-table="([^"]*)" data-log="([^"]*)" data-seq="(\d+)"')
_SEATED_WITHIN_S = 180.0


class Projector(threading.Thread):
    """Listens to the projector's stream and records when each entry was first shown."""

    def __init__(self, address: str) -> None:
        """Take the hub's address."""
        super().__init__(name="projector", daemon=True)
        self._address = address
        self.shown: dict[str, list[tuple[int, float]]] = {}
        """For each log, the number of shown entries and since when, by the monotonic clock."""
        self.pictures = 0

    def run(self) -> None:
        """Listen until the hub ends."""
        try:
            with urllib.request.urlopen(f"{self._address}events?part=projector", timeout=60) as stream:
                for line in stream:
                    if line.startswith(b"data:"):
                        self._take(line.decode().replace('\\"', '"'), time.monotonic())
        except (TimeoutError, OSError):
            return

    def _take(self, text: str, now_s: float) -> None:
        self.pictures += 1
        for _, log, seq in _SHOWN.findall(text):
            known = self.shown.setdefault(log, [])
            if not known or known[-1][0] < int(seq):
                known.append((int(seq), now_s))

    def when(self, log: str, seq: int) -> float | None:
        """Return when an entry was shown, or None if it was not shown yet."""
        return next((at_s for shown, at_s in self.shown.get(log, ()) if shown >= seq), None)


def measure(count: int, seed: int = 1) -> Outcome:
    """Let `count` tables play."""
    outcome = Outcome()
    outcome.cases["tables"] = count
    measured_s = MEASURED_S if count > FEW else FEWER_MEASURED_S
    with ExitStack() as stack:
        folder = stack.enter_context(scratch_folder())
        mosquitto = Mosquitto(folder / "broker").start()
        stack.callback(mosquitto.stop)
        postgres = Postgres().start()
        stack.callback(postgres.stop)
        database = Database(postgres.url)
        stack.callback(database.close)
        prepare(database, count, timer="strict", tournament=True)
        hub = HubProcess(postgres.url, mosquitto.port)
        stack.callback(hub.kill)
        projector = Projector(hub.address)
        stopped = threading.Event()
        rng = random.Random(seed)
        players = []
        for number in range(1, count + 1):
            app = TableApp(str(number), folder / str(number), f"mqtt://127.0.0.1:{mosquitto.port}/{CLUB}")
            stack.callback(app.kill)
            pace = random.Random(rng.random())
            players.append(
                RandomPlayer(app, lambda pace=pace: pace.uniform(*TURN_S) / SPED_UP, stopped)  # type: ignore[misc]
            )
        projector.start()
        for player in players:
            player.start()
        stack.callback(stopped.set)
        _seat(database, players)
        time.sleep(5.0)
        before_s, begun_s = _processor_s(hub.pid), time.monotonic()
        time.sleep(measured_s)
        took_s = _processor_s(hub.pid) - before_s
        ended_s = time.monotonic()
        held_mb = _held_mb(hub.pid)
        time.sleep(2.0)  # wait until the last entries are shown
        stopped.set()
    pressed = [one for player in players for one in player.pressed if begun_s <= one.at_s < ended_s]
    late_s = []
    for one in pressed:
        # The log begins with three other entries: the game's start, and the hall's commands to seat and to start.
        shown_s = projector.when(one.log, one.entries + 3)
        if shown_s is None:
            outcome.trouble(f"entry {one.entries} of table {one.table} was never shown")
        else:
            late_s.append(shown_s - one.at_s)
    for player in players:
        for trouble in player.troubles:
            outcome.trouble(trouble)
    if pressed:
        answered_s = sorted(one.took_s for one in pressed)[int(0.95 * (len(pressed) - 1))]
        outcome.figures["ms until the table itself has answered, p95"] = f"{1000 * answered_s:.0f}"
    _tell(outcome, late_s, took_s / (ended_s - begun_s), held_mb, projector, ended_s - begun_s)
    return outcome


def _tell(
    outcome: Outcome, late_s: list[float], cores: float, held_mb: float, projector: Projector, measured_s: float
) -> None:
    outcome.counts["presses measured"] = len(late_s)
    if len(late_s) < 2:
        outcome.trouble("nothing was played")
        return
    late_s.sort()
    p95_s = late_s[int(0.95 * (len(late_s) - 1))]
    outcome.figures["ms from a press to the projector, median"] = f"{1000 * statistics.median(late_s):.0f}"
    outcome.figures["ms from a press to the projector, p95"] = f"{1000 * p95_s:.0f}"
    outcome.figures["ms from a press to the projector, slowest"] = f"{1000 * late_s[-1]:.0f}"
    outcome.figures["of a core for the hub"] = f"{cores:.2f}"
    outcome.figures["MB for the hub"] = f"{held_mb:.0f}"
    outcome.figures["presses a second"] = f"{len(late_s) / measured_s:.1f}"
    outcome.figures["pictures of the projector"] = f"{projector.pictures}"
    outcome.figures["load of the machine, a minute's mean"] = f"{os.getloadavg()[0]:.1f}"
    for name, value, most in (("p95", p95_s, SOON_S), ("cores", cores, MOST_CORES), ("MB", held_mb, MOST_MB)):
        if value > most:
            outcome.slow.append(f"{name}: {value:.2f} where at most {most} was aimed at")


def _seat(database: Database, players: list[RandomPlayer]) -> None:
    """Pair a round and start it, and wait until every table plays."""
    desk = Desk(database)
    with database.reading() as session:
        plan = session.get_one(HallRow, 1).plan
    desk.pair(plan, "Olga")
    until_s = time.monotonic() + _SEATED_WITHIN_S
    while not all(player.plays for player in players):
        assert time.monotonic() < until_s, "not every table was seated"
        time.sleep(0.1)
    desk.turn_clock(1, "start", "Olga", Role.ORGANISER)


def _processor_s(pid: int) -> float:
    """Return the processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _held_mb(pid: int) -> float:
    """Return the memory of a process, with its share of memory that it shares with others."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Rss:"):
            return int(line.split()[1]) / 1000
    return 0.0

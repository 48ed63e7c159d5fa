"""A club night with random failures: broker, database, hub, tables and networks are killed or cut.

Requirements: every table plays on, the hub gets each log complete, once and in order, and the standings equal those of
the same games without failures.
"""

from __future__ import annotations

import json
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count as counting
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from tests.benchmarks.club.hubs import CLUB, HubProcess
from tests.benchmarks.club.tables import EDITION, RandomPlayer, TableApp, planned_game, seed_of
from tests.benchmarks.club.wires import Wire
from tests.benchmarks.reliability.report import Outcome
from tests.support.mosquitto import Mosquitto
from tests.support.postgres import Postgres
from tests.support.scratch import scratch_folder
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.desk import OVER, Desk
from tilekeeper.companion.hub.rounds import read_tournament, rounds_of, seatings_of
from tilekeeper.companion.hub.schema import EntryRow, HallRow, LogRow, TableRow
from tilekeeper.companion.hub.settings import HallSettings, Role
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.storage.folder import FILE_NAME
from tilekeeper.companion.tournament.record import GameResult
from tilekeeper.companion.tournament.standings import standings
from tilekeeper.engine.game.scoring import Points

TABLES = 4
FEWER_TABLES = 2
"""A short version with few failures, for tests."""
FEW = 20
AWAY_S = (0.2, 3.0)
"""Shortest and longest duration of a failure."""
LONG_AWAY_S = (60.0, 120.0)
LONG_EVERY = 10
"""One in this number of network cuts is long."""
BETWEEN_S = (0.2, 1.2)
THINKS_S = (0.05, 0.3)
ENDS_WITHIN_S = 180.0
LONGEST_PRESS_S = 10.0
"""Longest time of an answer; a table that needs longer has stopped."""
T = TypeVar("T")


@dataclass(slots=True)
class Night:
    """A club night under attack."""

    mosquitto: Mosquitto
    postgres: Postgres
    hub: HubProcess
    hub_wire: Wire
    wires: dict[str, Wire]
    tables: dict[str, TableApp]
    players: dict[str, RandomPlayer]
    database: Database
    ended: threading.Event
    outcome: Outcome
    rng: random.Random
    cuts: list[threading.Thread] = field(default_factory=list)
    rounds: int = 0

    def once_there(self, what: Callable[[], T]) -> T:
        """Run a function on the database as soon as it is available."""
        until_s = time.monotonic() + ENDS_WITHIN_S
        while True:
            try:
                return what()
            except SQLAlchemyError:
                if time.monotonic() > until_s:
                    raise
                time.sleep(0.1)


def measure(count: int, seed: int = 1) -> Outcome:
    """Cause `count` failures in a club night."""
    outcome, rng = Outcome(), random.Random(seed)
    with ExitStack() as stack:
        night = stack.enter_context(_night(TABLES if count > FEW else FEWER_TABLES, outcome, rng))
        seating = threading.Thread(target=_keep_seating, args=(night,), daemon=True)
        seating.start()
        for number in range(count):
            time.sleep(rng.uniform(*BETWEEN_S))
            _disturb(night, number)
        for cut in night.cuts:
            cut.join()
        night.ended.set()  # no further round
        seating.join(ENDS_WITHIN_S)
        _let_end(night)
        _compare(night)
    return outcome


@contextmanager
def _night(tables: int, outcome: Outcome, rng: random.Random) -> Iterator[Night]:
    """Start all processes without seating any player."""
    with ExitStack() as stack:
        folder = stack.enter_context(scratch_folder())
        mosquitto = Mosquitto(folder / "broker").start()
        stack.callback(mosquitto.stop)
        postgres = Postgres().start()
        stack.callback(postgres.stop)
        database = Database(postgres.url)
        stack.callback(database.close)
        prepare(database, tables)
        hub_wire = Wire(mosquitto.port)
        stack.callback(hub_wire.close)
        hub = HubProcess(postgres.url, hub_wire.port)
        stack.callback(hub.kill)
        ended, stopped = threading.Event(), threading.Event()
        night = Night(mosquitto, postgres, hub, hub_wire, {}, {}, {}, database, ended, outcome, rng)
        for number in range(1, tables + 1):
            name = str(number)
            wire = night.wires[name] = Wire(mosquitto.port)
            stack.callback(wire.close)
            app = TableApp(name, folder / name, f"mqtt://127.0.0.1:{wire.port}/{CLUB}")
            night.tables[name] = app
            stack.callback(app.kill)
            pace = random.Random(name)
            player = RandomPlayer(app, lambda pace=pace: pace.uniform(*THINKS_S), stopped)  # type: ignore[misc]
            night.players[name] = player
            player.start()
        stack.callback(stopped.set)
        yield night


def prepare(database: Database, tables: int, timer: str = "off", tournament: bool = False) -> None:
    """Enter four players for each table, for Swiss pairing, with or without a clock."""
    desk = Desk(database)
    chosen = HallSettings().as_json() | {
        "name": "Night", "edition": EDITION, "timer": timer, "tournament": tournament,
        "format": {"rounds": 50, "pairing": "swiss"},
    }  # fmt: skip
    desk.configure(_plan(database), chosen)
    names = "\n".join(f"Player {number:02}" for number in range(1, 4 * tables + 1))
    desk.import_players(_plan(database), names.encode())


def _plan(database: Database) -> int:
    with database.reading() as session:
        return session.get_one(HallRow, 1).plan


def _keep_seating(night: Night) -> None:
    """Pair the next round after each round, like an organiser, until the end is signalled."""
    desk = Desk(night.database)
    while not night.ended.wait(0.2):
        try:
            with night.database.reading() as session:
                rounds = [(row.number, row.state) for row in rounds_of(session)]
            if not rounds or rounds[-1][1] == OVER:
                night.rounds = desk.pair(_plan(night.database), "Olga")
            elif rounds[-1][1] == "seated":
                desk.turn_clock(rounds[-1][0], "start", "Olga", Role.ORGANISER)
        except (SQLAlchemyError, Refused):
            continue


def _disturb(night: Night, number: int) -> None:
    """Cause one failure and repair it."""
    rng = night.rng
    away_s = rng.uniform(*AWAY_S)
    kind = rng.choice(("broker killed", "database killed", "hub killed", "table killed", "network cut"))
    night.outcome.cases[kind] += 1
    match kind:
        case "broker killed":
            night.mosquitto.kill()
            time.sleep(away_s)
            night.mosquitto.start()
        case "database killed":
            night.postgres.kill()
            time.sleep(away_s)
            night.postgres.start()
        case "hub killed":
            night.hub.kill()
            time.sleep(away_s)
            night.hub.start()
        case "table killed":
            table = rng.choice(list(night.tables.values()))
            table.kill()
            time.sleep(away_s)
            table.start()
        case _:
            _cut(night, rng.choice([night.hub_wire, *night.wires.values()]), number)


def _cut(night: Night, wire: Wire, number: int) -> None:
    """Cut a network during other failures."""
    is_long = night.outcome.cases["network cut"] % LONG_EVERY == LONG_EVERY // 2
    away_s = night.rng.uniform(*(LONG_AWAY_S if is_long else AWAY_S))
    night.outcome.counts["of the cuts longer than a minute"] += is_long

    def cut_and_mend() -> None:
        wire.cut()
        time.sleep(away_s)
        wire.mend()

    thread = threading.Thread(target=cut_and_mend, name=f"cut {number}")
    thread.start()
    night.cuts.append(thread)


def _let_end(night: Night) -> None:
    """Wait until the last round is over and the hub has its results."""
    until_s = time.monotonic() + ENDS_WITHIN_S
    for _ in counting():
        with night.database.reading() as session:
            rounds = rounds_of(session)
            if rounds and rounds[-1].state == OVER:
                return
            unknown = [row.table for row in seatings_of(session) if row.points is None]
        if time.monotonic() > until_s:
            night.outcome.trouble(f"after {ENDS_WITHIN_S:.0f} s these tables' last round is not known: {unknown}")
            for table in unknown:
                night.outcome.trouble(f"table {table}: {_as_both_see_it(night, table)}")
            return
        time.sleep(0.3)


def _as_both_see_it(night: Night, table: str) -> str:
    """Return the state of a table at the hub, and the state of the hall on the table's page."""
    with night.database.reading() as session:
        row = session.get(TableRow, table)
        logs = session.execute(select(LogRow.log, LogRow.taken, LogRow.known).where(LogRow.table == table)).all()
    hall = night.tables[table].ask("/api/state")[1]["hall"]
    here, state = (None, None) if row is None else (row.here, row.state)
    return f"logs (taken, known) {logs}; here {here}, last said {state and state['last_seq']}; its page: {hall}"


def _compare(night: Night) -> None:
    """Compare the hub's logs with the tables' logs, and the standings with those of undisturbed games."""
    outcome = night.outcome
    until_s = time.monotonic() + 30
    while _differences(night) and time.monotonic() < until_s:
        time.sleep(0.5)  # the last entries may still be on their way
    for difference in _differences(night):
        outcome.trouble(difference)
    for player in night.players.values():
        outcome.counts["buttons pressed"] += len(player.pressed)
        outcome.counts["games played"] += player.games
        for trouble in player.troubles:
            outcome.trouble(trouble)
        if player.longest_s > LONGEST_PRESS_S:
            outcome.slow.append(f"a press at table {player.table.name} took {player.longest_s:.1f} s")
    outcome.counts["rounds"] = night.rounds
    outcome.counts["entries at the hub"] = _entries_at_hub(night)
    longest_s = max(player.longest_s for player in night.players.values())
    outcome.figures["s for the slowest press at a table"] = f"{longest_s:.2f}"
    _compare_standings(night)


def _entries_at_hub(night: Night) -> int:
    with night.database.reading() as session:
        return len(session.execute(select(EntryRow.table)).all())


def _differences(night: Night) -> list[str]:
    """Return the differences between a log at the hub and the table's own log."""
    with night.database.reading() as session:
        rows = session.execute(
            select(EntryRow.table, EntryRow.log, EntryRow.seq, EntryRow.data).order_by(
                EntryRow.table, EntryRow.log, EntryRow.seq
            )
        ).all()
    at_hub: dict[tuple[str, str], list[tuple[int, Any]]] = {}
    for table, log, seq, data in rows:
        at_hub.setdefault((table, log), []).append((seq, data))
    at_tables = {
        (name, log): list(enumerate(entries, start=1))
        for name, table in night.tables.items()
        for log, entries in logs_of(table.folder).items()
    }
    found = []
    for key in at_hub.keys() | at_tables.keys():
        hub_entries, sent = at_hub.get(key, []), at_tables.get(key, [])
        if hub_entries != sent:
            places = [place for place, _ in hub_entries]
            missing = len({place for place, _ in sent} - set(places))
            doubled = len(places) - len(set(places))
            found.append(
                f"table {key[0]}, log {key[1]}: {len(sent)} entries, the hub has {len(hub_entries)}: {missing} lost, "
                f"{doubled} doubled, in order: {places == sorted(places)}"
            )
    return found


def logs_of(folder: Path) -> dict[str, list[Any]]:
    """Return all logs in a table's database."""
    logs: dict[str, list[Any]] = {}
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        for log, event in connection.execute("SELECT evening, event FROM records ORDER BY evening, place"):
            logs.setdefault(log, []).append(json.loads(event))
    return logs


def _compare_standings(night: Night) -> None:
    """Play the same games without failures and compare the results."""
    with night.database.reading() as session:
        tournament = read_tournament(session)
        names = {row.id: row.name for row in tournament.players}
        stands = tournament.standings
    results: list[GameResult] = []
    for seating in tournament.seatings:
        seated = [names[player] for player in seating.players]
        score = planned_game(seed_of(seated), seated).state.sheet.rounds[0]
        points: dict[str, Points] = dict(zip(map(str, seating.players), score.points, strict=True))
        won = frozenset(str(seating.players[winner]) for winner in score.winners)
        results.append(GameResult(seating.round, points, won))
    record = replace(tournament.record, games=tuple(results))
    undisturbed = standings(record, tournament.settings.ranking)
    if stands != undisturbed:
        night.outcome.trouble("the standings are not those of the undisturbed games")

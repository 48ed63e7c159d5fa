"""Messages of hostile tables, sent through a real Mosquitto with a hall's configuration to a real hub.

Two tables of a club night use their cards to send whatever they may send, such as a log that is hard to judge, and what
they may not. Requirements: broker and hub run on, results of other tables stay as they are, an honest table is heard
during and after the attack, the hub takes 300 MB and the broker 200 MB at most.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from tests.benchmarks.reliability.report import Outcome
from tests.support.club_hall import hall, picture
from tests.support.club_tables import AT, CLUB, SentMessage, entry, play_round
from tests.support.mosquitto import Mosquitto, free_port
from tests.support.postgres import Postgres
from tests.support.scratch import scratch_folder
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.schema import CommandRow, SeatingRow, TableRow
from tilekeeper.companion.hub_link.broker_files import HallFiles, write_hall
from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.broker import Receipt
from tilekeeper.companion.messaging.client import MqttBroker
from tilekeeper.companion.messaging.messages import TableStatus
from tilekeeper.companion.messaging.topics import ROOT, Branch, topic

HOSTILE = ("3", "4")
HONEST = "2"
"""Plays its round after the attack."""
WITNESS = "1"
"""Sends a status during the attack, and the next one when the hub has stored it."""
HUB_MOST_MB, BROKER_MOST_MB = 300, 200
AT_ONCE = 400
"""Messages on the way; a hostile table waits for acknowledgements, so that its own client's queue stays short."""
SETTLES_WITHIN_S = 300.0
HEARD_WITHIN_S = 10.0
"""The longest time after which a status of an honest table is stored during the attack."""
LARGE_EVERY = 2000
"""One message in this number has 4 MB, the largest size that the broker accepts."""


@dataclass(frozen=True, slots=True)
class Forger:
    """Makes hostile messages of one table."""

    table: str
    commands: tuple[str, ...]
    """The ids of all commands, including those to other tables."""
    pictures: tuple[str, str]

    def make(self, rng: random.Random, number: int) -> SentMessage:
        """Return the topic and the payload of a message."""
        branch = rng.choice((Branch.EVENTS, Branch.STATE, Branch.PRESENCE, Branch.DISPUTES, Branch.ANSWERS))
        if number % LARGE_EVERY == 0:
            return topic(CLUB, self.table, Branch.DISPUTES), b'{"id": "' + b"x" * 4_000_000
        fields = self._fields(branch, rng)
        if rng.random() < 0.7:
            fields |= self._lie(rng, list(fields))
        where = topic(CLUB, self.table, branch)
        match rng.randrange(12):
            case 0:
                return where, rng.randbytes(rng.choice((0, 1, 100, 5000)))
            case 1:
                return where, b"[" * rng.choice((10, 60_000))
            case 2:  # another table, a hub, a long name; the broker lets nobody write there
                names = (HONEST, "hub", "x" * 300)
                return topic(CLUB, rng.choice(names), branch), json.dumps(fields).encode()
            case 3:
                return f"{ROOT}/{CLUB}/tables/{self.table}/commands", json.dumps(fields).encode()
            case _:
                return where, json.dumps(fields).encode()

    def _fields(self, branch: Branch, rng: random.Random) -> dict[str, Any]:
        log, seq = rng.choice(("a", "b", f"{self.table}-2", f"{HONEST}-2", rng.randbytes(4).hex())), rng.randint(1, 40)
        common: dict[str, Any] = {"version": 1, "table": self.table, "sent_at": AT}
        match branch:
            case Branch.EVENTS:
                data = {"event": rng.choice(("round-ended", "tile-drawn", "dealt", "x")), "points": [9, -9]}
                return common | {"log": log, "seq": seq, "kind": "tile-drawn", "data": data, "at": AT}
            case Branch.STATE:
                digest = rng.choice(("", rng.randbytes(16).hex()))
                return common | {"log": log, "last_seq": seq, "digest": digest, "verdict": "<script>" * 20}
            case Branch.PRESENCE:
                join = rng.choice(("", "https://elsewhere.example/join?code=ABC", "javascript:x"))
                return common | {"presence": rng.choice(("here", "gone")), "join": join}
            case Branch.DISPUTES:
                hand = {"id": rng.choice(("hand", "../codes", rng.randbytes(4).hex())), "log": log, "seq": seq}
                before, after = self.pictures
                return common | hand | ({"before_jpeg": before, "after_jpeg": after} if rng.random() < 0.05 else {})
            case _:
                done = {"command": rng.choice(self.commands), "done": rng.random() < 0.5, "log": log}
                return common | done | {"refusal": "x" * rng.choice((0, 1990)), "said": "{" * rng.choice((0, 3900))}

    def _lie(self, rng: random.Random, names: Sequence[str]) -> dict[str, Any]:
        values = (HONEST, None, -1, 2**40, 2**70, 1e308, "", "\0", "\ud800", "x" * 3000, [], {"a": [{}] * 50}, True, AT)
        return {rng.choice((*names, "surplus")): rng.choice(values)}


def hard_log(table: str, rng: random.Random) -> list[SentMessage]:
    """Return a log of large tables, each of which takes the judge a third of a second."""

    def large_table() -> str:
        melds = (" ".join(f"{rng.choice('RKBO')}{rng.randint(1, 13)}" for _ in range(13)) for _ in range(400))
        return " | ".join(melds)

    begun = [
        entry(table, 1, "game-started", "hard", players=["Ada", "Bo"], edition="finnish"),
        entry(table, 2, "starter-chosen", "hard", player=0, overruled=True),
        entry(table, 3, "dealt", "hard"),
    ]
    turns = (entry(table, seq, "tiles-laid", "hard", after=large_table(), overruled=True) for seq in range(4, 104))
    return [*begun, *turns, entry(table, 104, "game-ended", "hard")]


@dataclass(frozen=True, slots=True)
class Night:
    """A hall under attack."""

    url: str
    files: HallFiles
    broker: Mosquitto
    hub: subprocess.Popen[bytes]

    def card(self, user: str) -> HallAddress:
        """Return the address with the card of a table or hub."""
        return HallAddress.parse(str(next(path for path in self.files.cards if path.stem == user)))


@contextmanager
def night(scratch: Path, url: str) -> Iterator[Night]:
    """Run a broker with a hall's configuration, and a hub with a hall's tables."""
    port = free_port()
    files = write_hall(scratch / "hall", CLUB, ["1", "2", "3", "4"], "127.0.0.1", port)
    broker = Mosquitto(scratch / "broker", files.config.read_text().splitlines(), port).start()
    card = next(path for path in files.cards if path.stem == "hub")
    command = [sys.executable, "-u", "-m", "tilekeeper", "club", "--database", url, "--port", "0"]
    hub = subprocess.Popen([*command, "--data", str(scratch), "--broker", str(card)], stdout=subprocess.PIPE)
    try:
        assert hub.stdout is not None
        while b"Ctrl+C" not in (line := hub.stdout.readline()):
            assert line, "the hub has ended"
        yield Night(url, files, broker, hub)
    finally:
        hub.terminate()
        hub.wait(30)
        broker.stop()
        if hub.stdout is not None:
            hub.stdout.close()


def measure(count: int, seed: int = 1) -> Outcome:
    """Send `count` messages of hostile tables."""
    outcome = Outcome()
    with scratch_folder() as scratch:
        server = Postgres().start()
        try:
            database = Database(server.url)
            hall(database)
            before, commands = results(database), _commands(database)
            honest = [one for one in play_round(database, 2)[0] if f"/tables/{HONEST}/" in one[0]]
            with night(scratch, server.url) as attacked:
                _attack(attacked, database, count, seed, commands, outcome)
                _check(attacked, database, before, honest, outcome)
            database.close()
        finally:
            server.stop()
    return outcome


def results(database: Database) -> set[str]:
    """Return the results of all tables but the hostile ones, as text that can be compared."""
    with database.reading() as session:
        rows = session.scalars(select(SeatingRow).where(SeatingRow.table.not_in(HOSTILE)))
        return {json.dumps([row.round, row.table, row.log, row.games, row.entered_by], default=str) for row in rows}


def _commands(database: Database) -> tuple[str, ...]:
    with database.reading() as session:
        return tuple(session.scalars(select(CommandRow.id)))


def _attack(
    attacked: Night, database: Database, count: int, seed: int, commands: tuple[str, ...], outcome: Outcome
) -> None:
    pictures = (picture(1), picture(2))
    begun_s = time.monotonic()

    def attack(table: str) -> None:
        rng, forger = random.Random(f"{seed} {table}"), Forger(table, commands, pictures)
        link = MqttBroker(attacked.card(table), table)
        link.start({})
        _wait(lambda: link.connected)
        receipts = [link.publish(*message) for message in hard_log(table, rng)]
        for number in range(1, count // len(HOSTILE) + 1):
            receipts.append(link.publish(*forger.make(rng, number)))
            if len(receipts) >= AT_ONCE:
                receipts = _untaken(receipts, AT_ONCE // 2)
        outcome.counts["messages that the broker did not take"] += len(_untaken(receipts, 1))
        outcome.cases[f"messages of table {table}"] = count // len(HOSTILE)
        link.close()

    threads = [threading.Thread(target=attack, args=(table,)) for table in HOSTILE]
    for thread in threads:
        thread.start()
    slowest_s = max(_send_statuses(attacked, database, threads))
    outcome.figures["messages a second"] = f"{count / (time.monotonic() - begun_s):.0f}"
    outcome.figures["seconds at most until a status is stored during the attack"] = f"{slowest_s:.1f}"
    if slowest_s > HEARD_WITHIN_S:
        outcome.slow.append(f"a status of an honest table was stored only after {slowest_s:.1f} seconds")


def _send_statuses(attacked: Night, database: Database, attacks: Sequence[threading.Thread]) -> list[float]:
    """Send statuses of an honest table until the attacks have ended; return after how many seconds each was stored."""
    link = MqttBroker(attacked.card(WITNESS), WITNESS)
    link.start({})
    _wait(lambda: link.connected)
    delays_s: list[float] = []
    while not delays_s or any(attack.is_alive() for attack in attacks):
        number, begun_s = len(delays_s) + 1, time.monotonic()
        link.publish(topic(CLUB, WITNESS, Branch.STATE), TableStatus(table=WITNESS, pool=number).payload(), retain=True)
        _wait(lambda number=number: _stored_pool(database) == number)  # type: ignore[misc]
        delays_s.append(time.monotonic() - begun_s)
    link.close()
    return delays_s


def _stored_pool(database: Database) -> object:
    with database.reading() as session:
        return (session.get_one(TableRow, WITNESS).state or {}).get("pool")


def _untaken(receipts: Sequence[Receipt], fewer_than: int) -> list[Receipt]:
    """Wait until less than `fewer_than` messages are unacknowledged; return the receipts of these."""
    _wait(lambda: sum(not one.taken for one in receipts) < fewer_than)
    return [one for one in receipts if not one.taken]


def _check(
    attacked: Night, database: Database, before: set[str], honest: Sequence[SentMessage], outcome: Outcome
) -> None:
    changed = before - results(database)
    for row in sorted(changed):
        outcome.trouble(f"a result of another table has changed: {row[:200]}")
    link = MqttBroker(attacked.card(HONEST), HONEST)
    link.start({})
    begun_s = time.monotonic()
    for one in honest:
        link.publish(*one)
    if not _wait(lambda: _is_scored(database)):
        outcome.trouble("the honest table was not heard")
    outcome.figures["seconds of the hub's CPU"] = f"{_cpu_s(attacked.hub.pid):.1f}"
    outcome.figures["seconds until a round is scored after the attack"] = f"{time.monotonic() - begun_s:.1f}"
    link.close()
    for name, pid, most_mb in (
        ("hub", attacked.hub.pid, HUB_MOST_MB),
        ("broker", attacked.broker.process.pid, BROKER_MOST_MB),
    ):
        if (attacked.hub if name == "hub" else attacked.broker.process).poll() is not None:
            outcome.trouble(f"the {name} has stopped")
            continue
        memory_mb = int(Path(f"/proc/{pid}/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
        outcome.figures[f"MB at most for the {name}"] = f"{memory_mb:.0f}"
        if memory_mb > most_mb:
            outcome.trouble(f"the {name} took {memory_mb:.0f} MB")


def _cpu_s(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _is_scored(database: Database) -> bool:
    with database.reading() as session:
        of_honest = SeatingRow.table == HONEST, SeatingRow.round == 2
        return bool(session.scalars(select(SeatingRow).where(*of_honest)).one().games)


def _wait(holds: Callable[[], bool]) -> bool:
    until_s = time.monotonic() + SETTLES_WITHIN_S
    while not holds():
        if time.monotonic() > until_s:
            return False
        time.sleep(0.02)
    return True

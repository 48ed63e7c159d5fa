"""Throughput of one hub with simulated tables, a real Mosquitto and a real PostgreSQL.

The hub runs in its own process, as `tilekeeper club` starts it, and the events are those of really played games.
Requirements: each entry is stored once, in order and unchanged, at 2,000 entries a second.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import create_engine, func, select

from tests.benchmarks.reliability.report import Outcome
from tests.support.club_tables import CLUB, SentMessage, finished_game, messages_of
from tests.support.mosquitto import Mosquitto
from tests.support.postgres import Postgres
from tilekeeper.companion.hub.schema import EntryRow
from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.client import MqttBroker
from tilekeeper.companion.messaging.messages import Event, PastLog, Presence, Resend, read_message
from tilekeeper.companion.messaging.topics import Branch, topic

EVENTS = 20_000
"""Entries in each measurement, shared among all tables."""
LEAST_A_SECOND = 2_000
GAMES = 40
"""Number of different games; tables repeat them."""
SENDERS = 4
LONGEST_S = 240.0
PLOT = Path("var/club-intake.svg")
_NAMES = ("Ada", "Bo", "Cleo", "Dan")


@dataclass(frozen=True, slots=True)
class Measured:
    """The result for one number of tables."""

    tables: int
    events: int
    seconds: float
    cpu_s: float
    """The processor time of the hub's process."""
    memory_mb: float
    wrong: list[str]

    @property
    def a_second(self) -> float:
        """Events per second, from the first one sent to the last one stored."""
        return self.events / self.seconds


def measure(count: int, seed: int = 1, events: int = EVENTS) -> Outcome:
    """Measure from ten tables up to `count`."""
    outcome, points = Outcome(), []
    for tables in [*(one for one in (10, 30, 100, 300) if one < count), count]:
        measured = measure_tables(tables, events, seed)
        points.append(measured)
        outcome.cases[f"events of {tables} tables"] = measured.events
        outcome.figures[f"events a second, {tables} tables"] = f"{measured.a_second:.0f}"
        share = measured.cpu_s / measured.seconds
        outcome.figures[f"of a core and MB for the hub, {tables} tables"] = f"{share:.2f}, {measured.memory_mb:.0f}"
        outcome.troubles += measured.wrong
        if measured.a_second < LEAST_A_SECOND:
            outcome.slow.append(f"{measured.a_second:.0f} events a second of {tables} tables, {LEAST_A_SECOND} wanted")
    PLOT.parent.mkdir(exist_ok=True)
    PLOT.write_text(plot(points))
    return outcome


def measure_tables(tables: int, events: int, seed: int) -> Measured:
    """Send about `events` log entries of `tables` tables to a hub, and measure it."""
    sent_logs = simulated(tables, events, seed)
    with tempfile.TemporaryDirectory() as folder:
        broker = Mosquitto(Path(folder) / "broker").start()
        server = Postgres().start()
        try:
            with hub_process(server.url, broker.port, folder) as hub:
                cpu_s, begun_s = cpu_of(hub.pid), time.perf_counter()
                stored = threading.Event()
                senders = [
                    threading.Thread(target=send_entries, args=(broker.port, at, sent_logs[at::SENDERS], stored))
                    for at in range(SENDERS)
                ]
                for sender in senders:
                    sender.start()
                seconds = wait_until_taken(server.url, sum(map(len, sent_logs)), begun_s)
                stored.set()
                for sender in senders:
                    sender.join()
                used_s, memory_mb = cpu_of(hub.pid) - cpu_s, memory_of(hub.pid)
            return Measured(
                tables, sum(map(len, sent_logs)), seconds, used_s, memory_mb, differences(server.url, sent_logs)
            )
        finally:
            broker.stop()
            server.stop()


def simulated(tables: int, events: int, seed: int) -> list[list[SentMessage]]:
    """Return the entries of each table, about `events` entries in all."""
    rng, per_table = random.Random(seed), max(1, events // tables)
    lines = []
    for table in range(1, tables + 1):
        of_table: list[SentMessage] = []
        while len(of_table) < per_table:
            game = finished_game(_NAMES, f"{seed} {rng.randrange(GAMES)}")
            of_table += messages_of(str(table), game, f"log-{len(of_table)}")[: per_table - len(of_table)]
        lines.append(of_table)
    return lines


def send_entries(port: int, number: int, tables: Sequence[Sequence[SentMessage]], until: threading.Event) -> None:
    """Send the entries of some tables, one entry per table in turn, and again what the hub asks for.

    The hub takes thousands of entries of a few tables for a flood, drops some, and asks for them.
    """
    link = MqttBroker(HallAddress.parse(f"mqtt://127.0.0.1:{port}/{CLUB}"), f"tables-{number}")
    logs = logs_of(tables)

    def send_again(requests: Sequence[tuple[str, bytes]]) -> None:
        for request in (read_message(Resend, payload) for _, payload in requests):
            for message in logs.get((request.table, request.log), ())[request.seq - 1 :]:
                link.publish(*message)

    link.start({topic(CLUB, "+", Branch.RESEND): send_again})
    while not link.connected:
        time.sleep(0.01)
    for at in range(max(map(len, tables), default=0)):
        for table in tables:
            if at < len(table):
                link.publish(*table[at])
    past: dict[str, list[PastLog]] = {}
    for (name, log), entries in logs.items():
        past.setdefault(name, []).append(PastLog(log=log, last_seq=len(entries)))
    for name, of_table in past.items():
        presence = Presence(table=name, presence="here", past_logs=of_table)
        link.publish(topic(CLUB, name, Branch.PRESENCE), presence.payload(), retain=True)
    until.wait(LONGEST_S)
    link.close()


def logs_of(tables: Sequence[Sequence[SentMessage]]) -> dict[tuple[str, str], list[SentMessage]]:
    """Return the entries by table and log."""
    logs: dict[tuple[str, str], list[SentMessage]] = {}
    for message in itertools.chain.from_iterable(tables):
        event = read_message(Event, message[1])
        logs.setdefault((event.table, event.log), []).append(message)
    return logs


@contextmanager
def hub_process(url: str, port: int, folder: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a hub as people start it."""
    command = [sys.executable, "-m", "tilekeeper", "club", "--database", url, "--port", "0", "--data", folder]
    command += ["--broker", f"mqtt://127.0.0.1:{port}/{CLUB}", "--hub", "bench"]
    hub = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert hub.stdout is not None
        while b"Ctrl+C" not in (line := hub.stdout.readline()):
            assert line, "the hub has ended"
        time.sleep(1.0)  # wait until it listens to the broker
        yield hub
    finally:
        hub.terminate()
        hub.wait(30)
        assert hub.stdout is not None
        hub.stdout.close()


def wait_until_taken(url: str, events: int, begun_s: float) -> float:
    """Return the seconds until all entries were stored."""
    engine = create_engine(url)
    while True:
        with engine.connect() as connection:
            stored_count = connection.scalar(select(func.count()).select_from(EntryRow)) or 0
        taken_s = time.perf_counter() - begun_s
        if stored_count >= events or taken_s > LONGEST_S:
            engine.dispose()
            return taken_s
        time.sleep(0.1)


def differences(url: str, sent_logs: Sequence[Sequence[SentMessage]]) -> list[str]:
    """Return the differences between the stored and the sent entries."""
    engine = create_engine(url)
    columns = (EntryRow.table, EntryRow.log, EntryRow.seq, EntryRow.data)
    with engine.connect() as connection:
        stored_entries = {(table, log, seq): data for table, log, seq, data in connection.execute(select(*columns))}
    engine.dispose()
    wanted = {}
    for of_table in sent_logs:
        for _, payload in of_table:
            event = json.loads(payload)
            wanted[event["table"], event["log"], event["seq"]] = event["data"]
    lost = wanted.keys() - stored_entries.keys()
    strange = stored_entries.keys() - wanted.keys()
    other = [key for key in wanted.keys() & stored_entries.keys() if wanted[key] != stored_entries[key]]
    names = (("lost", lost), ("not said", strange), ("other than said", other))
    return [f"{len(keys)} entries are {words}: {sorted(keys)[:3]}" for words, keys in names if keys]


def cpu_of(pid: int) -> float:
    """Return the processor time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(pid: int) -> float:
    """Return the private memory of a process in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def plot(points: Sequence[Measured]) -> str:
    """Return a plot of the events per second over the number of tables, as SVG."""
    most = max(LEAST_A_SECOND, *(point.a_second for point in points)) * 1.15
    step = 560 / max(1, len(points))
    bars = []
    for at, point in enumerate(points):
        height = 220 * point.a_second / most
        x = 60 + at * step
        bars.append(
            f'<rect x="{x:.0f}" y="{260 - height:.0f}" width="{step * 0.7:.0f}" height="{height:.0f}" fill="#178057"/>'
            f'<text x="{x + step * 0.35:.0f}" y="{252 - height:.0f}" text-anchor="middle">{point.a_second:.0f}</text>'
            f'<text x="{x + step * 0.35:.0f}" y="282" text-anchor="middle">{point.tables}</text>'
        )
    target = 260 - 220 * LEAST_A_SECOND / most
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 310" font-family="sans-serif" font-size="14">'
        '<rect width="640" height="310" fill="#fff"/>'
        f'<path d="M50 {target:.0f}H620" stroke="#b3261e" stroke-dasharray="6 5"/>{"".join(bars)}'
        '<text x="320" y="304" text-anchor="middle">tables; events taken a second, 2,000 wanted</text></svg>\n'
    )

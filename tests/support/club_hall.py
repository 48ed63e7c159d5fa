"""A hall in its second round: 22 players, tables that play, a dispute, a notice."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import cv2
import numpy as np

from tests.support.club_tables import CLUB, answer, entry, play_round
from tilekeeper.companion.hub.app import create_app
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.rounds import players_of, seatings_of
from tilekeeper.companion.hub.schema import HallRow, SeatingRow
from tilekeeper.companion.hub.settings import HallSettings, Role
from tilekeeper.companion.messaging.messages import Dispute, PlayerStatus, Presence, TableStatus
from tilekeeper.companion.messaging.topics import Branch, topic
from tilekeeper.companion.text.kept import to_stored
from tilekeeper.companion.web.server import listen
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import lazy_gettext
from tilekeeper.engine.rules.violations import Code, Side, Violation

NAMES = (
    "Aino Virtanen",
    "Benedikt Großmann",
    "Camille Lefèvre",
    "Dagny Ås",
    "Eino Mäkelä",
    "Franziska Überall",
    "Gustav Lindqvist",
    "Hanna Korhonen",
    "Ines Ortega",
    "Jörg Bäcker",
    "Kaisa Niemi",
    "Lauri Salo",
    "Małgorzata Nowak",
    "Niilo Heikkinen",
    "Olga Petrova",
    "Pekka Laine",
    "Quirin Huber",
    "Riikka Hämäläinen",
    "Søren Holm",
    "Tuula Järvinen",
    "Ulrike Weiß",
    "Väinö Rantanen",
)

LONG_NAMES = (
    "Wolfgang-Amadeus von und zu Hohenzollern-Sigmaringen-Württem",
    "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch",
)
"""Names of the greatest length; the second has no space to break at."""


@contextmanager
def serving(hub: Hub) -> Iterator[str]:
    """Serve a hub's pages, and yield their address."""
    app = create_app(hub)
    hub.start()
    listening = listen(app, "127.0.0.1", 0)
    thread = threading.Thread(target=listening.server.serve)
    thread.start()
    try:
        yield listening.address
    finally:
        hub.close()
        listening.server.stop()
        thread.join(10)


def plan(database: Database) -> int:
    """Return the number of the current plan."""
    with database.reading() as session:
        return session.get_one(HallRow, 1).plan


def hall(database: Database, edition: str = "finnish") -> Hub:
    """Return a hub with two rounds, the second under way."""
    hub = Hub(database)
    settings = HallSettings().as_json() | {"name": "Herbstturnier", "edition": edition, "format": {"pairing": "swiss"}}
    hub.desk.configure(plan(database), settings)
    hub.desk.import_players(plan(database), "\n".join(NAMES).encode())
    with database.writing() as session:
        session.get_one(HallRow, 1).seed = 1  # a fixed seed, so that each night has the same pairings
    hub.desk.pair(plan(database), "Olga")
    hub.desk.turn_clock(1, "start", "Olga", Role.ORGANISER)
    hub.intake.take(play_round(database, 1)[0])
    while hub.replayer.catch_up():
        pass
    hub.desk.pair(plan(database), "Olga")
    hub.desk.turn_clock(2, "start", "Olga", Role.ORGANISER)
    with database.reading() as session:
        names = {row.id: row.name for row in players_of(session)}
        seatings = seatings_of(session, 2)
    _let_play(hub, names, seatings)
    messages, _ = play_round(database, 2)
    hub.intake.take([one for one in messages if "/tables/1/" in one[0]])
    hub.replayer.catch_up()
    hub.intake.take([raised_hand("2"), (topic(CLUB, "4", Branch.EVENTS), entry("9", 1)[1])])
    return hub


def large_hall(database: Database) -> Hub:
    """Return a hub with 201 players at 51 tables in the second round; some names have the greatest length."""
    hub = Hub(database)
    names = [*LONG_NAMES, *(f"{NAMES[number % len(NAMES)]} {number}" for number in range(199))]
    settings = HallSettings().as_json() | {"name": "Finnische Meisterschaft im Rummikub, Vorrunde in Hämeenlinna"}
    hub.desk.configure(plan(database), settings)
    hub.desk.import_players(plan(database), "\n".join(names).encode())
    hub.desk.pair(plan(database), "Olga")
    hub.desk.turn_clock(1, "start", "Olga", Role.ORGANISER)
    with database.reading() as session:
        first = seatings_of(session, 1)
    for at, seating in enumerate(first):
        losers = len(seating.players) - 1
        points = [losers * (at + 100), *[-at - 100] * losers]
        hub.desk.enter_points(plan(database), 1, seating.table, [str(one) for one in points], LONG_NAMES[0])
    hub.desk.pair(plan(database), "Olga")
    hub.desk.turn_clock(2, "start", "Olga", Role.ORGANISER)
    with database.reading() as session:
        _let_play(hub, {row.id: row.name for row in players_of(session)}, seatings_of(session, 2))
    hub.intake.take([raised_hand("2"), raised_hand("50"), (topic(CLUB, "4", Branch.EVENTS), entry("9", 1)[1])])
    return hub


def table_of(database: Database, name: str) -> str:
    """Return the table of a player in the second round."""
    with database.reading() as session:
        player = next(row.id for row in players_of(session) if row.name == name)
        return next(seating.table for seating in seatings_of(session, 2) if player in seating.players)


def raised_hand(table: str) -> tuple[str, bytes]:
    """Return a dispute with pictures."""
    pictures = [picture(seed) for seed in (1, 2)]
    hand = Dispute(
        table=table,
        id=f"hand-{table}" if table != "2" else "hand",
        log=f"{table}-2",
        seq=1,
        raised_by="Camille Lefèvre",
        verdict=to_stored(lazy_gettext("Not allowed")),
        reasons=["B4 B5 K6 is no run: its tiles are of two colours.", "The joker stands for no tile."],
        faults=[Violation(Code.MELD_TOO_SHORT, Side.AFTER, (0,), (), 2, 3)],
        after="B4 B5",
        edition="finnish",
        rules=["melds.shortest=3", "joker.sets=like-others"],
        before_jpeg=pictures[0],
        after_jpeg=pictures[1],
    )
    return topic(CLUB, table, Branch.DISPUTES), hand.payload()


def _let_play(hub: Hub, names: dict[int, str], seatings: Sequence[SeatingRow]) -> None:
    """Send the status of all tables in the midst of their turns."""
    for at, seating in enumerate(seatings):
        log = f"{seating.table}-2"
        state = TableStatus(
            table=seating.table,
            log=log,
            phase=Phase.TURNS,
            round=1,
            players=[PlayerStatus(name=names[player], rack=11, opened=True, total=0.0) for player in seating.players],
            player=at % len(seating.players),
            clock_runs=True,
            left_s=7.0 + 3 * at,
            banks_s=[max(0.0, 600.0 - 31 * at - 12 * seat) for seat in range(len(seating.players))],
            wrong=at == 1,
            doubt=at == 3,
            verdict="B4 B5 K6 is no run." if at == 1 else "",
            trouble="The camera sees glare on the table." if at == 4 else "",
        )
        hub.intake.take(
            [
                answer(seating.table, seating.command, log),
                (topic(CLUB, seating.table, Branch.STATE), state.payload()),
                (topic(CLUB, seating.table, Branch.PRESENCE), presence(seating.table, "gone" if at == 5 else "here")),
            ]
        )


def presence(table: str, where: str) -> bytes:
    """Return the presence message of a table."""
    return Presence.model_validate({"table": table, "presence": where}).payload()


def picture(seed: int) -> str:
    """Return a random picture, as a table sends one."""
    rng = np.random.default_rng(seed)
    image = np.full((360, 640, 3), (70, 100, 40), np.uint8)
    for _ in range(14):
        x, y = (int(value) for value in rng.integers((20, 20), (580, 280)))
        cv2.rectangle(image, (x, y), (x + 38, y + 54), (225, 240, 250), -1)
        cv2.putText(image, str(rng.integers(1, 14)), (x + 4, y + 34), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (30, 30, 160), 2)
    return base64.b64encode(cv2.imencode(".jpg", image)[1].tobytes()).decode()

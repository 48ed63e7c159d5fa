"""Messages of tables in a club night, played by the random player, as topics and payloads."""

from __future__ import annotations

import json
import random
from functools import cache

from tests.support.random_games import random_game
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.rounds import seatings_of
from tilekeeper.companion.hub.schema import PlayerRow
from tilekeeper.companion.messaging.digests import digest_after
from tilekeeper.companion.messaging.messages import Acknowledgement, Event, read_message
from tilekeeper.companion.messaging.topics import Branch, topic
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.log import format_entry

CLUB = "club"
AT = "2026-11-23T18:00:00+00:00"
SentMessage = tuple[str, bytes]


def entry(table: str, seq: int, kind: str = "tile-drawn", log: str = "first", /, **data: object) -> SentMessage:
    """Return one log entry as a message."""
    event = Event(table=table, log=log, seq=seq, kind=kind, data={"event": kind, **data}, at=AT)
    return topic(CLUB, table, Branch.EVENTS), event.payload()


def chained(messages: list[SentMessage]) -> list[SentMessage]:
    """Return the entries of a log with their running digests, as a table sends them."""
    digest, sent = "", []
    for place, payload in messages:
        event = read_message(Event, payload)
        digest = digest_after(digest, event)
        sent.append((place, event.model_copy(update={"digest": digest}).payload()))
    return sent


def answer(table: str, command: str, log: str | None = None, refusal: str = "") -> SentMessage:
    """Return a table's answer to a command."""
    acknowledgement = Acknowledgement(table=table, command=command, done=not refusal, refusal=refusal, log=log)
    return topic(CLUB, table, Branch.ANSWERS), acknowledgement.payload()


@cache
def finished_game(names: tuple[str, ...], seed: str, edition: str = "finnish") -> Game:
    """Return a finished game of one round."""
    *_, (game, _) = random_game(random.Random(seed), edition, players=names)
    return game


def messages_of(table: str, game: Game, log: str) -> list[SentMessage]:
    """Return the messages of a table about a game."""
    lines = [json.loads(format_entry(one)) for one in game.entries]
    return [entry(table, seq, data.pop("event"), log, **data) for seq, data in enumerate(lines, start=1)]


def play_round(database: Database, number: int, seed: object = 0) -> tuple[list[SentMessage], dict[str, Game]]:
    """Play a round at all tables; return their messages, in the order of the tables, and the games."""
    with database.reading() as session:
        seatings = seatings_of(session, number)
        names = {row.id: row.name for row in session.query(PlayerRow)}
    messages: list[SentMessage] = []
    games: dict[str, Game] = {}
    for seating in seatings:
        log = f"{seating.table}-{number}"
        games[seating.table] = finished_game(
            tuple(names[player] for player in seating.players), f"{seed} {seating.table} {number}"
        )
        messages += [
            answer(seating.table, seating.command, log),
            *messages_of(seating.table, games[seating.table], log),
        ]
    return messages, games

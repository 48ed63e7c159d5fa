"""A running hub: stores the tables' messages, replays their logs, and sends commands until they are answered."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import or_, select, update

from tilekeeper.companion.heap import trim_heap
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.desk import Desk
from tilekeeper.companion.hub.fold import LogReplayer
from tilekeeper.companion.hub.intake import Intake
from tilekeeper.companion.hub.rulings import Rulings
from tilekeeper.companion.hub.schema import CommandRow, LogRow, TableRow
from tilekeeper.companion.hub.table_rulings import TableRulings
from tilekeeper.companion.messaging.broker import Broker
from tilekeeper.companion.messaging.delivery import warn_of
from tilekeeper.companion.messaging.messages import Resend
from tilekeeper.companion.messaging.topics import WRITTEN_BY_TABLES, Branch, topic

DEFAULT_CLUB: Final = "club"
RESEND_AFTER_S: Final = 10.0
"""A command that no table has answered after this time is sent again."""
_ASK_AGAIN_S: Final = 2.0
_CHECK_EVERY_S: Final = 1.0
_REST_S: Final = 0.25
_TRIM_EVERY_S: Final = 10.0
_AT_ONCE: Final = 500
_MOST_ASKED: Final = 10_000


class Hub:
    """Runs the parts of a hub in three threads: one replays logs, one sends commands, one frees memory."""

    def __init__(self, database: Database, club: str = DEFAULT_CLUB, broker: Broker | None = None) -> None:
        """Prepare a hub; nothing runs before `start`.

        Args:
            database: where the hub keeps all its state.
            club: the club's name in the topics.
            broker: the MQTT broker; None if all tables run on this machine and use HTTP.
        """
        self.database = database
        self.club = club
        self.broker = broker
        self.desk = Desk(database)
        self.rulings = Rulings(database)
        self.table_rulings = TableRulings(database)
        self.intake = Intake(database, club, self._ask)
        self.replayer = LogReplayer(database)
        self._asked: dict[tuple[str, str], tuple[int, float]] = {}
        self._trimmed_s = 0.0
        self._threads = [
            threading.Thread(target=self._keep_going, args=(work,), name=name, daemon=True)
            for name, work in (("fold", self._fold), ("send", self._send), ("tidy", self._tidy))
        ]

    def start(self) -> None:
        """Connect to the broker, and start the threads."""
        if self.broker is not None:
            handlers = {topic(self.club, "+", branch): self.handle for branch in WRITTEN_BY_TABLES}
            self.broker.start(handlers, self.intake.refuse)
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Disconnect from the broker, close the database, and wait up to two seconds for each thread to end."""
        if self.broker is not None:
            self.broker.close()
        self.database.close()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(2.0)

    def handle(self, messages: Sequence[tuple[str, bytes]]) -> None:
        """Store messages, given as topics and payloads; the broker delivers them again if this raises."""
        self.intake.take(messages)

    def messages_for(self, table: str, known_keys: frozenset[str] = frozenset()) -> list[dict[str, Any]]:
        """Return the messages for a table that uses HTTP: unanswered commands, and requests to send a log again.

        Args:
            table: the table's name.
            known_keys: the keys of the messages that the table has received already.

        Returns:
            All waiting messages, including known ones; an empty list if all waiting messages are known.
        """
        with self.database.reading() as session:
            open_ = CommandRow.table == table, CommandRow.answered_at.is_(None)
            rows = session.scalars(select(CommandRow).where(*open_).order_by(CommandRow.place)).all()
            behind = LogRow.table == table, LogRow.taken < LogRow.known, LogRow.parted.is_(False)
            logs = session.execute(select(LogRow.log, LogRow.taken).where(*behind)).all()
            row = session.get(TableRow, table)
            reported = None if row is None or row.state is None else row.state.get("log")
            parted = select(LogRow.log).where(LogRow.table == table, LogRow.log == reported, LogRow.parted)
            parted_logs = session.scalars(parted).all()
        command_topic = topic(self.club, table, Branch.COMMANDS)
        messages = [{"topic": command_topic, "payload": row.payload} for row in rows]
        for log_, taken in logs:
            resend = Resend(table=table, log=log_, seq=taken + 1).model_dump(mode="json")
            messages.append({"topic": topic(self.club, table, Branch.RESEND), "payload": resend})
        for log_ in parted_logs:
            resend = Resend(table=table, log=log_, seq=1, begin_new=True).model_dump(mode="json")
            messages.append({"topic": topic(self.club, table, Branch.RESEND), "payload": resend})
        return [] if {_key(message) for message in messages} <= known_keys else messages

    def _ask(self, table: str, log_: str, seq: int) -> None:
        """Ask a table to send a log again from entry `seq` on, or as a new log if `seq` is 0.

        The same request is not repeated for two seconds, so that the table has time to answer.
        """
        moment_s = time.monotonic()
        before, asked_s = self._asked.get((table, log_), (0, 0.0))
        if self.broker is None or (before == seq and moment_s - asked_s < _ASK_AGAIN_S):
            return
        if len(self._asked) > _MOST_ASKED:
            self._asked.clear()
        self._asked[table, log_] = seq, moment_s
        resend = Resend(table=table, log=log_, seq=max(seq, 1), begin_new=seq == 0)
        self.broker.publish(topic(self.club, table, Branch.RESEND), resend.payload())

    def _keep_going(self, work: Any) -> None:
        revision = 0
        while not self.database.closed:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - most likely an outage; the next round tries again
                if not self.database.closed:
                    warn_of(error, "The hub waits for the database")
                    time.sleep(_CHECK_EVERY_S)
            revision = self.database.wait(revision, _CHECK_EVERY_S)
            time.sleep(_REST_S)  # later messages are handled together

    def _fold(self) -> None:
        while self.replayer.catch_up() and not self.database.closed:
            pass

    def _tidy(self) -> None:
        """Return memory to the system after a burst of messages."""
        if time.monotonic() - self._trimmed_s > _TRIM_EVERY_S:
            self._trimmed_s = time.monotonic()
            trim_heap()

    def _send(self) -> None:
        if self.broker is None or not self.broker.connected:
            return
        moment_s = time.time()
        unsent = or_(CommandRow.sent_at.is_(None), CommandRow.sent_at < moment_s - RESEND_AFTER_S)
        due = CommandRow.answered_at.is_(None), unsent
        with self.database.reading() as session:
            rows = session.scalars(select(CommandRow).where(*due).order_by(CommandRow.place).limit(_AT_ONCE)).all()
            behind = session.execute(
                select(LogRow.table, LogRow.log, LogRow.taken)
                .where(LogRow.taken < LogRow.known, LogRow.parted.is_(False))
                .limit(_AT_ONCE)
            ).all()
        if rows:
            # Without `writing`, which would wake readers in vain: no page shows when a command was sent.
            with self.database.engine.begin() as connection:
                # A row that is locked is being answered or sent by another hub; waiting for it could end in a deadlock.
                of_rows = CommandRow.id.in_([row.id for row in rows])
                unlocked = select(CommandRow.id).where(of_rows, *due).with_for_update(skip_locked=True)
                claim = update(CommandRow).where(CommandRow.id.in_(connection.scalars(unlocked).all()), *due)
                claimed = set(connection.scalars(claim.values(sent_at=moment_s).returning(CommandRow.id)))
            for row in rows:
                if row.id in claimed:
                    self._publish(row)
        for table, log_, last in behind:
            self._ask(table, log_, last + 1)

    def _publish(self, row: CommandRow) -> None:
        assert self.broker is not None
        self.broker.publish(topic(self.club, row.table, Branch.COMMANDS), json.dumps(row.payload).encode())


def _key(message: dict[str, Any]) -> str:
    payload = message["payload"]
    return str(payload.get("id") or (payload.get("log"), payload.get("seq")))


def keys_of(messages: Sequence[dict[str, Any]]) -> frozenset[str]:
    """Return a key for each message, to recognise it: a command's id, or log and number of a request to resend."""
    return frozenset(map(_key, messages))

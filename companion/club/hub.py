"""A running hub: what comes from tables is taken and folded, what was decided is sent until it is answered."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import or_, select, update

from tilekeeper.companion.broker.broker import Broker
from tilekeeper.companion.broker.messages import Resend
from tilekeeper.companion.broker.topics import WRITTEN_BY_TABLES, Branch, topic
from tilekeeper.companion.club.database import Database
from tilekeeper.companion.club.desk import Desk
from tilekeeper.companion.club.fold import Folder
from tilekeeper.companion.club.intake import Intake
from tilekeeper.companion.club.schema import CommandRow, LogRow
from tilekeeper.companion.heap import trim_heap

log = logging.getLogger(__name__)

DEFAULT_CLUB: Final = "club"
AGAIN_S: Final = 10.0
"""A command that was not answered is sent again after so long."""
_ASK_AGAIN_S: Final = 2.0
_LOOKS_EVERY_S: Final = 1.0
_REST_S: Final = 0.25
_TRIMS_EVERY_S: Final = 10.0
_AT_ONCE: Final = 500
_MOST_ASKED: Final = 10_000


class Hub:
    """The parts of a hub, and the threads that keep them going."""

    def __init__(self, database: Database, club: str = DEFAULT_CLUB, broker: Broker | None = None) -> None:
        """Take the database and the way to the tables.

        Args:
            database: where everything is.
            club: the name in the topics.
            broker: none where tables of this machine come to the hub itself.
        """
        self.database = database
        self.club = club
        self.broker = broker
        self.desk = Desk(database)
        self.intake = Intake(database, club, self._ask)
        self.folder = Folder(database)
        self._asked: dict[tuple[str, str], tuple[int, float]] = {}
        self._trimmed_s = 0.0
        self._threads = [
            threading.Thread(target=self._keep_going, args=(work,), name=name, daemon=True)
            for name, work in (("fold", self._fold), ("send", self._send), ("tidy", self._tidy))
        ]

    def start(self) -> None:
        """Begin to listen and to send."""
        if self.broker is not None:
            self.broker.start({topic(self.club, "+", branch): self.handle for branch in WRITTEN_BY_TABLES})
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Let go of the broker and of the database."""
        if self.broker is not None:
            self.broker.close()
        self.database.close()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(2.0)

    def handle(self, messages: Sequence[tuple[str, bytes]]) -> None:
        """Take messages from the broker; what is raised has it bring them again."""
        self.intake.take(messages)

    def fetched(self, table: str, brought: frozenset[str] = frozenset()) -> list[dict[str, Any]]:
        """What is for a table that comes to the hub itself: commands not answered, and what it is to resend.

        Args:
            table: which.
            brought: what it got at its last question and has not answered yet; left out where nothing else is there.
        """
        with self.database.reading() as session:
            open_ = CommandRow.table == table, CommandRow.answered_at.is_(None)
            rows = session.scalars(select(CommandRow).where(*open_).order_by(CommandRow.place)).all()
            behind = LogRow.table == table, LogRow.taken < LogRow.known
            logs = session.execute(select(LogRow.log, LogRow.taken).where(*behind)).all()
        orders = topic(self.club, table, Branch.COMMANDS)
        messages = [{"topic": orders, "payload": row.payload} for row in rows]
        for log_, taken in logs:
            again = Resend(table=table, log=log_, seq=taken + 1).model_dump(mode="json")
            messages.append({"topic": topic(self.club, table, Branch.RESEND), "payload": again})
        return [] if {_key(message) for message in messages} <= brought else messages

    def _ask(self, table: str, log_: str, seq: int) -> None:
        """Ask a table to send a log again, not more often than it can answer."""
        moment_s = time.monotonic()
        before, asked_s = self._asked.get((table, log_), (0, 0.0))
        if self.broker is None or (before == seq and moment_s - asked_s < _ASK_AGAIN_S):
            return
        if len(self._asked) > _MOST_ASKED:
            self._asked.clear()
        self._asked[table, log_] = seq, moment_s
        again = Resend(table=table, log=log_, seq=seq)
        self.broker.publish(topic(self.club, table, Branch.RESEND), again.payload())

    def _keep_going(self, work: Any) -> None:
        revision = 0
        while not self.database.closed:
            try:
                work()
            except Exception:  # the database is away; nothing is lost by doing it later
                if not self.database.closed:
                    log.warning("The hub goes on once the database is there", exc_info=True)
                    time.sleep(_LOOKS_EVERY_S)
            revision = self.database.wait(revision, _LOOKS_EVERY_S)
            time.sleep(_REST_S)  # what comes within it is done together

    def _fold(self) -> None:
        while self.folder.catch_up() and not self.database.closed:
            pass

    def _tidy(self) -> None:
        """Give memory back that a rush of messages has left."""
        if time.monotonic() - self._trimmed_s > _TRIMS_EVERY_S:
            self._trimmed_s = time.monotonic()
            trim_heap()

    def _send(self) -> None:
        if self.broker is None or not self.broker.connected:
            return
        moment_s = time.time()
        unsent = or_(CommandRow.sent_at.is_(None), CommandRow.sent_at < moment_s - AGAIN_S)
        due = CommandRow.answered_at.is_(None), unsent
        with self.database.reading() as session:
            rows = session.scalars(select(CommandRow).where(*due).order_by(CommandRow.place).limit(_AT_ONCE)).all()
            behind = session.execute(
                select(LogRow.table, LogRow.log, LogRow.taken).where(LogRow.taken < LogRow.known).limit(_AT_ONCE)
            ).all()
        if rows:
            with self.database.engine.begin() as connection:  # nobody sees it: no news
                mine = update(CommandRow).where(CommandRow.id.in_([row.id for row in rows]), *due)
                taken = set(connection.scalars(mine.values(sent_at=moment_s).returning(CommandRow.id)))
            for row in rows:
                if row.id in taken:
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
    """By what messages that were brought are known again."""
    return frozenset(map(_key, messages))

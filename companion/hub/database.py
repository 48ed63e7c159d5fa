"""The hub's database, SQLite or PostgreSQL: opens and migrates the database, and wakes readers when it changes."""

from __future__ import annotations

import json
import logging
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    JSON,
    Connection,
    Engine,
    Subquery,
    Text,
    bindparam,
    cast,
    column,
    create_engine,
    event,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.schema import Base, HallRow, NewsRow
from tilekeeper.companion.hub.settings import HallSettings, new_codes
from tilekeeper.companion.storage.private_files import make_private
from tilekeeper.engine.language import gettext

log = logging.getLogger(__name__)

MIGRATIONS: Final = Path(__file__).with_name("migrations")
HEAD: Final = "0007"
CHANNEL: Final = "tilekeeper_club"
"""The PostgreSQL channel (LISTEN and NOTIFY) on which hubs announce changes."""
_MIGRATION_LOCK: Final = 0x7469_6C65
_POLL_EVERY_S: Final = 0.15
"""The interval at which SQLite is polled for changes by other processes."""
_BUSY_MS: Final = 15_000
_AWAY_S: Final = 1.0
_TABLES_ONLY: Final = "tables only"
_LISTEN_S: Final = 0.4
"""The interval at which the PostgreSQL listener checks whether the hub is closing."""


class DatabaseUnusable(Exception):  # noqa: N818, the name says it
    """The database can't be opened, migrated or used; the message is one line for the command line."""


class Database:
    """The database of a hub; several threads and several hubs may use it at once."""

    def __init__(self, url: str) -> None:
        """Open and migrate the database.

        Args:
            url: an SQLAlchemy URL, `sqlite:////path/club.sqlite3` or `postgresql+psycopg://…`.

        Raises:
            DatabaseUnusable: if the URL is not one, or the database can't be opened or migrated.
        """
        try:
            parsed = make_url(url)
            self.on_postgresql = parsed.get_backend_name() == "postgresql"
            options: dict[str, Any] = {"pool_size": 10, "max_overflow": 30} if self.on_postgresql else {}
            self.engine: Engine = create_engine(
                parsed, pool_pre_ping=self.on_postgresql, json_serializer=_dump_compactly, **options
            )
        except (ArgumentError, NoSuchModuleError):
            raise DatabaseUnusable(
                gettext(
                    "{url} is not a database: give sqlite:////PATH or postgresql+psycopg://USER@HOST/NAME.",
                    url=_without_password(url),
                )
            ) from None
        except ImportError:
            raise DatabaseUnusable(
                gettext(
                    "A part for tournaments is missing. Run “make club” in Tilekeeper's folder, or install its wheel "
                    "with [club]."
                )
            ) from None
        if not self.on_postgresql:
            event.listen(self.engine, "connect", _prepare_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
        # All reads of a session see the database as of one moment.
        reader_options: dict[str, Any] = (
            {"isolation_level": "REPEATABLE READ"} if self.on_postgresql else {"reads": True}
        )
        self._reader = self.engine.execution_options(**reader_options)
        try:
            self._migrate()
            if not self.on_postgresql and parsed.database:
                make_private(Path(f"{parsed.database}{ending}") for ending in ("", "-wal", "-shm"))
        except DatabaseUnusable:
            self.engine.dispose()
            raise
        except (SQLAlchemyError, OSError) as error:
            self.engine.dispose()
            raise DatabaseUnusable(
                gettext(
                    "{database} can't be used: {reason}",
                    database=_without_password(parsed.render_as_string(hide_password=True)),
                    reason=" ".join(str(getattr(error, "orig", None) or error).split()),
                )
            ) from None
        self._news = threading.Condition()
        self._newest = self.revision()
        self._closed = threading.Event()
        self._listener = threading.Thread(target=self._listen, name="news", daemon=True)
        self._listener.start()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a read-only session, whose queries all see the database as of one moment."""
        with Session(self._reader) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Yield a session in a transaction; its commit raises the revision and wakes waiting readers in all processes.

        Call `mark_tables_only` in a transaction that changes only the tables' status.
        """
        with Session(self.engine) as session, session.begin():
            if not self.on_postgresql:
                session.execute(text("SELECT 1"))  # begins the transaction, and so takes SQLite's write lock
            yield session
            session.flush()
            # This row is locked last, so that no transaction waits for another row while it holds this one.
            newest: dict[str, Any] = {"revision": NewsRow.revision + 1}
            if not session.info.get(_TABLES_ONLY):
                newest["night"] = NewsRow.revision + 1
            news = update(NewsRow).where(NewsRow.id == 1).values(newest).returning(NewsRow.revision)
            if self.on_postgresql:
                news = news.returning(func.pg_notify(CHANNEL, cast(NewsRow.revision, Text)))
            revision = session.scalar(news)
        self._wake_readers(int(revision or 0))

    def revision(self) -> int:
        """Return the revision: the number of the last change."""
        with self.reading() as session:
            return int(session.scalar(select(NewsRow.revision).where(NewsRow.id == 1)) or 0)

    def wait(self, revision: int, timeout_s: float) -> int:
        """Wait at most `timeout_s` seconds until the revision is above `revision`, and return the newest revision."""
        with self._news:
            self._news.wait_for(lambda: self._newest > revision or self._closed.is_set(), timeout_s)
            return self._newest

    @property
    def closed(self) -> bool:
        """Whether the hub is closing."""
        return self._closed.is_set()

    def close(self) -> None:
        """Wake waiting readers, and close the database."""
        self._closed.set()
        with self._news:
            self._news.notify_all()
        self._listener.join(2.0)
        self.engine.dispose()

    def _wake_readers(self, revision: int) -> None:
        with self._news:
            if revision > self._newest:
                self._newest = revision
                self._news.notify_all()

    def _listen(self) -> None:
        while not self._closed.is_set():
            try:
                if self.on_postgresql:
                    self._listen_to_postgresql()
                else:
                    self._poll_sqlite()
            except Exception:  # most likely the database is unavailable; the next try reads the newest revision
                log.warning("Changes of the database can't be heard", exc_info=log.isEnabledFor(logging.DEBUG))
                self._closed.wait(_AWAY_S)

    def _listen_to_postgresql(self) -> None:
        import psycopg

        with psycopg.connect(self._dsn(), autocommit=True) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            self._wake_readers(self.revision())
            while not self._closed.is_set():
                for notice in connection.notifies(timeout=_LISTEN_S, stop_after=1):
                    self._wake_readers(int(notice.payload))

    def _dsn(self) -> str:
        return self.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)

    def _poll_sqlite(self) -> None:
        while not self._closed.wait(_POLL_EVERY_S):
            self._wake_readers(self.revision())

    def _migrate(self) -> None:
        with self.engine.connect() as connection:
            if not self.on_postgresql:
                cursor = connection.connection.cursor()
                cursor.execute("PRAGMA foreign_keys=OFF")
                cursor.close()
            with connection.begin():
                if self.on_postgresql:  # two hubs may start at the same time
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
                _upgrade(connection)
                _add_first_rows(connection)
        self.engine.dispose()


def _without_password(url: str) -> str:
    """Return a database URL, even a mistyped one, without user, password and query; only `…` for other texts."""
    place = url.rpartition("@")[2].partition("?")[0]
    if "=" in place:  # such as `host=db password=…`, as libpq takes it
        return "…"
    return f"{'…@' if '@' in url else ''}{place}{'?…' if '?' in url else ''}"


def mark_tables_only(session: Session) -> None:
    """Mark a transaction that changes only the tables' status, so that `NewsRow.night` stays as it is."""
    session.info[_TABLES_ONLY] = True


def insert_ignoring(session: Session, row: type[Any]) -> Any:
    """Return an INSERT into the table of `row` that skips rows which exist already."""
    of_dialect = (postgresql if session.get_bind().dialect.name == "postgresql" else sqlite).insert(row)
    return of_dialect.on_conflict_do_nothing()


def rows_as_table(session: Session, table: type[Base], rows: Sequence[Mapping[str, Any]]) -> Subquery:
    """Return rows as a subquery for one statement; thousands of parameters or statements are many times slower.

    Args:
        session: the session in which the statement runs.
        table: where the rows belong; the subquery's columns have the names and types of its columns.
        rows: the values by column name; all have the same columns, and there is at least one row.
    """
    as_json = bindparam("rows", rows, JSON, unique=True)
    if session.get_bind().dialect.name == "postgresql":
        typed = [column(name, table.__table__.c[name].type) for name in rows[0]]
        record_set = func.json_to_recordset(as_json).table_valued(*typed, name="given")
        return select(record_set.render_derived(with_types=True)).subquery()
    value = func.json_each(as_json).table_valued("value").c.value
    return select(*(func.json_extract(value, f"$.{name}").label(name) for name in rows[0])).subquery()


def _upgrade(connection: Connection) -> None:
    version = None
    if inspect(connection).has_table("alembic_version"):
        version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if version == HEAD:
        return
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    known_versions = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if version is not None and version not in known_versions:
        raise DatabaseUnusable(gettext("A newer Tilekeeper wrote this database. Install it, or name another database."))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


def _add_first_rows(connection: Connection) -> None:
    if connection.execute(select(NewsRow.id)).first() is not None:
        return
    connection.execute(insert(NewsRow).values(id=1, revision=1, night=1))
    night = {"name": "", "plan": 0, "settings": HallSettings().as_json(), "codes": new_codes()}
    connection.execute(
        insert(HallRow).values(
            id=1, seen_in_plain=False, seed=secrets.randbits(48), secret=secrets.token_hex(32), **night
        )
    )


def _prepare_sqlite(connection: Any, _: object) -> None:
    # Otherwise the driver would commit before each CREATE and DROP, and a killed migration would be half done.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN" if connection.get_execution_options().get("reads") else "BEGIN IMMEDIATE")


def _dump_compactly(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))

"""Archives that strangers made, by hand and by mutation, each restored in a process of its own.

Requirements: no file outside the data folder, no row of access data, 200 MB of its own and 5 s at most for each.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.reliability.damaged_files import build, flip_bytes, overwrite_page, zero_page
from tests.benchmarks.reliability.report import Outcome
from tests.support.scratch import scratch_folder
from tilekeeper.companion.storage.archive import ArchiveUnusable, read_archive, write_archive
from tilekeeper.companion.storage.folder import FILE_NAME, StoreUnusable
from tilekeeper.companion.storage.schema import ACCESS_DATA

MOST_MB = 200
"""The most memory that restoring adds to what a forked process has inherited, which depends on who runs the bench."""
LONGEST_S = 5.0
LONGEST_WALL_S = 60.0
"""A process that takes longer is killed; below that, time counts as processor time, since the machine may be busy."""
STRANGER = "STRANGERSCODE"
_REFUSED, _FAILED = 3, 4

Change = Callable[[Path, random.Random], None]
"""Changes a database."""


def sql(*statements: str) -> Change:
    """Return a change that runs statements."""

    def change(database: Path, _: random.Random) -> None:
        with closing(sqlite3.connect(database)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    return change


def plant_access(database: Path, _: random.Random) -> None:
    """Add access data of the archive's author."""
    value = json.dumps({"code": STRANGER, "devices": [{"id": "x", "name": "x", "token_sha256": "0" * 64}]})
    with closing(sqlite3.connect(database)) as connection:
        for name in ACCESS_DATA:
            connection.execute("INSERT OR REPLACE INTO preferences (name, value) VALUES (?, ?)", (name, value))
        connection.commit()


def replace_values(database: Path, rng: random.Random) -> None:
    """Replace values of random rows and columns."""
    values = ("../../../x", "/etc/x", "x" * 150_000, "[" * 20_000, "null", b"\xff" * 999, 2**62, -1, "1e999", "\0")
    columns = [(table, column) for table, names in _COLUMNS.items() for column in names]
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        for _ in range(rng.choice((1, 3, 20))):
            table, column = rng.choice(columns)
            (rows,) = connection.execute(f"SELECT max(rowid) FROM {table}").fetchone()
            with closing(connection.cursor()) as cursor:
                statement = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid = ?"
                cursor.execute(statement, (rng.choice(values), rng.randint(1, rows or 1)))
        connection.commit()


def plant_hard_turns(database: Path, rng: random.Random) -> None:
    """Add a game night of large tables, each of which takes long to judge, and of undone turns."""

    def table() -> str:
        melds = (" ".join(f"{rng.choice('RKBO')}{rng.randint(1, 13)}" for _ in range(13)) for _ in range(300))
        return " | ".join(melds)

    laid = ({"event": "tiles-laid", "after": table(), "overruled": True} for _ in range(40))
    turns = [event for turn in laid for event in (turn, {"event": "undone", "events": 1}, turn)]
    entries = [
        {"event": "game-started", "players": ["Ada", "Bo"], "edition": "finnish"},
        {"event": "starter-chosen", "player": 0, "overruled": True},
        {"event": "dealt"},
        *turns,
    ]
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        for place, entry in enumerate(entries):
            record = ("hard", place, json.dumps(entry), json.dumps({"step": place + 1, "at": ""}))
            connection.execute("INSERT INTO records (evening, place, event, note) VALUES (?, ?, ?, ?)", record)
        connection.commit()


def damaged(change: Callable[[Path, random.Random, Sequence[str]], object]) -> Change:
    """Return a change of `damaged_files`, which damages a file like a disk, as a change of a database."""

    def damage(database: Path, rng: random.Random) -> None:
        change(database, rng, ())

    return damage


_COLUMNS = {
    "alembic_version": ("version_num",),
    "evenings": ("id", "begun_at", "changed_at", "revision", "people", "settings", "live"),
    "records": ("evening", "place", "event", "note"),
    "preferences": ("name", "value"),
}
_COUNT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {most})"
DATABASES: dict[str, Change] = {
    "access data": plant_access,
    "of version 0001": sql("UPDATE alembic_version SET version_num = '0001'"),
    "a newer version": sql("UPDATE alembic_version SET version_num = '9999'"),
    "a trigger": sql(
        "CREATE TRIGGER t AFTER UPDATE ON preferences BEGIN INSERT INTO preferences VALUES ('access', '{}'); END"
    ),
    "a view as a table": sql("ALTER TABLE evenings RENAME TO e", "CREATE VIEW evenings AS SELECT * FROM e"),
    "a table that computes": sql("CREATE VIRTUAL TABLE v USING fts5(x)"),
    "a generated column": sql("ALTER TABLE evenings ADD COLUMN g GENERATED ALWAYS AS (zeroblob(900000000))"),
    "a path as id": sql(
        "UPDATE evenings SET id = '../../../' || id", "UPDATE records SET evening = '../../../' || evening"
    ),
    "a costly check": sql(
        "CREATE TABLE c (x CHECK (length(randomblob(700000000)) > 0))", "ALTER TABLE evenings ADD COLUMN h DEFAULT 1"
    ),
    "a large value": sql("UPDATE evenings SET live = '\"' || hex(zeroblob(30000000)) || '\"'"),
    "deep JSON": sql(f"UPDATE evenings SET live = '{'[' * 90_000}'"),
    "many game nights": sql(
        "INSERT INTO records (evening, place, event, note) "
        f"{_COUNT.format(most=100_000)} SELECT 'e' || i, 0, '{{}}', '{{}}' FROM n"
    ),
    "many records": sql(
        "INSERT OR IGNORE INTO records (evening, place, event, note) "
        f"{_COUNT.format(most=200_000)} SELECT (SELECT min(id) FROM evenings), i + 5000, '{{}}', '{{}}' FROM n"
    ),
    "hard turns": plant_hard_turns,
    "other values": replace_values,
    "flipped bytes": damaged(flip_bytes),
    "zeros": damaged(zero_page),
    "another page": damaged(overwrite_page),
}
"""The ways to change a database, by name; the last ones change it at random."""


def add_paths(archive: zipfile.ZipFile, _: random.Random) -> None:
    """Add files for places outside the folder."""
    for name in ("../outside.jpg", "/tmp/tilekeeper-outside.jpg", "pictures/../../outside.jpg", "..\\outside.jpg"):
        archive.writestr(name, b"x")
    archive.writestr("pictures/..%2f..%2foutside/1.jpg", b"x")


def add_link(archive: zipfile.ZipFile, _: random.Random) -> None:
    """Add a symbolic link to another folder, and a picture behind it."""
    link = zipfile.ZipInfo("pictures/behind")
    link.external_attr = 0o120777 << 16
    archive.writestr(link, "../..")
    archive.writestr("pictures/behind/outside.jpg", b"x")


def add_zeros(archive: zipfile.ZipFile, _: random.Random) -> None:
    """Add a large picture that takes little space."""
    with archive.open(zipfile.ZipInfo("pictures/a/zeros.jpg"), "w", force_zip64=True) as file:
        for _ in range(300):
            file.write(bytes(1_000_000))


def add_second_database(archive: zipfile.ZipFile, _: random.Random) -> None:
    """Add a second file with the name of the database."""
    with warnings.catch_warnings(action="ignore"):
        archive.writestr(FILE_NAME, b"SQLite format 3\0" + bytes(100_000))


def add_other_packing(archive: zipfile.ZipFile, _: random.Random) -> None:
    """Add a picture in a packing that takes much memory."""
    archive.writestr("pictures/a/1.jpg", bytes(50_000_000), zipfile.ZIP_LZMA)


def add_many(archive: zipfile.ZipFile, rng: random.Random) -> None:
    """Add many small files."""
    for number in range(3000):
        archive.writestr(f"pictures/{rng.randrange(50)}/{number}.jpg", b"x")


ARCHIVES: dict[str, Callable[[zipfile.ZipFile, random.Random], None]] = {
    "paths": add_paths,
    "a link": add_link,
    "zeros": add_zeros,
    "two databases": add_second_database,
    "another packing": add_other_packing,
    "many files": add_many,
}


def make_archive(whole: Path, target: Path, kind: str, rng: random.Random) -> None:
    """Write an archive of one kind, made from the database of real game nights."""
    where, _, what = kind.partition(": ")
    database = target.with_suffix(".sqlite3")
    shutil.copyfile(whole, database)
    if where == "database":
        DATABASES[what](database, rng)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(database, FILE_NAME)
        archive.writestr("pictures/a/0.jpg", b"\xff\xd8\xff\xd9")
        if where == "archive":
            ARCHIVES[what](archive, rng)
    if where == "bytes":
        data = bytearray(target.read_bytes())
        for _ in range(rng.choice((1, 5, 50))):
            # Most of a ZIP file is packed data; its lists are at the end.
            data[rng.choice((rng.randrange(len(data)), -rng.randrange(1, min(300, len(data)))))] = rng.randrange(256)
        target.write_bytes(data[: rng.choice((len(data), len(data), rng.randrange(len(data))))])


KINDS = (
    *(f"database: {what}" for what in DATABASES),
    *(f"archive: {what}" for what in ARCHIVES),
    "bytes: changed",
)
_MUTATIONS = (
    "database: other values",
    "database: flipped bytes",
    "database: zeros",
    "database: another page",
    KINDS[-1],
)


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of restoring an archive: whether it was accepted, its time, its own memory, and the error."""

    was_taken: bool
    cpu_s: float
    wall_s: float
    memory_mb: float
    error: str


def restore(archive: Path, folder: Path) -> Tried:
    """Restore an archive in a process of its own, and measure it."""
    reading_end, writing_end = os.pipe()
    begun_s, child = time.monotonic(), os.fork()
    if child == 0:
        os.close(reading_end)
        os._exit(_restore_here(archive, folder, writing_end))
    os.close(writing_end)
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        wall_s = time.monotonic() - begun_s
        if ended:
            break
        if wall_s > LONGEST_WALL_S:
            os.kill(child, 9)
        time.sleep(0.005)
    with open(reading_end, "rb") as words:
        inherited_kb, _, error = words.read().decode().partition("\n")
    code = os.waitstatus_to_exitcode(status)
    if not error and code not in (0, _REFUSED):
        error = f"ended with {code}"
    own_mb = (usage.ru_maxrss - int(inherited_kb or 0)) / 1024
    return Tried(code == 0, usage.ru_utime + usage.ru_stime, wall_s, own_mb, error)


def _restore_here(archive: Path, folder: Path, saying: int) -> int:
    import resource  # Windows has none, nor `os.fork`

    os.write(saying, f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}\n".encode())
    try:
        read_archive(archive, folder)
    except (ArchiveUnusable, StoreUnusable, OSError, sqlite3.Error):  # the command reports these in one line
        return _REFUSED
    except BaseException:  # noqa: BLE001, every other one is a failure to report
        os.write(saying, traceback.format_exc(limit=-3).encode()[:1000])
        return _FAILED
    return 0


def files_outside(scratch: Path, data: Path) -> set[Path]:
    """Return all files in a folder but those of the data folder."""
    return {path for path in scratch.rglob("*") if not path.is_relative_to(data) and not path.is_dir()}


def access_rows(folder: Path) -> int:
    """Return how many rows of access data the database of a folder has."""
    if not (folder / FILE_NAME).is_file():
        return 0
    names = ", ".join("?" * len(ACCESS_DATA))
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        query = f"SELECT count(*) FROM preferences WHERE name IN ({names}) OR value LIKE '%{STRANGER}%'"
        return int(connection.execute(query, tuple(ACCESS_DATA)).fetchone()[0])


def measure(count: int, seed: int = 1) -> Outcome:
    """Restore `count` archives: each kind once, and then mutations."""
    rng, outcome = random.Random(seed), Outcome()
    most = {"MB": 0.0, "s of processor time": 0.0, "s": 0.0}
    with scratch_folder() as scratch:
        build(scratch / "whole")
        write_archive(scratch / "whole", scratch / "whole.zip")
        with zipfile.ZipFile(scratch / "whole.zip") as archive:
            (scratch / "whole.sqlite3").write_bytes(archive.read(FILE_NAME))
        for number in range(count):
            kind = KINDS[number] if number < len(KINDS) else rng.choice(_MUTATIONS)
            outcome.cases[kind] += 1
            case = scratch / str(number)
            home, data = case / "home", case / "home" / "user" / "data"
            home.mkdir(parents=True)
            make_archive(scratch / "whole.sqlite3", case / "a.zip", kind, rng)
            before = files_outside(scratch, data)
            tried = restore(case / "a.zip", data)
            outcome.counts["taken" if tried.was_taken else "refused"] += 1
            for trouble in _troubles(tried, files_outside(scratch, data) - before, access_rows(data)):
                outcome.trouble(f"{kind}, {number}: {trouble}")
            if tried.wall_s > LONGEST_S:
                outcome.slow.append(f"{kind}, {number}: {tried.wall_s:.1f} s")
            for unit, value in zip(most, (tried.memory_mb, tried.cpu_s, tried.wall_s), strict=True):
                most[unit] = max(most[unit], value)
            shutil.rmtree(case)
        if Path("/tmp/tilekeeper-outside.jpg").exists():
            outcome.trouble("a file in /tmp")
    outcome.figures = {f"{unit} at most": f"{value:.1f}" for unit, value in most.items()}
    return outcome


def _troubles(tried: Tried, outside: set[Path], rows: int) -> list[str]:
    troubles = [tried.error] if tried.error else []
    if outside:
        troubles.append(f"files outside: {sorted(outside)[:3]}")
    if rows:
        troubles.append(f"{rows} rows of access data")
    if tried.memory_mb > MOST_MB:
        troubles.append(f"{tried.memory_mb:.0f} MB")
    if tried.cpu_s > LONGEST_S:
        troubles.append(f"{tried.cpu_s:.1f} s of processor time")
    return troubles

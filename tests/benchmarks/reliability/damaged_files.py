"""Damages the file of game nights as a disk, a crash or a curious person might, and opens it again.

Requirements: the app starts, every readable game night opens and can continue, no game night has an entry that was
never made, and untouched game nights are complete.
"""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType

from flask import Flask

from tests.benchmarks.reliability.report import Outcome
from tests.support.game_night_client import EveningClient
from tests.support.known_tables import MarkedTables
from tests.support.scratch import scratch_folder
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.storage.folder import FILE_NAME
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set

LONGEST_S = 20.0
"""Longest time to open a damaged file; a slower app counts as hanging."""
JUNK = ("null", "[]", "{}", "5", '"x"', "{", "", '{"clock": null}', "[" * 5000, '{"player": 1e999}')
PREFERENCES = ("access", "open", "play-area No camera", "camera No camera")

Lines = tuple[str, ...]


def build(folder: Path, evenings: int = 3) -> dict[str, Lines]:
    """Play some evenings in a folder, the last one still open, and return the entries of each by its id."""
    with running(folder) as app:
        page, ids = EveningClient(app), []
        for number in range(evenings):
            page.deal("Ada", "Bo", "Cleo")
            for _ in range(4 + 3 * number):
                page.act("draw")
            page.act("undo", steps=1)
            ids.append(parts(app).session.state.activity.game_night.id)  # type: ignore[union-attr]  # one is played
        return {id_: entries(app, id_) for id_ in ids}


def entries(app: Flask, evening: str) -> Lines:
    """Return the stored entries of a game night."""
    return tuple(str(line) for line, _ in parts(app).game_nights.database.lines(evening))


@contextmanager
def running(folder: Path) -> Iterator[Flask]:
    """Run an app on a folder, without a camera."""
    app = create_app(Settings(rule_set("large-numbers"), NoSource(), MarkedTables(), "No camera", folder))
    try:
        app.testing = True
        parts(app).start()
        yield app
    finally:
        parts(app).close()


# Ways to damage a file: each returns the ids of evenings that may have been touched, None for any of them.

Damage = Callable[[Path, random.Random, Sequence[str]], Sequence[str] | None]


def flip_bytes(file: Path, rng: random.Random, _: Sequence[str]) -> None:
    """Change some bytes anywhere."""
    data = bytearray(file.read_bytes())
    for _ in range(rng.choice((1, 3, 30, 300))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)


def zero_page(file: Path, rng: random.Random, _: Sequence[str]) -> None:
    """Overwrite pages with zeros, as a crash may."""
    data = bytearray(file.read_bytes())
    for _ in range(rng.choice((1, 2, 5))):
        page = 4096 * rng.randrange(len(data) // 4096)
        data[page : page + 4096] = bytes(4096)
    file.write_bytes(data)


def overwrite_page(file: Path, rng: random.Random, _: Sequence[str]) -> None:
    """Overwrite a page with other data."""
    data = bytearray(file.read_bytes())
    page = 4096 * rng.randrange(len(data) // 4096)
    data[page : page + 4096] = rng.randbytes(4096)
    file.write_bytes(data)


def cut_short(file: Path, rng: random.Random, _: Sequence[str]) -> None:
    """Lose the end of the file, or all of it."""
    file.write_bytes(file.read_bytes()[: rng.choice((0, 1, 100, rng.randrange(file.stat().st_size)))])


def junk_beside(file: Path, rng: random.Random, _: Sequence[str]) -> Sequence[str]:
    """Write junk into the write-ahead log of SQLite."""
    for ending in ("-wal", "-journal"):
        if rng.random() < 0.6:
            file.with_name(f"{file.name}{ending}").write_bytes(rng.randbytes(rng.randrange(5000)))
    return ()


def junk_preference(file: Path, rng: random.Random, _: Sequence[str]) -> Sequence[str]:
    """Replace a value that is stored across game nights by junk."""
    with _writing(file) as connection:
        connection.execute(
            "INSERT OR REPLACE INTO preferences (name, value) VALUES (?, ?)",
            (rng.choice(PREFERENCES), rng.choice(JUNK)),
        )
    return ()


def junk_evening(file: Path, rng: random.Random, ids: Sequence[str]) -> Sequence[str]:
    """Replace a column of one game night by junk."""
    evening = rng.choice(ids)
    column = rng.choice(("live", "settings", "people", "begun_at", "changed_at", "revision", "over"))
    with _writing(file) as connection:
        value = rng.choice((*JUNK, b"\xff\xfe", -1, 2**62))
        connection.execute(f"UPDATE evenings SET {column} = ? WHERE id = ?", (value, evening))
    return ()


def junk_record(file: Path, rng: random.Random, ids: Sequence[str]) -> Sequence[str]:
    """Replace an event or its note by junk, or delete one."""
    evening = rng.choice(ids)
    with _writing(file) as connection:
        (last,) = connection.execute("SELECT max(place) FROM records WHERE evening = ?", (evening,)).fetchone()
        place = rng.randrange(last + 1)
        match rng.randrange(4):
            case 0:
                connection.execute("DELETE FROM records WHERE evening = ? AND place = ?", (evening, place))
            case 1:
                junk = rng.choice((*JUNK, b"\xff\xfe", '{"event": "teleported"}', '{"event": "passed"}'))
                where = (junk, evening, place)
                connection.execute("UPDATE records SET event = ? WHERE evening = ? AND place = ?", where)
            case 2:
                where = (rng.choice(JUNK), evening, place)
                connection.execute("UPDATE records SET note = ? WHERE evening = ? AND place = ?", where)
            case _:
                connection.execute("DELETE FROM records WHERE evening = ? AND place >= ?", (evening, place))
    return (evening,)


def lose_table(file: Path, rng: random.Random, _: Sequence[str]) -> None:
    """Delete or rename a table of the database."""
    table = rng.choice(("evenings", "records", "preferences", "alembic_version"))
    with _writing(file) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute(rng.choice((f"DROP TABLE {table}", f"ALTER TABLE {table} RENAME TO other")))


DAMAGES: dict[str, Damage] = {
    "bytes flipped": flip_bytes,
    "pages zeroed": zero_page,
    "a page overwritten": overwrite_page,
    "cut short": cut_short,
    "junk beside it": junk_beside,
    "a preference made junk": junk_preference,
    "an evening's row made junk": junk_evening,
    "a record made junk": junk_record,
    "a table lost": lose_table,
}


def damage_and_open(whole: Path, played: dict[str, Lines], rng: random.Random, outcome: Outcome) -> None:
    """Damage a copy of a folder in one way and open it."""
    kind = rng.choice(list(DAMAGES))
    outcome.cases[kind] += 1
    with scratch_folder() as scratch:
        folder = scratch / "data"
        shutil.copytree(whole, folder)
        touched = DAMAGES[kind](folder / FILE_NAME, rng, tuple(played))
        try:
            with at_most(LONGEST_S), running(folder) as app:
                for trouble in _open_all(app, played, touched, outcome):
                    outcome.troubles.append(f"{kind}: {trouble}")
        except Exception as error:  # noqa: BLE001, every exception here is a failure to report
            outcome.troubles.append(f"{kind}: {type(error).__name__}: {' '.join(str(error).split())[:200]}")


def _open_all(app: Flask, played: dict[str, Lines], touched: Sequence[str] | None, outcome: Outcome) -> Iterator[str]:
    page = EveningClient(app)
    listed = {one["id"] for one in page.get("/api/evenings/results")["evenings"]}
    for evening, lines in played.items():
        intact = touched is not None and evening not in touched
        if evening not in listed or page.send("/api/evenings/open", {"id": evening}).status_code in {404, 409}:
            outcome.counts["evenings of which nothing could be read"] += 1
            if intact:
                yield "an evening that was not touched is gone"
            continue
        readable = entries(app, evening)
        if readable == lines:
            outcome.counts["evenings opened whole"] += 1
        else:
            outcome.counts["evenings opened up to the damage"] += 1
            if intact:
                yield f"an evening that was not touched has {len(readable)} of {len(lines)} entries"
            if len(readable) > len(lines):
                yield "an evening has entries that were never made"
        state = page.state["evening"]
        if state["phase"] == "turns":
            page.act("draw")


@contextmanager
def _writing(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file)) as connection, connection:
        yield connection


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TimeoutError` in the block after this time; for the main thread only."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"no answer for {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def measure(count: int, seed: int = 1) -> Outcome:
    """Damage `count` copies, and return the outcome."""
    rng, outcome = random.Random(seed), Outcome()
    with scratch_folder() as scratch:
        whole = scratch / "whole"
        played = build(whole)
        for _ in range(count):
            damage_and_open(whole, played, rng, outcome)
    return outcome

"""Makes single disk calls fail (`failing_calls.c`), in a process that was started with that library.

`python -m tests.benchmarks.reliability.failing_calls CASES SEED` runs the cases and prints the outcome as JSON; only
`failing_writes` may start it.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from flask import Flask

from tests.benchmarks.reliability.apps import see_table, watched
from tests.benchmarks.reliability.damaged_files import Lines, at_most, entries
from tests.benchmarks.reliability.report import Outcome
from tests.support.game_night_client import EveningClient
from tests.support.scratch import scratch_folder
from tilekeeper.companion.storage.folder import FILE_NAME, StoreUnusable
from tilekeeper.companion.web.api.extensions import parts

LONGEST_S = 90.0
"""Longest time of a game night; a slower one counts as hanging. One to five seconds are usual."""
SMALL_DISK_BYTES: Final = 2_000_000
MOUNT: Final = ("mount", "-t", "tmpfs", "-o")
REASONS = (errno.EIO, errno.ENOSPC)


class Calls:
    """The disk calls below a folder."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.calls_failed.restype = ctypes.c_char_p

    def watch(self, folder: Path, number: int = 0, reason: int = errno.EIO) -> None:
        """Start to count, and let the call of this number fail, from 1."""
        self._library.calls_watch(os.fsencode(folder), ctypes.c_long(number), reason)

    def leave_room(self, room_bytes: int) -> None:
        """Limit the number of bytes that can still be written; -1 for no limit."""
        self._library.calls_room(ctypes.c_longlong(room_bytes))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Set up the library without counting or failing."""
        self._library.calls_pause(1)
        yield
        self._library.calls_pause(0)

    def stop(self) -> None:
        """Stop counting and failing."""
        self._library.calls_pause(1)

    @property
    def seen(self) -> int:
        """Return the number of calls."""
        return int(self._library.calls_seen())

    @property
    def failed(self) -> str:
        """Return the name of the failed call, empty without one."""
        return str(self._library.calls_failed().decode())


CALLS = Calls()


STEPS: Final = (
    *(("draw", {"sure": True}),) * 3, ("undo", {"steps": 1}), ("table", {"table": "R3 R4 R5", "reason": "spilt"}),
    *(("draw", {"sure": True}),) * 2, ("rack-count", {"player": 0, "tiles": 0}),
    ("rack-points", {"player": 1, "points": 12}), ("next-round", {}),
    ("starter", {"player": 0, "overruled": True}), ("deal", {}), ("draw", {"sure": True}),
)  # fmt: skip
"""Buttons of a game night with a finished round, after which the database is copied."""


def play(app: Flask, folder: Path, outcome: Outcome) -> tuple[str, Lines, bool]:
    """Play a game night; return its ID, the app's entries, and whether the app reported an error."""
    page, is_reported = EveningClient(app), False
    session = parts(app).session

    def send(path: str, body: dict[str, object]) -> None:
        nonlocal is_reported
        answer = page.send(path, body)
        if answer.status_code >= 500:
            is_reported = True
            if answer.status_code != 507 or not answer.get_json()["error"]:
                outcome.trouble(f"{path} was answered with {answer.status_code}: {answer.get_data(as_text=True)[:200]}")
        night = session.state.activity.game_night
        if night is None:
            return
        storage = page.state["storage"]
        is_reported = is_reported or bool(storage["trouble"]) or bool(storage["notices"])
        if not storage["trouble"] and not storage["notices"]:
            with CALLS.paused():
                known = tuple(record.line for record in night.state.recorded.records)
                if on_disk(folder, night.id) != known:
                    outcome.trouble(f"{path}: what was acknowledged is not on the disk, and nothing says so")

    seats = [{"people": [name]} for name in ("Ada", "Bo")]
    for _ in range(2):  # after one disk error, people press again
        if session.state.activity.game_night is None:
            send("/api/evenings", {"seats": seats, "edition": "large-numbers"})
    send("/api/evening/starter", {"player": 0, "overruled": True, "revision": revision(app)})
    send("/api/evening/deal", {"revision": revision(app)})
    for what, body in STEPS:
        send(f"/api/evening/{what}", body | {"revision": revision(app)})
    night = session.state.activity.game_night
    assert night is not None  # it was begun
    return night.id, tuple(record.line for record in night.state.recorded.records), is_reported


def revision(app: Flask) -> int:
    """Return the revision of the current game night, 0 without one."""
    night = parts(app).session.state.activity.game_night
    return 0 if night is None else night.revision


def on_disk(folder: Path, evening: str) -> Lines:
    """Return the stored entries of a game night, read through another connection."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        rows = connection.execute("SELECT event FROM records WHERE evening = ? ORDER BY place", (evening,))
        return tuple(line for (line,) in rows)


def fail_once(whole: Path, earlier: tuple[str, Lines], number: int, reason: int, outcome: Outcome) -> int:
    """Play a game night in a copy of a folder with one failing call; return the number of calls."""
    with scratch_folder() as scratch:
        folder = scratch / "data"
        shutil.copytree(whole, folder)
        before = len(outcome.troubles)
        evening, lines, kept, is_reported = "", (), False, False
        try:
            with at_most(LONGEST_S):
                CALLS.watch(folder, number, reason)
                try:
                    with watched(folder) as app:
                        see_table(app)
                        kept = parts(app).game_nights.database.folder == folder
                        evening, lines, is_reported = play(app, folder, outcome)
                        is_reported = is_reported or not kept
                except StoreUnusable as error:
                    is_reported = bool(str(error))
                CALLS.stop()
                check(folder, earlier, (evening, lines) if kept else None, outcome)
        except Exception as error:  # noqa: BLE001, every exception here is a failure to report
            outcome.trouble(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
        CALLS.stop()
        call = CALLS.failed
        if call:
            outcome.cases[f"{call} fails"] += 1
            outcome.counts["told to the people"] += is_reported
        outcome.troubles[before:] = [
            f"{call} {number} ({errno.errorcode[reason]}): {one}" for one in outcome.troubles[before:]
        ]
        return CALLS.seen


def check(folder: Path, earlier: tuple[str, Lines], played: tuple[str, Lines] | None, outcome: Outcome) -> None:
    """Restart an app on the folder, and check that everything is stored."""
    with watched(folder) as app:
        if entries(app, earlier[0]) != earlier[1]:
            outcome.trouble(
                f"{len(entries(app, earlier[0]))} of {len(earlier[1])} entries of an earlier evening are there"
            )
        if played is not None and entries(app, played[0]) != played[1]:
            outcome.trouble(f"{len(entries(app, played[0]))} of {len(played[1])} entries are there after a new start")


def fill_disk(outcome: Outcome) -> None:
    """Play on a disk of 2 MB until after it is full; then free some space."""
    with small_disk() as (folder, mounted):
        CALLS.watch(folder)
        with at_most(2 * LONGEST_S), watched(folder) as app:
            see_table(app)
            page = EveningClient(app)
            page.deal("Ada", "Bo")
            CALLS.leave_room(-1 if mounted else SMALL_DISK_BYTES)
            turns = 0
            while not page.state["storage"]["trouble"] and turns < 1000:
                page.act("undo", steps=1) if turns % 60 == 59 else page.act("draw", sure=True)
                turns += 1
            if turns == 1000:
                outcome.trouble("a full disk was not told")
            for _ in range(5):
                page.act("undo", steps=1)
            if mounted:
                subprocess.run([*MOUNT, f"remount,size={8 * SMALL_DISK_BYTES}", str(folder)], check=True)
            CALLS.leave_room(-1)
            page.act("table", table="R3 R4 R5", reason="room again")
            night = parts(app).session.state.activity.game_night
            assert night is not None  # it was begun
            if page.state["storage"]["trouble"]:
                outcome.trouble("after room was made the evening is not stored")
            if on_disk(folder, night.id) != tuple(record.line for record in night.state.recorded.records):
                outcome.trouble("entries are missing after room was made")
        CALLS.stop()
        outcome.cases["a full disk, " + ("mounted" if mounted else "made up")] += 1


@contextmanager
def small_disk() -> Iterator[tuple[Path, bool]]:
    """Return a folder, on its own disk of 2 MB if this user may mount one, and whether it is on such a disk."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [*MOUNT, f"size={SMALL_DISK_BYTES}", "tmpfs", scratch]
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
        try:
            yield Path(scratch), mounted
        finally:
            if mounted:
                subprocess.run(["umount", scratch], check=True)


def main(cases: int, seed: int) -> Outcome:
    """Let `cases` calls fail, spread over a game night; for 0 cases let every call fail, twice."""
    warnings.simplefilter("ignore", ResourceWarning)
    outcome, rng = Outcome(), random.Random(seed)
    with scratch_folder() as scratch:
        whole = scratch / "whole"
        with watched(whole) as app:
            see_table(app)
            evening, lines, _ = play(app, whole, outcome)
            EveningClient(app).post("/api/evenings/leave")
        earlier = (evening, lines)
        calls = fail_once(whole, earlier, 0, errno.EIO, outcome)
        outcome.counts["calls to the disk in an evening"] = calls
        numbers = range(1, calls + 1)
        chosen = [(number, reason) for number in numbers for reason in REASONS]
        if cases:
            chosen = [(number, rng.choice(REASONS)) for number in sorted(rng.sample(numbers, cases))]
        for number, reason in chosen:
            fail_once(whole, earlier, number, reason, outcome)
        fill_disk(outcome)
    return outcome


if __name__ == "__main__":
    outcome = main(int(sys.argv[1]), int(sys.argv[2]))
    print(json.dumps([outcome.cases, outcome.counts, outcome.figures, outcome.troubles]))

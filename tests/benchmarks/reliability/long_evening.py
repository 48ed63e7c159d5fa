"""A game night of eight hours without its pauses: a stream, twenty tablets that come and go, four hundred turns.

Requirements: at the end the app has no more threads, sockets, files or shared memory than after warming up, and its
memory has grown by at most 3 %. The networks are left out; `make bench-companion` measures their memory.
"""

from __future__ import annotations

import os
import random
import re
import socket
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path

import numpy as np

from tests.benchmarks.companion.app_process import AppFailed, AppProcess, HeldMemory
from tests.benchmarks.reliability.kills import camera_processes
from tests.benchmarks.reliability.report import Outcome
from tests.support.forked_app import TABLES, ForkedApp
from tests.support.known_tables import MarkedTables, table_reading
from tests.support.mjpeg_camera import network_camera, wait_for
from tests.support.scratch import scratch_folder

TABLETS = 20
WARM_UP_SHARE = 0.25
"""Share of the game night for warming up: it fills caches and the free lists of the C library."""
QUARTERS = 4
MOST_GROWN = 0.03
LOOKS_AT_REST = 5
TURNS_A_ROUND = 20
"""Number of turns before all are undone, so that the box never runs out and the history keeps its length."""


class Tablets:
    """Tablets that listen for a while, each with its own connection."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._open: list[socket.socket] = []

    def come(self, count: int) -> None:
        """Connect tablets up to this number, each of which receives an event."""
        while len(self._open) < count:
            one = socket.create_connection(("127.0.0.1", self._port), 20)
            self._open.append(one)
            one.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            one.recv(1)

    def come_and_go(self, rng: random.Random) -> None:
        """Connect some tablets and disconnect others, a few of them without closing."""
        self.come(rng.randrange(TABLETS // 2, TABLETS + 1))
        for one in rng.sample(self._open, len(self._open) // 3):
            self._open.remove(one)
            one.close()
        for one in self._open:
            one.setblocking(False)
            with suppress(OSError):
                while one.recv(1 << 18):
                    pass

    def close(self) -> None:
        """Disconnect all tablets."""
        for one in self._open:
            one.close()
        self._open.clear()


def holds(pid: int) -> Counter[str]:
    """Return the number of threads and of open files of a process, by kind."""
    held = Counter({"threads": len(list(Path(f"/proc/{pid}/task").iterdir()))})
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            kind = re.sub(r"\W?\[?\d+\]?.*", "", os.readlink(descriptor).rpartition("/")[2])
            held[{"socket": "sockets"}.get(kind, "files")] += 1
    maps = Path(f"/proc/{pid}/maps").read_text()
    held["shared memories"] = len(set(re.findall(r"/dev/shm/(psm_\w+)", maps)))
    return held


def measure(count: int, seed: int = 1) -> Outcome:
    """Play `count` turns."""
    rng, outcome, tables = random.Random(seed), Outcome(), MarkedTables()
    images = [tables.picture(table_reading(table)) for table in TABLES]
    memory: list[HeldMemory] = []
    with scratch_folder() as folder, network_camera() as camera, ExitStack() as stack:
        camera.image = images[0]
        app = stack.enter_context(ForkedApp(folder, camera.address))
        pid = app.process.pid or 0
        page, tablets = AppProcess(app.process, app.greeting), Tablets(app.port)
        stack.callback(tablets.close)
        page.post("evenings", seats=[{"people": ["Ada"]}, {"people": ["Bo"]}], edition="large-numbers")
        page.act("starter", player=0, overruled=True)
        page.act("deal")
        page.until(lambda state: state["settled"] and state["reading"])
        page.act("table")
        page.act("opened", player=0, opened=True)
        page.act("opened", player=1, opened=True)
        warm = Counter[str]()
        for turn in range(count):
            camera.image = images[(turn + 1) % 2]
            laid = TABLES[(turn + 1) % 2]
            page.until(lambda state, laid=laid: state["settled"] and state["reading"]["table"] == laid)  # type: ignore[misc]
            press_done(page)
            state = page.until(lambda state: state["verdict"] and state["turn"]["waiting_to"] is None)
            outcome.cases[str(state["verdict"]["kind"])] += 1
            page.act("undo", steps=1) if state["verdict"]["kind"] == "legal" else None
            if turn % 2:
                page.act("table")
            tablets.come_and_go(rng)
            if turn == round(WARM_UP_SHARE * count):
                # the server keeps a thread for each listener at its peak, including unnoticed disconnected ones
                tablets.come(2 * TABLETS)
                warm = _at_rest(page, tablets, pid)
            if turn % TURNS_A_ROUND == TURNS_A_ROUND - 1:
                page.act("undo", steps=max(1, page.state["evening"]["undo"] - 5))
                page.act("table")
            now = page.memory_mb()
            if now is not None:
                memory.append(now)
        end = _at_rest(page, tablets, pid)
        if len(camera_processes(app)) != 1:
            outcome.trouble(f"{len(camera_processes(app))} camera processes at the end")
        for kind, number in end.items():
            outcome.figures[f"{kind} at the end, {warm[kind]} once it was warm"] = str(number)
            if number > warm[kind]:
                outcome.trouble(f"{number - warm[kind]} {kind} more at the end")
    _tell_memory(outcome, [one.own_mb for one in memory])
    return outcome


def _tell_memory(outcome: Outcome, own_mb: list[float]) -> None:
    for number, quarter in enumerate(np.array_split(own_mb, QUARTERS), start=1):
        outcome.figures[f"MB of its own in quarter {number}"] = f"{np.mean(quarter):.1f}" if len(quarter) else "?"
    warm_mb, tenth = own_mb[round(WARM_UP_SHARE * len(own_mb)) :], max(1, len(own_mb) // 10)
    first_mb, last_mb = (float(np.mean(part)) for part in (warm_mb[:tenth], warm_mb[-tenth:]))
    outcome.figures["MB of its own once it was warm"] = f"{first_mb:.1f}"
    outcome.figures["MB of its own at the end"] = f"{last_mb:.1f}"
    if last_mb > (1 + MOST_GROWN) * first_mb:
        outcome.slow.append(f"memory has grown by {100 * (last_mb / first_mb - 1):.1f} %")


def press_done(page: AppProcess) -> None:
    """Press Done as soon as frames arrive; on a busy machine the stream may stall, and the app refuses Done."""
    for _ in range(20):
        page.until(lambda state: state["settled"] and not state["source"]["trouble"])
        try:
            page.act("done")
        except AppFailed:
            continue
        return
    raise AppFailed("Done was refused again and again")


def _at_rest(page: AppProcess, tablets: Tablets, pid: int) -> Counter[str]:
    """Return the fewest resources that the app holds once it has noticed that all tablets are disconnected.

    The connection of each request here is closed a moment after its answer, so one look may count one too many.
    """
    tablets.close()
    fewest, looks_without_fewer = holds(pid), 0

    def is_settled() -> bool:
        nonlocal fewest, looks_without_fewer
        page.act("pause")  # the event is written to all listeners
        page.act("resume")
        before, fewest = fewest, fewest & holds(pid)
        looks_without_fewer = looks_without_fewer + 1 if fewest == before else 0
        return looks_without_fewer == LOOKS_AT_REST

    wait_for(is_settled)
    return fewest

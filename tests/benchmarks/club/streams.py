"""Eight tables with cameras on one machine: the time from Done to the verdict.

The cameras are streams of 1920×1080 at 15 frames a second. They show rendered tables on which a hand places tiles, and
ffmpeg serves them on the same machine. Each app is the real one with its networks, and reports to a hall.
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from tests.benchmarks.club.disturbed import logs_of
from tests.benchmarks.companion.app_process import AppFailed, AppProcess, running_app
from tests.benchmarks.companion.evening_on_air import EveningOnAir
from tests.benchmarks.companion.on_air import OnAir, render_scenes
from tests.benchmarks.reliability.report import Outcome
from tests.support.hub_ear import CLUB, HubEar
from tests.support.mosquitto import Mosquitto
from tests.support.scratch import scratch_folder

FPS = 15
TURNS = 6
THINKS_S = 12.0
"""Pause between two turns at a table, without the time of the hand: slightly shorter than in a tournament."""
SOON_S = 0.8
MOST_MB = 1800.0
_FOULS = 3


def measure(count: int, seed: int = 1) -> Outcome:
    """Let `count` tables play before cameras."""
    outcome = Outcome()
    outcome.cases["tables"] = count
    late_s: list[float] = []
    with ExitStack() as stack:
        folder = stack.enter_context(scratch_folder())
        mosquitto = Mosquitto(folder / "broker").start()
        stack.callback(mosquitto.stop)
        ear = HubEar(mosquitto.port)
        stack.callback(ear.close)
        scenes = render_scenes(seed, _FOULS)
        evenings: list[EveningOnAir] = []
        for number in range(1, count + 1):
            air = OnAir(scenes[0], FPS)
            stack.callback(air.close)
            hall = ("--hall", f"mqtt://127.0.0.1:{mosquitto.port}/{CLUB}", "--table-id", str(number))
            app = stack.enter_context(running_app("--source", air.address, *hall, data=folder / str(number)))
            evenings.append(EveningOnAir(app, air, scenes))
        threads = [
            threading.Thread(target=_play, args=(evening, number * THINKS_S / count, late_s, outcome))
            for number, evening in enumerate(evenings)
        ]
        before_s, begun_s = _processor_s(evenings), time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        cores = (_processor_s(evenings) - before_s) / (time.monotonic() - begun_s)
        held_mb = sum(_held_mb(pid) for evening in evenings for pid in family(evening.app))
        _compare(ear, [folder / str(number) for number in range(1, count + 1)], outcome)
    outcome.counts["turns"] = len(late_s)
    if len(late_s) > 1:
        late_s.sort()
        p95_s = late_s[int(0.95 * (len(late_s) - 1))]
        outcome.figures["ms from Done to the verdict, median"] = f"{1000 * statistics.median(late_s):.0f}"
        outcome.figures["ms from Done to the verdict, p95"] = f"{1000 * p95_s:.0f}"
        outcome.figures["of a core for all apps"] = f"{cores:.2f}"
        outcome.figures["MB for all apps"] = f"{held_mb:.0f}"
        outcome.figures["load of the machine, a minute's mean"] = f"{os.getloadavg()[0]:.1f}"
        for name, value, most in (("p95", p95_s, SOON_S), ("MB", held_mb, MOST_MB)):
            if value > most:
                outcome.slow.append(f"{name}: {value:.2f} where at most {most} was aimed at")
    return outcome


def _play(evening: EveningOnAir, first_after_s: float, late_s: list[float], outcome: Outcome) -> None:
    """Play some turns; Done is pressed as soon as the hand is gone."""
    time.sleep(first_after_s)
    for _ in range(TURNS):
        try:
            wait_until_gone = evening.lay_next()
            wait_until_gone()
            revision = evening.app.state["evening"]["revision"]
            pressed_s = time.monotonic()
            evening.app.post("evening/done", revision=revision)
            evening.app.until(lambda state: state["verdict"] and state["turn"]["waiting_to"] is None)
            late_s.append(time.monotonic() - pressed_s)
            evening.note_verdict()
        except AppFailed as error:
            outcome.trouble(str(error)[:300])
            return
        time.sleep(THINKS_S)


def _compare(ear: HubEar, folders: list[Path], outcome: Outcome) -> None:
    """Compare the entries in the hall with the tables' own logs."""
    until_s = time.monotonic() + 20
    while True:
        lost = [
            f"table {folder.name}: {len(entries)} entries, the hall has {len(ear.logs.get((folder.name, log), []))}"
            for folder in folders
            for log, entries in logs_of(folder).items()
            if ear.logs.get((folder.name, log), []) != entries
        ]
        if not lost or time.monotonic() > until_s:
            break
        time.sleep(0.2)
    for trouble in (*lost, *ear.wrong):
        outcome.trouble(trouble)
    outcome.counts["entries at the hall"] = sum(map(len, ear.logs.values()))


def family(app: AppProcess) -> list[int]:
    """Return an app's process and all its child processes."""
    found = [app.process.pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _processor_s(evenings: list[EveningOnAir]) -> float:
    total = 0
    for evening in evenings:
        for pid in family(evening.app):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def _held_mb(pid: int) -> float:
    """Return the memory of a process; shared pages count in proportion."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1000
    return 0.0

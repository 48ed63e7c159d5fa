"""Time from the restart of the app during a game night to the verdict on the turn on the table."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.companion.app_process import AppFailed, running_app
from tests.benchmarks.companion.evening_on_air import EveningOnAir
from tests.benchmarks.companion.on_air import OnAir, Scene


def time_first_verdicts(scenes: Sequence[Scene], starts: int, on_progress: Callable[[int], None]) -> dict[str, Any]:
    """Begin a game night, end the app, and start it repeatedly on a copy, before the table of the current turn.

    Returns seconds from the start of the process to a read table, and to the verdict; *Done* is pressed as soon as the
    table was read.

    Raises:
        NoStream: if there is no stream.
        AppFailed: if the app does not start, or does not find the turn legal.
    """
    read_s, judged_s = [], []
    with tempfile.TemporaryDirectory() as folder:
        begun = Path(folder, "begun")
        air = OnAir(scenes[0])
        try:
            with running_app("--source", air.address, data=begun) as app:
                EveningOnAir(app, air, scenes)
        finally:
            air.close()
        for at in range(starts):
            data = Path(shutil.copytree(begun, Path(folder, str(at))))
            took = _first_verdict(data, scenes[1])
            read_s.append(took[0])
            judged_s.append(took[1])
            on_progress(1)
    return {
        "starts": starts,
        "read_median_s": statistics.median(read_s),
        "median_s": statistics.median(judged_s),
        "longest_s": max(judged_s),
    }


def _first_verdict(data: Path, scene: Scene) -> tuple[float, float]:
    """Return the seconds from the start of the process to the read table, and to the verdict."""
    air = OnAir(Scene((), scene.still))
    try:
        begun_s = time.perf_counter()
        with running_app("--source", air.address, data=data) as app:
            app.until(lambda state: state["settled"] and state["reading"] and state["reading"]["judged"])
            read_s = time.perf_counter() - begun_s
            app.act("done")
            state = app.until(lambda state: state["verdict"] and state["turn"]["waiting_to"] is None)
            judged_s = time.perf_counter() - begun_s
    finally:
        air.close()
    if (kind := state["verdict"]["kind"]) != "legal":
        raise AppFailed(f"a legal turn was found to be {kind}")
    return read_s, judged_s

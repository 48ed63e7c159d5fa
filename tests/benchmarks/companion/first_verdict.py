"""How soon an app that is started again on an evening that goes on has judged the turn that lies on the table."""

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


def time_first_verdicts(scenes: Sequence[Scene], starts: int, heard: Callable[[int], None]) -> dict[str, Any]:
    """Begin an evening, end the app, and start it so often on a copy of it, before the table of the turn that is on.

    Returns seconds from starting the process to a table that was read, and to the verdict: *Done* is pressed as soon as
    the table is read.

    Raises:
        NoStream: where there is no stream.
        AppFailed: where the app does not start, or finds the turn other than legal.
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
            heard(1)
    return {
        "starts": starts,
        "read_median_s": statistics.median(read_s),
        "median_s": statistics.median(judged_s),
        "longest_s": max(judged_s),
    }


def _first_verdict(data: Path, scene: Scene) -> tuple[float, float]:
    """Seconds from starting the process until the table is read, and until the turn is judged."""
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

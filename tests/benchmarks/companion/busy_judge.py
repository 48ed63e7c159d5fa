"""How long other tablets wait while the judge is busy: hands-free Done is on, and the hardest table of `cards` lies.

`python -m tests.benchmarks.companion.busy_judge --before "COMMAND"` measures an earlier version in the same run, by
turns with this one; COMMAND starts the `busy_app` of that version.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.benchmarks.companion.app_process import AppProcess, running_app
from tests.benchmarks.companion.busy_app import EDITION, hardest_turn

APP = (sys.executable, "-u", "-m", "tests.benchmarks.companion.busy_app")
WARM_UP_S = 4.0
BETWEEN_S = 0.1


def time_actions(seconds: float, tick: Callable[[int], None], command: Sequence[str] = APP) -> dict[str, Any]:
    """Let another tablet press a button and ask for the state, again and again; milliseconds of all of these.

    Raises:
        AppFailed: where the app does not start, or refuses something.
    """
    times_ms: dict[str, list[float]] = {"action": [], "state": []}
    with running_app(command=command) as app:
        _begin(app)
        time.sleep(WARM_UP_S)
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            revision = app.state["evening"]["revision"]
            times_ms["action"].append(_milliseconds(lambda at=revision: _press(app, at)))
            times_ms["state"].append(_milliseconds(lambda: app.state))
            tick(1)
            time.sleep(BETWEEN_S)
    figures: dict[str, Any] = {"actions": len(times_ms["action"])}
    for name, times in times_ms.items():
        figures |= {
            f"{name}_p50_ms": float(np.percentile(times, 50)),
            f"{name}_p95_ms": float(np.percentile(times, 95)),
        }
        figures[f"{name}_longest_ms"] = max(times)
    return figures


def _begin(app: AppProcess) -> None:
    before, _, opened = hardest_turn()
    seats = [{"people": ["Ada"]}, {"people": ["Bo"]}]
    app.post("evenings", seats=seats, edition=EDITION, settings={"notices_done": True})
    app.act("starter", player=0, overruled=True)
    app.act("deal")
    app.act("table", table=str(before), sure=True)
    if opened:
        app.act("opened", player=0, opened=True)
    app.act("resume")


def _press(app: AppProcess, revision: int) -> None:
    app.post("evening/more-time", revision=revision, seconds=30)


def _milliseconds(work: Callable[[], object]) -> float:
    begun_s = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun_s)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures of this version, and of an earlier one before and after it."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.companion.busy_judge", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seconds", type=float, default=40.0, help="how long each is measured (default: %(default)s)")
    parser.add_argument("--before", metavar="COMMAND", help="what starts the app of an earlier version")
    args = parser.parse_args(argv)
    rounds = [("now", APP)]
    if args.before:
        earlier = shlex.split(args.before)
        rounds = [("before", earlier), ("now", APP), ("before", earlier), ("now", APP)]
    print(f"{'':<8} {'actions':>8} {'p50 ms':>8} {'p95 ms':>8} {'longest':>8} {'state p95':>10}")
    for name, command in rounds:
        one = time_actions(args.seconds, lambda _: None, command)
        print(
            f"{name:<8} {one['actions']:>8} {one['action_p50_ms']:>8.1f} {one['action_p95_ms']:>8.1f} "
            f"{one['action_longest_ms']:>8.1f} {one['state_p95_ms']:>10.1f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How long other tablets wait while the judge is busy with the hardest table of `cards`.

In the first run hands-free Done judges it every few seconds. In the second run somebody also presses Done repeatedly,
each time with the melds in another order, so that it is judged again.

`python -m tests.benchmarks.companion.busy_judge --before "COMMAND"` measures an earlier version in the same run,
alternating with this one; COMMAND starts the `busy_app` of that version.
"""

from __future__ import annotations

import argparse
import random
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import numpy as np

from tests.benchmarks.companion.app_process import AppFailed, AppProcess, running_app
from tests.benchmarks.companion.busy_app import EDITION, hardest_turn
from tilekeeper.engine.tiles.table import Table

APP = (sys.executable, "-u", "-m", "tests.benchmarks.companion.busy_app")
WARM_UP_S = 4.0
BETWEEN_S = 0.1
DONE_PAUSE_S = 0.05


def time_actions(
    seconds: float, tick: Callable[[int], None], done: bool, command: Sequence[str] = APP
) -> dict[str, Any]:
    """Let another tablet press a button and request the state repeatedly; return the milliseconds of each.

    Args:
        seconds: the duration.
        tick: is called after each action.
        done: whether somebody presses Done meanwhile.
        command: the command that starts the app.

    Raises:
        AppFailed: if the app does not start or refuses a request.
    """
    times_ms: dict[str, list[float]] = {"action": [], "state": []}
    with running_app(command=command) as app:
        _begin(app)
        time.sleep(WARM_UP_S)
        end_s = time.monotonic() + seconds
        with _pressing_done(app) if done else nullcontext([]) as verdicts:
            while time.monotonic() < end_s:
                revision = app.state["evening"]["revision"]
                with suppress(AppFailed):  # Done was judged meanwhile, so this page is out of date
                    times_ms["action"].append(_milliseconds(lambda at=revision: _press(app, at)))
                times_ms["state"].append(_milliseconds(lambda: app.state))
                tick(1)
                time.sleep(BETWEEN_S)
    figures: dict[str, Any] = {"actions": len(times_ms["action"]), "verdicts": len(verdicts)}
    for name, times in times_ms.items():
        figures |= {
            f"{name}_p50_ms": float(np.percentile(times, 50)),
            f"{name}_p95_ms": float(np.percentile(times, 95)),
        }
        figures[f"{name}_longest_ms"] = max(times)
    return figures


@contextmanager
def _pressing_done(app: AppProcess) -> Iterator[list[str]]:
    """Press Done in a separate thread; the list gets the kinds of the verdicts."""
    _, after, _ = hardest_turn()
    rng, ended, verdicts = random.Random(1), threading.Event(), []

    def press() -> None:
        while not ended.wait(DONE_PAUSE_S):
            table = Table(tuple(rng.sample(after.melds, len(after.melds))))
            with suppress(AppFailed):  # another tablet was faster
                verdicts.append(app.act("done", table=str(table))["verdict"]["kind"])

    thread = threading.Thread(target=press)
    thread.start()
    try:
        yield verdicts
    finally:
        ended.set()
        thread.join()


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
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each is measured (default: %(default)s)")
    parser.add_argument("--before", metavar="COMMAND", help="what starts the app of an earlier version")
    args = parser.parse_args(argv)
    rounds = [("now", APP)]
    if args.before:
        earlier = shlex.split(args.before)
        rounds = [("before", earlier), ("now", APP), ("before", earlier), ("now", APP)]
    print(f"{'':<20} {'actions':>8} {'verdicts':>8} {'p50 ms':>8} {'p95 ms':>8} {'longest':>8} {'state p95':>10}")
    for judged, done in (("hands-free", False), ("Done", True)):
        for name, command in rounds:
            one = time_actions(args.seconds, lambda _: None, done, command)
            print(
                f"{judged + ', ' + name:<20} {one['actions']:>8} {one['verdicts']:>8} {one['action_p50_ms']:>8.1f} "
                f"{one['action_p95_ms']:>8.1f} {one['action_longest_ms']:>8.1f} {one['state_p95_ms']:>10.1f}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())

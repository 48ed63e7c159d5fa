"""The figures of the app, with their targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.benchmarks.report import Figure, Limit, figure

WRONG = (
    Limit("legal called illegal", "false_fouls", 0, True, 0),
    Limit("illegal passed", "passed", 0, True, 0),
    Limit("in an evening of 120 turns", "wrong_of_120", 0.01, True, 3),
)
ASKED = (Limit("in an evening of 120 turns", "asked_of_120", 1, True, 2),)
STILL = (Limit("ms, 95th percentile,", "still_p95_ms", 500, True, 0),)
FILMED = (Limit("ms, 95th percentile,", "still_p95_ms", 700, True, 0),)
LEAVING = (Limit("ms, 95th percentile,", "leaving_p95_ms", 534, True, 0),)
"""Half a second from the first still frame, which is one thirtieth of a second after the last frame of the hand."""
BUSY = (Limit("ms, 95th percentile,", "action_p95_ms", 30, True, 0),)
LISTENERS = (Limit("ms, 95th percentile,", "p95_ms", 150, True, 0),)
START = (Limit("s", "median_s", 3, True, 2),)
FIRST = (Limit("s", "median_s", 2, True, 2),)
REST = (
    Limit("of a core", "cores", 0.10, True, 3),
    Limit("MB", "mb", 180, True, 0),
    Limit("wakes within ms, 95th percentile,", "wake_p95_ms", 100, True, 0),
)
MEMORY = (Limit("MB", "most_mb", 450, True, 0), Limit("grown by", "grown_share", 0.05, True, 3))


def figures_of(measured: Mapping[str, Any]) -> list[Figure]:
    """Return the whole table; `measured` is what `run.measure` returns."""
    fouls, of_photos, times = measured.get("fouls"), measured.get("photo-fouls"), measured.get("verdict")
    return [
        figure("rendered turns, wrong verdicts with no question", WRONG, fouls),
        figure("rendered turns, questions", ASKED, fouls),
        figure("turns with the photos' tiles, wrong verdicts with no question", WRONG, of_photos),
        figure("turns with the photos' tiles, questions", ASKED, of_photos),
        figure("Done to verdict in a browser, the table is still", STILL, times),
        figure("last frame of the hand to verdict, Done pressed before", LEAVING, times),
        figure("Done to verdict in a browser, a phone films the table", FILMED, measured.get("phone")),
        figure("an event to 50 tablets", LISTENERS, measured.get("listeners")),
        figure("another tablet's action during hands-free Done", BUSY, measured.get("busy")),
        figure("another tablet's action while somebody presses Done", BUSY, measured.get("done")),
        figure("start of the process to the first page, median", START, measured.get("start")),
        figure("restart in a turn to the verdict on it, median", FIRST, measured.get("first")),
        figure("app and camera at rest, 1080p at 15 frames a second", REST, measured.get("rest")),
        figure("memory of app and camera over 120 turns", MEMORY, measured.get("memory")),
    ]

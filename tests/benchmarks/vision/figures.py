"""The figures that the eye must reach: each with its target, what was reached, and whether that is enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.benchmarks.report import Figure, Limit, figure
from tilekeeper.models.evaluation.harder import WAYS

PHOTOS = (
    Limit("missed or misnamed", "missed_or_misnamed", 0, True, 0),
    Limit("invented", "invented", 0, True, 0),
    Limit("silent per 1,000", "silent_per_1000", 0, True, 2),
    Limit("doubted", "doubted", 0.005, True),
)
HARD = (
    Limit("right", "right", 0.995, False),
    Limit("silent per 1,000", "silent_per_1000", 0, True, 2),
    Limit("doubted", "doubted", 0.03, True),
)
HELD = (*HARD[:2], Limit("doubted", "doubted", 0.04, True))
USUAL = (
    Limit("right", "right", 1, False),
    Limit("silent per 1,000", "silent_per_1000", 0, True, 2),
    Limit("doubted", "doubted", 0.02, True),
)
"""What every evening brings: tiles that are small, a lamp, little light, a shake, a slant."""
OF_WAYS = {"held": HELD} | dict.fromkeys(("small", "lamp", "dark", "shaken", "aslant", "spectral", "rolled"), USUAL)
RENDERED = (
    Limit("right", "right", 0.998, False),
    Limit("exact", "exact", 0.96, False),
    Limit("silent per 1,000", "silent_per_1000", 0.3, True, 2),
    Limit("doubted", "doubted", 0.02, True),
)
TIGHT = (Limit("of tables", "tight_melds_right", 0.99, False),)
FOULS = (Limit("hidden", "hidden", 0, True, 0),)
FULL = (Limit("median ms", "median_ms", 33, True, 1), Limit("MB of memory", "peak_memory_mb", 350, True, 0))
PACE = (
    Limit("of its time", "beside_detector", 0.40, True, 2),
    Limit("4K of full HD", "uhd_of_full_hd", 1.5, True, 2),
    Limit("212 tiles of 106", "twice_of_full", 2, True, 2),
)
MODELS = (Limit("MB", "models_mb", 6, True, 2), Limit("s", "load_and_warm_s", 1, True, 2))
HIDDEN = (Limit("silent per 1,000", "silent_per_1000", 2, True, 2),)
QUESTIONS = (Limit("per 1,000 tiles", "of_these_whether_it_is_a_tile_per_1000", 3, True, 2),)
CHANGES = (
    Limit("p95 s", "p95_s", 2, True, 2),
    Limit("worst s", "worst_s", 5, True, 2),
    Limit("phantoms left", "phantoms", 0, True, 0),
)
STREAMS = (
    Limit("doubted", "doubted", 0.002, True),
    Limit("silent per 1,000", "silent_per_1000", 0.02, True, 3),
    Limit("upright", "upright", 0.9995, False),
)
TURN = (Limit("median ms", "turn_ms", 10, True, 1), Limit("p95 ms", "turn_ms_p95", 25, True, 1))


def figures_of(measured: Mapping[str, Any]) -> list[Figure]:
    """The whole table; `measured` is what `run.measure` returns."""
    hard = measured.get("hard photos", {})
    return [
        figure("photos never seen, as they are", PHOTOS, measured.get("photos")),
        *(
            figure(f"photos never seen, {words}", OF_WAYS.get(way, HARD), hard.get(way))
            for way, (words, _) in WAYS.items()
        ),
        figure("rendered tables kept out of training", RENDERED, measured.get("rendered")),
        figure("rendered tables with one to three tiles, kept out", HARD, measured.get("few")),
        figure("rendered tables seen from 18 to 40° above, kept out", HARD, measured.get("low")),
        figure("rendered tables of 101 Okey, kept out", RENDERED, measured.get("okey")),
        figure("melds on tight layouts, rendered, kept out", TIGHT, measured.get("rendered")),
        figure("tables with a planted foul read as legal, nobody asked", FOULS, measured.get("fouls")),
        figure("each tile hidden from the detector in turn, photos", HIDDEN, measured.get("hidden on photos")),
        figure("the same, rendered tables kept out", HIDDEN, measured.get("hidden on rendered tables")),
        figure("asked whether there is a tile, none hidden, photos", QUESTIONS, measured.get("hidden on photos")),
        figure("the same, rendered tables kept out", QUESTIONS, measured.get("hidden on rendered tables")),
        figure("all that is seen changed at once, photos", CHANGES, measured.get("changes on photos")),
        figure("the same, rendered tables kept out", CHANGES, measured.get("changes on rendered tables")),
        figure("106 tiles at 1920 × 1080, two threads", FULL, measured.get("full table")),
        figure("the same beside a detector of YOLOv8n's size at 640 px, by turns", PACE, measured.get("pace")),
        figure("models: size; loaded and warm", MODELS, measured.get("models")),
        figure("rendered streams after fusion, kept out", STREAMS, measured.get("streams")),
        figure("streams of the photos' tiles on the photos' tables", STREAMS, measured.get("streams of photos")),
        figure("a turn of 3 to 6 new tiles, on these streams", TURN, measured.get("turn")),
    ]

"""The figures of the reader, with their targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.benchmarks.report import Figure, Limit, figure
from tilekeeper.models.evaluation.harder import WAYS

PHOTOS = (
    Limit("missed or misread", "missed_or_misnamed", 0, True, 0),
    Limit("false detections", "invented", 0, True, 0),
    Limit("silent errors per 1,000", "silent_per_1000", 0, True, 2),
    Limit("flagged", "doubted", 0.005, True),
)
HARD = (
    Limit("right", "right", 0.995, False),
    Limit("silent errors per 1,000", "silent_per_1000", 0, True, 2),
    Limit("flagged", "doubted", 0.03, True),
)
HELD = (*HARD[:2], Limit("flagged", "doubted", 0.04, True))
USUAL = (
    Limit("right", "right", 1, False),
    Limit("silent errors per 1,000", "silent_per_1000", 0, True, 2),
    Limit("flagged", "doubted", 0.02, True),
)
"""Targets for everyday conditions: small tiles, a lamp, little light, a shake, a tilt."""
OF_WAYS = {"held": HELD} | dict.fromkeys(("small", "lamp", "dark", "shaken", "aslant", "spectral", "rolled"), USUAL)
RENDERED = (
    Limit("right", "right", 0.998, False),
    Limit("exact", "exact", 0.96, False),
    Limit("silent errors per 1,000", "silent_per_1000", 0.3, True, 2),
    Limit("flagged", "doubted", 0.02, True),
)
RACKS = (
    Limit("right", "right", 0.995, False),
    Limit("exact", "exact", 0.95, False),
    Limit("silent errors per 1,000", "silent_per_1000", 1, True, 2),
    Limit("flagged", "doubted", 0.03, True),
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
HIDDEN = (Limit("silent errors per 1,000", "silent_per_1000", 2, True, 2),)
QUESTIONS = (Limit("per 1,000 tiles", "of_these_whether_it_is_a_tile_per_1000", 3, True, 2),)
CHANGES = (
    Limit("p95 s", "p95_s", 2, True, 2),
    Limit("worst s", "worst_s", 5, True, 2),
    Limit("phantoms", "phantoms", 0, True, 0),
)
STREAMS = (
    Limit("flagged", "doubted", 0.002, True),
    Limit("silent errors per 1,000", "silent_per_1000", 0.02, True, 3),
    Limit("upright", "upright", 0.9995, False),
)
TURN = (Limit("median ms", "turn_ms", 10, True, 1), Limit("p95 ms", "turn_ms_p95", 25, True, 1))


def sets_of(measured: Mapping[str, Any]) -> list[tuple[str, tuple[Limit, ...], Mapping[str, Any] | None]]:
    """Return the sets with counted tiles: name, targets, and the measured values or None."""
    hard = measured.get("hard photos", {})
    return [
        ("photos", PHOTOS, measured.get("photos")),
        *((f"photos, {words}", OF_WAYS.get(way, HARD), hard.get(way)) for way, (words, _) in WAYS.items()),
        ("rendered tables", RENDERED, measured.get("rendered")),
        ("rendered tables with one to three tiles", HARD, measured.get("few")),
        ("rendered tables, a camera 18 to 40° above the table", HARD, measured.get("low")),
        ("rendered tables of 101 Okey", RENDERED, measured.get("okey")),
        ("odd jokers, and one to three tiles beside them", HARD, measured.get("jokers")),
        ("rendered racks, held-out designs and printings", RACKS, measured.get("racks")),
        ("racks of a stranger, drawn anew for each run", RACKS, measured.get("strangers")),
        ("rendered streams", STREAMS, measured.get("streams")),
        ("streams with the tiles and tables of the photos", STREAMS, measured.get("streams of photos")),
    ]


def other_figures(measured: Mapping[str, Any]) -> list[Figure]:
    """Return all other figures: melds, planted fouls, changes, time and memory."""
    return [
        figure("melds of rendered tables with tight layouts", TIGHT, measured.get("rendered")),
        figure("planted fouls that read as legal, with no question", FOULS, measured.get("fouls")),
        figure("photos, each tile hidden from the detector in turn", HIDDEN, measured.get("hidden on photos")),
        figure("the same on rendered tables", HIDDEN, measured.get("hidden on rendered tables")),
        figure("photos, questions whether there is a tile", QUESTIONS, measured.get("hidden on photos")),
        figure("the same on rendered tables", QUESTIONS, measured.get("hidden on rendered tables")),
        figure("photos, the whole view changes at once", CHANGES, measured.get("changes on photos")),
        figure("the same on rendered tables", CHANGES, measured.get("changes on rendered tables")),
        figure("106 tiles at 1920 × 1080, two threads", FULL, measured.get("full table")),
        figure("the same by turns with a detector of YOLOv8n's size at 640 px", PACE, measured.get("pace")),
        figure("networks: size; load and warm up", MODELS, measured.get("models")),
        figure("a turn of 3 to 6 new tiles on the rendered streams", TURN, measured.get("turn")),
    ]


def figures_of(measured: Mapping[str, Any]) -> list[Figure]:
    """Return the whole table; `measured` is what `run.measure` returns."""
    return [*(figure(*row) for row in sets_of(measured)), *other_figures(measured)]

"""Time the reading of a full table: 106 tiles in an image of 1920 × 1080 in memory."""

from __future__ import annotations

import statistics
import time

import numpy as np

from tilekeeper.datasets.synthesis.scene.tables import render_full_table
from tilekeeper.models.evaluation.measure import PictureReader

RUNS, FIRST = 15, 2
"""Number of measured readings, and of readings before them for warming up."""
SEED = 5


def full_table_bgr() -> np.ndarray:
    """Return the image `(1080, 1920, 3) uint8`, BGR, of 106 tiles of about 40 px."""
    return render_full_table(np.random.default_rng(SEED)).image_bgr


def full_table(reader: PictureReader, runs: int = RUNS) -> dict[str, float]:
    """Measure the milliseconds from the image to its melds, and the number of read tiles."""
    image = full_table_bgr()
    times = []
    for _ in range(FIRST + runs):
        start_s = time.perf_counter()
        reading = reader.read(image)
        times.append(1000 * (time.perf_counter() - start_s))
    measured_ms = times[FIRST:]
    return {
        "tiles_read": len(reading.tiles),
        "median_ms": statistics.median(measured_ms),
        "best_ms": min(measured_ms),
        "worst_ms": max(measured_ms),
    }

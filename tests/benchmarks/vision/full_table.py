"""Times the reading of a full table: 106 tiles on a picture of 1920 × 1080 that lies in memory."""

from __future__ import annotations

import statistics
import time

import numpy as np

from tilekeeper.datasets.synthesis.scene.tables import render_full_table
from tilekeeper.models.evaluation.measure import PictureReader

RUNS, FIRST = 15, 2
"""So many readings are counted, after so many at first, in which memory and caches are set up."""
SEED = 5


def full_table_bgr() -> np.ndarray:
    """The picture `(1080, 1920, 3) uint8`, BGR, of 106 tiles of about 40 px."""
    return render_full_table(np.random.default_rng(SEED)).image_bgr


def full_table(reader: PictureReader, runs: int = RUNS) -> dict[str, float]:
    """Milliseconds from the picture to its melds, and how many tiles were read."""
    image = full_table_bgr()
    times = []
    for _ in range(FIRST + runs):
        begun = time.perf_counter()
        reading = reader.read(image)
        times.append(1000 * (time.perf_counter() - begun))
    kept = times[FIRST:]
    return {
        "tiles_read": len(reading.tiles),
        "median_ms": statistics.median(kept),
        "best_ms": min(kept),
        "worst_ms": max(kept),
    }

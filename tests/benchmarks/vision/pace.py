"""Speed of the reader relative to a common detector, and its growth with tiles and pixels, in separate processes.

The reader and the detector (`common_detector.py`) take turns on two threads each, so a busy machine slows both down
equally. The result is the median of the ratios of one turn.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tests.benchmarks.vision.common_detector import detector
from tilekeeper.datasets.synthesis.scene.tables import full_set, render_full_table

TURNS, FIRST = 15, 2
SEED = 5
FULL, TWICE = "106 tiles", "212 tiles"
UHD_WH, UHD_TILE_PX = (3840, 2160), 80.0
SMALL_TILE_PX = 28.0
"""Tile width for two sets at once (read as a set with four of each tile): full HD has room for small tiles only."""


def pictures() -> dict[str, np.ndarray]:
    """Render tables of 5 to 212 tiles in full HD, and the full one at twice the width and height."""
    melds, images = full_set(), {}
    for count in (5, 20, 50):
        chosen: list[list[str]] = []
        while (remaining := count - sum(map(len, chosen))) > 0:
            chosen.append(melds[len(chosen)][:remaining])
        images[f"{count} tiles"] = _picture(melds=chosen)
    images[FULL] = _picture()
    images[TWICE] = _picture(tile_px=SMALL_TILE_PX, melds=2 * melds)
    images["106 tiles, 4K"] = _picture(wh=UHD_WH, tile_px=UHD_TILE_PX)
    return images


def _picture(**options: Any) -> np.ndarray:
    return render_full_table(np.random.default_rng(SEED), **options).image_bgr


def measure_pace(turns: int) -> dict[str, Any]:
    """Let both take turns; return milliseconds of wall and processor time, and the ratios of one turn."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        network = Path(folder, "detector.onnx")
        network.write_bytes(detector()[0].SerializeToString())
        shown = {}
        for at, (name, image) in enumerate(pictures().items()):
            shown[name] = Path(folder, f"{at}.png")
            cv2.imwrite(str(shown[name]), image)
        reader = stack.enter_context(_child("reader", *map(str, shown.values())))
        other = stack.enter_context(_child("detector", str(network)))
        times: dict[str, list[tuple[float, float, int]]] = {name: [] for name in (*shown, "detector")}
        for turn in range(FIRST + turns):
            for name in times:
                reader_or_detector = other if name == "detector" else reader
                answer = _ask(reader_or_detector, f"{shown[name]} {2 if name == TWICE else 1}" if name in shown else "")
                if turn >= FIRST:
                    times[name].append((answer["ms"], answer["processor_ms"], answer["tiles"]))
    full, detector_times = np.array(times[FULL]), np.array(times["detector"])
    return {
        "turns": turns,
        "detector_ms": _middle(times["detector"], 0),
        "detector_processor_ms": _middle(times["detector"], 1),
        "beside_detector": float(np.median(full[:, 0] / detector_times[:, 0])),
        "beside_detector_processor": float(np.median(full[:, 1] / detector_times[:, 1])),
        "uhd_of_full_hd": float(np.median(np.array(times["106 tiles, 4K"])[:, 1] / full[:, 1])),
        "twice_of_full": float(np.median(np.array(times[TWICE])[:, 1] / full[:, 1])),
        "ms_by_table": {name: round(_middle(times[name], 0), 1) for name in shown},
        "processor_ms_by_table": {name: round(_middle(times[name], 1), 1) for name in shown},
        "tiles_read_by_table": {name: times[name][0][2] for name in shown},
    }


def _middle(times: list[tuple[float, float, int]], which: int) -> float:
    return float(np.median([values[which] for values in times]))


@contextmanager
def _child(*words: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.benchmarks.vision.pace_child", *words]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield child
    finally:
        child.communicate()  # the process exits at the end of its input


def _ask(child: subprocess.Popen[str], what: str) -> dict[str, Any]:
    assert child.stdin is not None  # a pipe, see `_child`
    assert child.stdout is not None
    child.stdin.write(what + "\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())

"""A process of `pace.py`: `pace_child reader PICTURE…` or `pace_child detector NETWORK`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

THREADS = 2


def main(kind: str, files: list[str]) -> None:
    """Answer each line (the name of an image and its number of sets) with the time of the reading, as JSON."""
    work = _reader(files) if kind == "reader" else _detector(files[0])
    for line in sys.stdin:
        start_s, processor_start_s = time.perf_counter(), time.process_time()
        tiles = work(line.strip())
        ms, processor_ms = 1000 * (time.perf_counter() - start_s), 1000 * (time.process_time() - processor_start_s)
        print(json.dumps({"ms": ms, "processor_ms": processor_ms, "tiles": tiles}), flush=True)


def _reader(files: list[str]) -> Callable[[str], int]:
    import cv2

    from tilekeeper.vision.shipped import load_reader
    from tilekeeper.vision.types import TileSet

    reader = load_reader(threads=THREADS)
    shown = {file: cv2.imread(file, cv2.IMREAD_COLOR) for file in files}

    def read(request: str) -> int:
        file, sets = request.rsplit(" ", 1)
        return len(reader.read(shown[file], TileSet(copies=2 * int(sets))).tiles)

    return read


def _detector(file: str) -> Callable[[str], int]:
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    # as in the reader: threads spin within an image, and not between images
    options.add_session_config_entry("session.force_spinning_stop", "1")
    network = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    picture = np.random.default_rng(0).random((1, 3, 640, 640), np.float32)

    def detect(_: str) -> int:
        network.run(None, {"picture": picture})
        return 0

    return detect


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

"""Time to load the networks and read an image in a fresh process, and its peak memory.

    python -m tests.benchmarks.vision.footprint PICTURE

prints JSON. It imports only what a reader needs, so that the memory is that of the reader.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

WARM_WH = 640, 480
RUNS = 3


def footprint(picture: Path) -> dict[str, float]:
    """Read an image in a fresh process: seconds to import, to load and warm up, and to read; peak memory in MB.

    Raises `subprocess.CalledProcessError` if that process fails.
    """
    command = [sys.executable, "-m", "tests.benchmarks.vision.footprint", str(picture)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _measure(picture: Path) -> dict[str, float]:
    start_s = time.perf_counter()
    import cv2
    import numpy as np

    from tilekeeper.vision.shipped import load_reader

    imported_s = time.perf_counter()
    reader = load_reader(2)
    # input for both networks, so that both are warmed up
    small = np.full((WARM_WH[1], WARM_WH[0], 3), 90, np.uint8)
    for left in range(40, 600, 70):
        cv2.rectangle(small, (left, 200), (left + 50, 270), (235, 240, 240), -1)
        cv2.putText(small, "7", (left + 12, 245), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (20, 20, 200), 3)
    reader.read(small)
    warm_s = time.perf_counter()
    image = cv2.imread(str(picture), cv2.IMREAD_COLOR)
    reading_start_s = time.perf_counter()
    for _ in range(RUNS):
        tiles = len(reader.read(image).tiles)
    read = (time.perf_counter() - reading_start_s) / RUNS
    return {
        "import_s": imported_s - start_s,
        "load_and_warm_s": warm_s - imported_s,
        "read_s": read,
        "tiles": tiles,
        "peak_memory_mb": _peak_bytes() / 1e6,
    }


def _peak_bytes() -> int:
    """Return the peak memory of this process.

    On Linux `getrusage` includes the memory of the parent at the start, so this reads the kernel's own value there.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return 1024 * int(line.split()[1])
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]))))

"""Runs `tilekeeper run` with a reader that takes a minute for a picture, as a slow driver or disk may."""

import sys
import time

import numpy as np

from tilekeeper.companion.cli import main
from tilekeeper.vision import shipped
from tilekeeper.vision.scoring.calibration import Calibration
from tilekeeper.vision.types import TableReading, TileSet

READS_FOR_S = 60.0


class Slow:
    """A reader that takes `READS_FOR_S` for each picture and reads no tiles."""

    calibration = Calibration()

    def prepare(self, image_bgr: np.ndarray) -> np.ndarray:
        return image_bgr

    def read(self, image_bgr: np.ndarray, tile_set: TileSet) -> TableReading:
        time.sleep(READS_FOR_S)
        return TableReading((), (), (image_bgr.shape[1], image_bgr.shape[0]))


if __name__ == "__main__":
    shipped.load_reader = lambda *_, **__: Slow()
    sys.exit(main(["run", *sys.argv[1:]]))

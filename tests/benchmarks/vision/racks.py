"""Count the rendered racks with correct rows: `python -m tests.benchmarks.vision.racks TABLES`.

TABLES is a folder of `tilekeeper.datasets.synthesis.scene.tables`; racks with cut or covered tiles do not count. The
output counts racks with correct rows from the true corners, with the correct number of tiles, and with all labels in
their places.
"""

from __future__ import annotations

import argparse
import json
import pathlib

import cv2
import numpy as np

from tilekeeper.vision.layout.rows import rack_rows, read_as_rack
from tilekeeper.vision.shipped import load_reader


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", metavar="TABLES", type=pathlib.Path)
    folder = parser.parse_args().tables
    reader = load_reader(2)
    racks = two_rows = rows_right = count_right = all_right = 0
    for entry in json.loads((folder / "photos.json").read_text(encoding="utf-8"))["photos"]:
        tiles = entry["tiles"]
        if entry["session"] != "rack" or len(tiles) < 2 or entry["ignore_px"] or any(tile["cut"] for tile in tiles):
            continue
        quads_px = np.array([tile["polygon_px"] for tile in tiles], np.float32)
        stands = np.array([tile["row"] for tile in tiles])
        true = [np.flatnonzero(stands == row) for row in np.unique(stands)]
        rows = [row[np.argsort(quads_px[row].mean(axis=1)[:, 0])].tolist() for row in true]
        rack = read_as_rack(reader.read(cv2.imread(str(folder / "images" / entry["file"]))))
        racks += 1
        two_rows += len(rows) > 1
        rows_right += [list(row) for row in rack_rows(quads_px)] == rows
        count_right += rack.count == len(tiles)
        names = [[tiles[at]["label"] for at in row] for row in rows]
        all_right += [[rack.tiles[at].label for at in row] for row in rack.rows] == names
    print(f"{racks} racks, {two_rows} of two rows: rows right {rows_right}, count right {count_right}, all {all_right}")


if __name__ == "__main__":
    main()

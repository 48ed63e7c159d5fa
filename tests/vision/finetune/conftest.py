"""Shared fixtures: the shipped networks, and crops of one rendered set."""

from __future__ import annotations

import numpy as np
import pytest

from tilekeeper.datasets.synthesis.printings.printing import draw_printing
from tilekeeper.datasets.synthesis.scene.tables import render_table
from tilekeeper.vision.finetune.labelled_crops import LabelledCrops
from tilekeeper.vision.manifest import Sessions, load_sessions
from tilekeeper.vision.recognition.classifier import crop_tiles


@pytest.fixture(scope="session")
def sessions() -> Sessions:
    """Return the shipped networks."""
    loaded = load_sessions(2)
    if "features" not in [output.name for output in loaded.classifier.get_outputs()]:
        pytest.skip("the shipped classifier tells no features; export it anew with tilekeeper.models.export.to_onnx")
    return loaded


@pytest.fixture(scope="session")
def rendered() -> LabelledCrops:
    """Return about fifty labelled crops of a held-out printing."""
    rng = np.random.default_rng(5)
    table = render_table(
        rng, "kept-out", (800, 600), "shelves", 32, hands=False, printing=draw_printing(rng, "kept-out")
    )
    tiles = [tile for tile in table.tiles if tile.visible >= 0.95 and not tile.cut and tile.label != "blank"]
    crops = crop_tiles(table.image_bgr, np.array([tile.quad_px for tile in tiles], np.float32))[0].astype(np.uint8)
    return LabelledCrops.from_labels(list(crops), [tile.label for tile in tiles])

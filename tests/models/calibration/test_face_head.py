"""The face map: cells are drawn from the visible parts of faces, and the head changes no other map."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import pytest

pytest.importorskip("onnx", reason="onnx is not installed; the extra `train` brings it")
torch = pytest.importorskip("torch", reason="PyTorch is not installed; the extra `train` brings it")

from tilekeeper.models.calibration.face_head import IGNORED, _draw_cells, _face_mask, write_head  # noqa: E402
from tilekeeper.models.export.to_onnx import PICTURE, export  # noqa: E402
from tilekeeper.models.training.network import DetectorNet  # noqa: E402
from tilekeeper.models.training.sources import RENDERED, Source  # noqa: E402


def test_head_writes_the_last_map_and_no_other(tmp_path: Path) -> None:
    torch.save({"best": DetectorNet().state_dict()}, tmp_path / "net.pt")
    file = tmp_path / "net.onnx"
    export(DetectorNet(), tmp_path / "net.pt", PICTURE, "picture", file)
    picture = np.random.default_rng(3).integers(0, 256, (1, 32, 48, 12), np.uint8)

    def maps() -> np.ndarray:
        return onnxruntime.InferenceSession(str(file)).run(None, {"picture": picture})[0][0]

    before = maps()
    write_head(file, np.zeros(48), -2.5)
    assert np.array_equal(maps()[:9], before[:9])
    assert np.all(maps()[9] == -2.5)
    write_head(file, np.ones(48), 0.5)
    assert np.ptp(maps()[9]) > 0


def test_cells_at_the_edge_of_a_face_and_of_unsure_tiles_are_not_drawn(tmp_path: Path) -> None:
    quads = np.array([[[8, 8], [47, 8], [47, 63], [8, 63]], [[80, 8], [119, 8], [119, 63], [80, 63]]], np.float32)
    file = tmp_path / "images" / "0.png"
    file.parent.mkdir()
    cv2.imwrite(str(file), np.zeros((96, 160, 3), np.uint8))
    source = Source(file, RENDERED, quads, ("red-1", "red-2"), np.array([True, False]), np.zeros((0, 4), np.float32))
    mask = _face_mask(source)
    assert mask[30, 30] == 1
    assert mask[30, 100] == IGNORED
    for cells, is_face in _draw_cells(mask, np.random.default_rng(1)):
        assert len(cells)
        inside = (cells >= (2, 2)).all(axis=1) & (cells <= (15, 11)).all(axis=1)
        assert inside.all() if is_face else not inside.any()
        assert not ((cells >= (2, 20)).all(axis=1) & (cells <= (15, 29)).all(axis=1)).any()

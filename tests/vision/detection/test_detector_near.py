"""Parts of an image are searched with the same pixels as in the whole image."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from tests.support.truthful_networks import planes_in
from tests.vision.detection.test_detector import SeeingSession, picture_of
from tilekeeper.vision.detection.detector import CELL_PX, TileDetector
from tilekeeper.vision.geometry.face_color import face_shares
from tilekeeper.vision.scene import Scene

TILE_WH = 40, 56


@dataclass
class KeepingSession(SeeingSession):
    """Stores its inputs."""

    planes: list[np.ndarray] = field(default_factory=list)

    def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Find tiles as `SeeingSession`."""
        self.planes.append(planes_in(inputs["picture"])[0])
        return super().run(outputs, inputs)


@pytest.mark.parametrize("wh", [(1920, 1080), (1280, 720), (1000, 700), (1024, 768)])
def test_parts_have_the_pixels_and_tiles_of_the_whole_image(wh: tuple[int, int]) -> None:
    """The order of cropping and resizing does not matter."""
    width, height = wh
    corners = [(120, 90), (170, 90), (width - 300, height - 200), (width // 2, height // 2)]
    image = picture_of(wh, [(x, y, *TILE_WH) for x, y in corners])
    image[..., :2] = np.random.default_rng(1).integers(0, 200, (height, width, 2))
    session = KeepingSession()
    detector = TileDetector(session)
    found = detector.detect(Scene(image))
    known = found.quads_px
    assert len(known) == len(corners)
    assert face_shares(found.faces, known) == pytest.approx(1, abs=0.05)
    whole = session.planes[0]
    session.planes.clear()
    boxes = np.array([[100, 80, 220, 160], [width - 320, height - 220, width - 240, height - 120]], np.float32)
    nearby = detector.detect_in(Scene(image), boxes, known[-1:])
    detected_corners = sorted(quad[0].round(2).tolist() for quad in nearby.quads_px)
    is_searched = np.isfinite(nearby.faces.logits)
    assert 0 < is_searched.mean() < 0.25
    rows, columns = nearby.faces.logits.shape
    assert np.array_equal(nearby.faces.logits[is_searched], found.faces.logits[:rows, :columns][is_searched])
    assert face_shares(nearby.faces, nearby.quads_px) == pytest.approx(1, abs=0.05)
    inside = [
        quad
        for quad in known
        if np.any([(quad.mean(0) > box[:2]).all() and (quad.mean(0) < box[2:]).all() for box in boxes])
    ]
    assert detected_corners == sorted(quad[0].round(2).tolist() for quad in inside)
    assert len(session.planes) == len(boxes)
    for part in session.planes:
        assert part.size < whole.size / 4
        assert any(
            np.array_equal(whole[:, top : top + part.shape[1], left : left + part.shape[2]], part)
            for top in range(0, whole.shape[1], CELL_PX)
            for left in range(0, whole.shape[2], CELL_PX)
        )

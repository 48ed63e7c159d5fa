"""Large images are searched in pieces, and no tile is lost at their borders."""

from dataclasses import replace

import numpy as np
import pytest

from tilekeeper.vision.detection.tiling import MAX_SINGLE_PASS_SIDE_PX, PIECE_SIDE_PX, detect_in_pieces
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import Detections


class MarkDetector:
    """Finds bright squares, told apart by their red level; finds nothing in too long an image."""

    def __init__(self, tile_px: int, sees_up_to_px: int) -> None:
        self.tile_px = tile_px
        self.sees_up_to_px = sees_up_to_px
        self.searched_wh: list[tuple[int, int]] = []

    def detect(self, scene: Scene) -> Detections:
        image_bgr = scene.image_bgr
        self.searched_wh.append(scene.wh)
        if max(scene.wh) > self.sees_up_to_px:
            return Detections()
        quads = []
        for number in np.unique(image_bgr[..., 2][image_bgr[..., 1] > 0]):
            ys, xs = np.nonzero((image_bgr[..., 2] == number) & (image_bgr[..., 1] > 0))
            x0, x1, y0, y1 = xs.min(), xs.max(), ys.min(), ys.max()
            quads.append([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
        return Detections(np.array(quads, np.float32).reshape(-1, 4, 2), np.full(len(quads), 0.9))

    def detect_in(self, scene: Scene, boxes_px: np.ndarray, known_px: np.ndarray) -> Detections:
        return self.detect(scene).select_inside(boxes_px)


def marked(width: int, height: int, spots: list[tuple[int, int]], tile_px: int) -> np.ndarray:
    image = np.zeros((height, width, 3), np.uint8)
    for number, (x, y) in enumerate(spots):
        image[y : y + tile_px, x : x + tile_px] = (0, 255, number)
    return image


def test_image_up_to_full_hd_is_searched_once() -> None:
    detector = MarkDetector(40, 4000)
    image = marked(1920, 1080, [(100, 100)], 40)
    assert len(detect_in_pieces(detector, Scene(image)).scores) == 1
    assert detector.searched_wh == [(1920, 1080)]


def test_empty_large_photo_is_searched_once() -> None:
    detector = MarkDetector(40, 9000)
    assert not len(detect_in_pieces(detector, Scene(marked(4000, 3000, [], 40))).scores)
    assert len(detector.searched_wh) == 1


@pytest.mark.parametrize("tall", [False, True])
def test_panorama_gives_every_tile_whole(tall: bool) -> None:
    spots = [(x, 40 + x % 300) for x in range(0, 6900, 61)]
    image = marked(7000, 500, spots, 60)
    if tall:
        image = np.ascontiguousarray(image.transpose(1, 0, 2))
    detector = MarkDetector(60, MAX_SINGLE_PASS_SIDE_PX)
    detections = detect_in_pieces(detector, Scene(image)).quads_px
    assert all(max(search) <= PIECE_SIDE_PX for search in detector.searched_wh[1:])
    corners = {tuple(int(v) for v in quad[0]) for quad in detections}
    assert corners == {(y, x) if tall else (x, y) for x, y in spots}
    # no tile is cut by the edge of a piece
    assert all(np.ptp(quad[:, 0]) == 59 for quad in detections)


def test_large_photo_with_tiny_tiles_is_searched_in_pieces() -> None:
    detector = MarkDetector(30, 9000)
    detections = detect_in_pieces(detector, Scene(marked(4000, 3000, [(500, 500), (3000, 2500)], 30))).quads_px
    assert len(detector.searched_wh) > 1
    assert {tuple(quad[0].tolist()) for quad in detections} == {(500, 500), (3000, 2500)}


class FaintDetector(MarkDetector):
    """Finds one weak detection in each image, at the right edge."""

    def detect(self, scene: Scene) -> Detections:
        return replace(super().detect(scene), faint_px=np.full((1, 4, 2), scene.wh[0], np.float32))


def test_weak_detections_are_those_of_the_whole_image() -> None:
    detector = FaintDetector(60, MAX_SINGLE_PASS_SIDE_PX)
    detections = detect_in_pieces(detector, Scene(marked(7000, 500, [(x, 40) for x in range(0, 6900, 61)], 60)))
    assert len(detector.searched_wh) > 1
    assert detections.faint_px.tolist() == [[[7000, 7000]] * 4]

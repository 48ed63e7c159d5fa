"""Panoramas and far-off tables are looked at piece by piece, and no tile is lost where the pieces meet."""

import numpy as np
import pytest

from tests.support.truthful_networks import FoundTile
from tilekeeper.vision.detection.tiling import ONE_GO_PX, PIECE_PX, find_in_pieces


class MarkFinder:
    """Finds bright squares whose place is coded in their colour; blind to them where the picture is too long."""

    def __init__(self, tile_px: int, sees_up_to_px: int) -> None:
        self.tile_px = tile_px
        self.sees_up_to_px = sees_up_to_px
        self.looks: list[tuple[int, int]] = []

    def __call__(self, image_bgr: np.ndarray) -> list[FoundTile]:
        height, width = image_bgr.shape[:2]
        self.looks.append((width, height))
        if max(width, height) > self.sees_up_to_px:
            return []
        found = []
        for number in np.unique(image_bgr[..., 2][image_bgr[..., 1] > 0]):
            ys, xs = np.nonzero((image_bgr[..., 2] == number) & (image_bgr[..., 1] > 0))
            x0, x1, y0, y1 = xs.min(), xs.max(), ys.min(), ys.max()
            found.append(FoundTile(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32), 0.9))
        return found


def marked(width: int, height: int, spots: list[tuple[int, int]], tile_px: int) -> np.ndarray:
    image = np.zeros((height, width, 3), np.uint8)
    for number, (x, y) in enumerate(spots):
        image[y : y + tile_px, x : x + tile_px] = (0, 255, number)
    return image


def test_usual_pictures_are_looked_at_once() -> None:
    """Up to full HD there is one look."""
    finder = MarkFinder(40, 4000)
    image = marked(1920, 1080, [(100, 100)], 40)
    assert len(find_in_pieces(finder, image)) == 1
    assert finder.looks == [(1920, 1080)]


def test_empty_large_photo_is_looked_at_once() -> None:
    """A large photo of ordinary shape with nothing on it is not searched with a magnifying glass."""
    finder = MarkFinder(40, 9000)
    assert not find_in_pieces(finder, marked(4000, 3000, [], 40))
    assert len(finder.looks) == 1


@pytest.mark.parametrize("tall", [False, True])
def test_panorama_loses_no_tile(tall: bool) -> None:
    """Tiles all along a panorama are found whole, also where pieces meet, with corners in its own pixels."""
    spots = [(x, 40 + x % 300) for x in range(0, 6900, 61)]
    image = marked(7000, 500, spots, 60)
    if tall:
        image = np.ascontiguousarray(image.transpose(1, 0, 2))
    finder = MarkFinder(60, ONE_GO_PX)
    found = find_in_pieces(finder, image)
    assert all(max(look) <= PIECE_PX for look in finder.looks[1:])
    corners = {tuple(int(v) for v in tile.quad_px[0]) for tile in found}
    assert corners == {(y, x) if tall else (x, y) for x, y in spots}
    # nothing cut by the edge of a piece came along
    assert all(np.ptp(tile.quad_px[:, 0]) == 59 for tile in found)


def test_specks_are_looked_at_again_larger() -> None:
    """Where the tiles of a large photo come out as specks, the second look is in pieces."""
    finder = MarkFinder(30, 9000)
    found = find_in_pieces(finder, marked(4000, 3000, [(500, 500), (3000, 2500)], 30))
    assert len(finder.looks) > 1
    assert {tuple(tile.quad_px[0].tolist()) for tile in found} == {(500, 500), (3000, 2500)}

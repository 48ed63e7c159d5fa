"""What is put on tiles and what is taken away: drawn tables, and rendered ones read with the networks that ship."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.drawn_table import noisy
from tests.support.played_table import Played, Shown, picture, quad_at, row, told
from tilekeeper.datasets.synthesis.clutter.table import cup
from tilekeeper.datasets.synthesis.recordings.pieces import Piece
from tilekeeper.datasets.synthesis.recordings.places import NOTHING, arrange
from tilekeeper.datasets.synthesis.recordings.studio import Studio
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.tracking.motion_detection import State
from tilekeeper.vision.tracking.occluded_tiles import occluded
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import IN_THE_WAY

pytestmark = pytest.mark.slow

RUN = row(200, 120, "red-3", "red-4", "red-5", "red-6")
OTHER = row(200, 300, "blue-9", "blue-10", "blue-11", "blue-12")
TABLE = [*RUN, *OTHER]


def with_cup(image: np.ndarray, x: int, y: int, bgr: tuple[int, int, int] = (200, 90, 40)) -> np.ndarray:
    """The picture with a cup as wide as three tiles, with a handle and something to drink in it."""
    image = image.copy()
    cv2.circle(image, (x + 40, y), 12, bgr, 6, cv2.LINE_AA)
    cv2.circle(image, (x, y), 38, bgr, -1, cv2.LINE_AA)
    cv2.circle(image, (x, y), 30, (25, 40, 70), -1, cv2.LINE_AA)
    return image


@pytest.mark.parametrize("bgr", [(200, 90, 40), (238, 240, 240)], ids=["blue", "white"])
def test_tiles_under_a_cup_stay_and_are_marked_until_it_goes(bgr: tuple[int, int, int]) -> None:
    """It stands in the middle of the table, for as long as it likes; what it does not cover is read as ever."""
    played = Played()
    before = played.still(TABLE)
    seen = [*RUN, OTHER[-1], (700, 400, "joker")]
    image = with_cup(picture([*TABLE, (700, 400, "joker")]), 215, 300, bgr)
    for _ in range(3):  # frames and frames of it
        under = played.still(seen, image, frames=20)
    assert played.reader.rest.state is State.STILL
    assert told(before).items() <= told(under).items()
    assert len(under.tiles) == len(TABLE) + 1
    assert sorted(tile.label for tile in under.tiles if tile.sighting.hidden) == ["blue-10", "blue-11", "blue-9"]
    assert [trouble.kind for trouble in under.troubles] == [IN_THE_WAY] * 3
    clear = played.still([*TABLE, (700, 400, "joker")])
    assert told(clear) == told(under)
    assert not any(tile.sighting.hidden for tile in clear.tiles)
    assert not clear.troubles


def test_a_tile_taken_from_beside_a_cup_that_stands_there_is_gone() -> None:
    """Only what went as it came may be under it."""
    played = Played()
    played.still(TABLE)
    seen = [*RUN, OTHER[-1]]
    played.still(seen, with_cup(picture(TABLE), 215, 300))
    after = played.still(RUN, with_cup(picture([*RUN, *OTHER[:-1]]), 215, 300))
    assert sorted(tile.label for tile in after.tiles if tile.sighting.hidden) == ["blue-10", "blue-11", "blue-9"]
    assert len(after.tiles) == len(TABLE) - 1


def test_a_place_where_the_table_shows_or_another_tile_lies_is_not_covered() -> None:
    """Wood, a shadow on it, a tile pushed half over the place: what lay there has gone."""
    lost = np.array([quad_at(*tile[:2]) for tile in OTHER])
    box = np.array([[180.0, 270.0, 300.0, 330.0]])
    bare = noisy(picture(RUN), 1)
    none, before = np.zeros((0, 4, 2)), np.zeros(len(lost), bool)
    assert not occluded(bare, lost, none, box, before).any()
    shadow = bare.copy()
    shadow[250:350, 150:250] = (shadow[250:350, 150:250] * 0.8).astype(np.uint8)
    assert not occluded(shadow, lost, none, box, before).any()
    pushed = [(x + 14, y, label) for x, y, label in OTHER]
    seen = np.array([quad_at(x, y) for x, y, _ in pushed])
    assert not occluded(picture([*RUN, *pushed]), lost, seen, box, before)[1:].any()
    assert occluded(with_cup(bare, 237, 300), lost, none, box, before).any()
    assert not occluded(with_cup(bare, 237, 300), lost, none, box[:0], before).any()  # nothing changed there
    assert occluded(bare, none, none, box, before[:0]).shape == (0,)


class Rendered:
    """A rendered table, photographed with noise and read with the networks that ship."""

    def __init__(self, surface: str) -> None:
        self._rng = np.random.default_rng(2)
        self.studio = Studio(self._rng, "kept-out", (960, 720), 44, surface, clutter=0)
        melds = parse_table("R3 R4 R5 R6 | K8 B8 O8 | B9 B10 B11 | O2 O3 O4").melds
        pieces = iter(range(99))
        self.rows = tuple(tuple(Piece(next(pieces), tile) for tile in meld) for meld in melds)
        lies = arrange(self._rng, NOTHING, self.rows, self.studio.floor)
        assert lies is not None  # there is room for four melds
        self._spots = lies.spots
        self.reader = FrameReader(Reader.shipped(), still_after_s=0.2)
        self._time_s = 0.0

    def middle(self, meld: int) -> np.ndarray:
        """Where a meld lies, in pixels."""
        quads = self.studio.paint([(p, self.studio.pose(self._spots[p.key])) for p in self.rows[meld]])[2]
        return np.mean([quad.mean(axis=0) for quad in quads.values()], axis=0)

    def still(self, melds: tuple[int, ...], over: np.ndarray | None = None, at: np.ndarray | None = None) -> set[str]:
        """Show some of the melds, with a thing `(h, w, 4)` over them; returns the labels, covered ones in brackets."""
        poses = [(piece, self.studio.pose(self._spots[piece.key])) for meld in melds for piece in self.rows[meld]]
        painted = self.studio.paint(poses)[:2]
        for _ in range(4):
            image = self.studio.take(self._rng, *painted)
            if over is not None and at is not None:
                image = laid_over(image, over, at)
            self._time_s += 0.3
            reading = self.reader.push(Shown(image, self._time_s))
        return {f"({tile.label})" if tile.sighting.hidden else tile.label for tile in reading.tiles}


def laid_over(image: np.ndarray, sprite: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The picture with a thing `(h, w, 4) uint8` whose middle lies at a point well inside it."""
    height, width = sprite.shape[:2]
    left, top = (int(v) for v in at - (width / 2, height / 2))
    box = slice(max(top, 0), top + height), slice(max(left, 0), left + width)
    part = sprite[max(-top, 0) :, max(-left, 0) :][: image[box].shape[0], : image[box].shape[1]].astype(np.float32)
    share = part[..., 3:] / 255
    image = image.copy()
    image[box] = (image[box] * (1 - share) + part[..., :3] * share).astype(np.uint8)
    return image


@pytest.mark.parametrize("surface", ["walnut", pytest.param("checked", marks=pytest.mark.long)])
def test_a_cup_on_a_rendered_table_hides_its_own_region_only(surface: str) -> None:
    """Of real wood and a checked cloth: what it covers is told as it lay, and a meld taken away is taken away."""
    table = Rendered(surface)
    everything = (0, 1, 2, 3)
    names = table.still(everything)
    assert names == {
        *("red-3", "red-4", "red-5", "red-6", "black-8", "blue-8", "orange-8"),
        *("blue-9", "blue-10", "blue-11", "orange-2", "orange-3", "orange-4"),
    }
    mug = cup(np.random.default_rng(1), table.studio.px_per_mm)
    under = table.still(everything, mug, table.middle(1))
    assert {label.strip("()") for label in under} == names
    assert {"(black-8)", "(blue-8)", "(orange-8)"} & under
    assert table.still(everything) == names
    assert table.still((0, 1, 2)) == names - {"orange-2", "orange-3", "orange-4"}

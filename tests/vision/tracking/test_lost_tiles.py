"""Each lost tile gets the first reason that applies, in a fixed order."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from tests.support.truthful_networks import WOOD, Truth, picture, quad_at
from tilekeeper.vision.geometry.rectification import Rectification
from tilekeeper.vision.scene import Rest, Scene, State
from tilekeeper.vision.tile_table import TileTable
from tilekeeper.vision.tracking.lost_tiles import LossReason, OtherTiles, explain_lost_tiles
from tilekeeper.vision.types import labels_of

WH = WOOD.shape[1], WOOD.shape[0]
LYING = [(200, 300, "blue-9"), (300, 300, "red-6")]
NEIGHBOURS = [(500 + 25 * at, 120, f"black-{at + 1}") for at in range(6)]
BEFORE = picture([*LYING, *NEIGHBOURS])
BOX = np.array([[160.0, 260.0, 340.0, 340.0]], np.float32)


def tracks(tiles: list[tuple[int, int, str]], first_track: int = 0, *, locked: bool = True) -> TileTable:
    """Return the tracks of tiles; `locked` makes their labels certain."""
    if not tiles:
        return TileTable.none()
    quads_px = np.array([quad_at(x, y) for x, y, _ in tiles])
    labels = [label for *_, label in tiles]
    appearances = Truth(quads_px, labels, WH).classifier(BEFORE, quads_px)
    found = TileTable.from_classification(appearances, np.full(len(tiles), 0.9), first_track)
    return replace(found, locked_label=np.array([labels_of().index(label) for label in labels])) if locked else found


def reasons_in(
    image: np.ndarray,
    lost: TileTable,
    *,
    state: State = State.STILL,
    found: TileTable | None = None,
    view: Rectification | None = None,
) -> list[LossReason]:
    """Return why each tile is lost in an image that changed in `BOX`."""
    scene = Scene(image, Rest(state, settled=True, changed_px=BOX), BEFORE, view)
    unchanged = tracks(NEIGHBOURS, 10)
    others = OtherTiles(TileTable.concatenate([lost, unchanged]), unchanged, found or TileTable.none(), 20)
    return [LossReason(reason) for reason in explain_lost_tiles(scene, lost, others)[0]]


def glare_on(image: np.ndarray, middle_px: tuple[int, int]) -> np.ndarray:
    y, x = np.mgrid[: image.shape[0], : image.shape[1]]
    share = np.clip(1.6 - np.hypot(x - middle_px[0], y - middle_px[1]) / 5, 0, 1)[..., None]
    return np.clip(image + share * (255.0 - image), 0, 255).astype(np.uint8)


def test_tile_whose_place_shows_the_bare_table_was_taken() -> None:
    assert reasons_in(picture(NEIGHBOURS), tracks(LYING)) == [LossReason.TAKEN] * 2


def test_cup_at_the_place_of_a_tile_covers_it_and_the_tile_beside_it_was_taken() -> None:
    image = cv2.circle(picture(NEIGHBOURS), (200, 300), 30, (200, 90, 40), -1)
    assert reasons_in(image, tracks(LYING)) == [LossReason.COVERED, LossReason.TAKEN]


def test_reflection_on_a_certain_tile_is_glare_and_on_an_uncertain_tile_a_cover() -> None:
    image = glare_on(BEFORE, (294, 288))
    assert reasons_in(image, tracks(LYING[1:])) == [LossReason.GLARE]
    assert reasons_in(image, tracks(LYING[1:], locked=False)) == [LossReason.COVERED]


def test_new_tile_at_the_place_of_a_tile_under_glare_is_dropped() -> None:
    image, lost = glare_on(BEFORE, (294, 288)), tracks(LYING[1:])
    scene = Scene(image, Rest(State.STILL, settled=True, changed_px=BOX), BEFORE)
    new, moved = tracks([(300, 300, "red-8")], 20), tracks([(200, 300, "blue-9")], 5)
    others = OtherTiles(lost, tracks(NEIGHBOURS, 10), TileTable.concatenate([new, moved]), 20)
    reasons, found = explain_lost_tiles(scene, lost, others)
    assert reasons.tolist() == [LossReason.GLARE]
    assert found.track.tolist() == [5]


def test_tile_lost_under_a_hand_is_in_the_hand_unless_something_covers_its_place() -> None:
    bare = picture(NEIGHBOURS)
    assert reasons_in(bare, tracks(LYING), state=State.HIDDEN) == [LossReason.IN_HAND] * 2
    image = cv2.circle(bare.copy(), (200, 300), 30, (200, 90, 40), -1)
    assert reasons_in(image, tracks(LYING), state=State.HIDDEN) == [LossReason.COVERED, LossReason.IN_HAND]


def test_tile_outside_the_image_is_cut_by_the_edge() -> None:
    half_outside, outside = (WH[0] + 2, 300, "blue-9"), (WH[0] + 40, 300, "red-6")
    assert reasons_in(picture(NEIGHBOURS), tracks([half_outside, outside])) == [LossReason.CUT_BY_EDGE] * 2
    beside = Rectification(WH, np.array([[1.0, 0, 230], [0, 1, 0], [0, 0, 1]]), WH, (0.0, 0.0, 0.0))
    expected = [LossReason.CUT_BY_EDGE, LossReason.TAKEN]
    assert reasons_in(picture(NEIGHBOURS), tracks(LYING), view=beside) == expected


def test_nothing_lost_needs_no_reason() -> None:
    assert reasons_in(BEFORE, TileTable.none()) == []

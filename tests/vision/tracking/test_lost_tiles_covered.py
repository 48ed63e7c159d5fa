"""Covered and taken tiles, on drawn tables and with the shipped networks on rendered tables."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.rendered_tables import PaintedTable
from tests.support.truthful_networks import WOOD, Lying, PlayedTable, labels_by_track, noisy, picture, quad_at, row
from tilekeeper.datasets.synthesis.clutter.table import cup
from tilekeeper.vision.scene import Rest, Scene, State
from tilekeeper.vision.tracking.lost_tiles import covered
from tilekeeper.vision.types import IN_THE_WAY, TableReading

pytestmark = pytest.mark.slow

RUN = row(200, 120, "red-3", "red-4", "red-5", "red-6")
OTHER = row(200, 300, "blue-9", "blue-10", "blue-11", "blue-12")
TABLE = [*RUN, *OTHER]


def with_cup(image: np.ndarray, x: int, y: int, bgr: tuple[int, int, int] = (200, 90, 40)) -> np.ndarray:
    """Return the image with a cup as wide as three tiles, with a handle and a drink."""
    image = image.copy()
    cv2.circle(image, (x + 40, y), 12, bgr, 6, cv2.LINE_AA)
    cv2.circle(image, (x, y), 38, bgr, -1, cv2.LINE_AA)
    cv2.circle(image, (x, y), 30, (25, 40, 70), -1, cv2.LINE_AA)
    return image


def scene_of(image: np.ndarray, changed_px: np.ndarray, before: np.ndarray | None = None) -> Scene:
    """Return a still scene that changed in some boxes."""
    return Scene(image, Rest(State.STILL, settled=True, changed_px=changed_px), before)


@pytest.mark.parametrize("bgr", [(200, 90, 40), (238, 240, 240)], ids=["blue", "white"])
def test_cup_on_tiles_keeps_them_covered_until_it_is_removed(bgr: tuple[int, int, int]) -> None:
    played = PlayedTable()
    before = played.still(TABLE)
    visible = [*RUN, OTHER[-1], (700, 400, "joker")]
    image = with_cup(picture([*TABLE, (700, 400, "joker")]), 215, 300, bgr)
    for _ in range(3):
        with_cover = played.still(visible, image, frames=20)
    assert played.reader.rest.state is State.STILL
    assert labels_by_track(before).items() <= labels_by_track(with_cover).items()
    assert len(with_cover.tiles) == len(TABLE) + 1
    assert sorted(tile.label for tile in with_cover.tiles if tile.sighting.hidden) == ["blue-10", "blue-11", "blue-9"]
    assert [trouble.kind for trouble in with_cover.troubles] == [IN_THE_WAY] * 3
    clear = played.still([*TABLE, (700, 400, "joker")])
    assert labels_by_track(clear) == labels_by_track(with_cover)
    assert not any(tile.sighting.hidden for tile in clear.tiles)
    assert not clear.troubles


def test_tile_taken_from_beside_a_standing_cup_is_lost() -> None:
    played = PlayedTable()
    played.still(TABLE)
    visible = [*RUN, OTHER[-1]]
    played.still(visible, with_cup(picture(TABLE), 215, 300))
    after = played.still(RUN, with_cup(picture([*RUN, *OTHER[:-1]]), 215, 300))
    assert sorted(tile.label for tile in after.tiles if tile.sighting.hidden) == ["blue-10", "blue-11", "blue-9"]
    assert len(after.tiles) == len(TABLE) - 1


def test_place_that_shows_table_shadow_or_another_tile_is_not_covered() -> None:
    lost = np.array([quad_at(*tile[:2]) for tile in OTHER])
    box = np.array([[180.0, 270.0, 300.0, 330.0]])
    bare = noisy(picture(RUN), 1)
    no_quads, before = np.zeros((0, 4, 2)), np.zeros(len(lost), bool)
    assert not covered(scene_of(bare, box), lost, before, no_quads).any()
    shadow = bare.copy()
    shadow[250:350, 150:250] = (shadow[250:350, 150:250] * 0.8).astype(np.uint8)
    assert not covered(scene_of(shadow, box), lost, before, no_quads).any()
    pushed = [(x + 14, y, label) for x, y, label in OTHER]
    quads_px = np.array([quad_at(x, y) for x, y, _ in pushed])
    assert not covered(scene_of(picture([*RUN, *pushed]), box), lost, before, quads_px)[1:].any()
    assert covered(scene_of(with_cup(bare, 237, 300), box), lost, before, no_quads).any()
    assert not covered(
        scene_of(with_cup(bare, 237, 300), box[:0]), lost, before, no_quads
    ).any()  # nothing changed there
    assert covered(scene_of(bare, box), no_quads, before[:0], no_quads).shape == (0,)


def test_tile_taken_off_a_stain_is_not_covered() -> None:
    """Only the ring right around the tile has the colour of the stain."""
    lost = np.array([quad_at(*tile[:2]) for tile in OTHER])
    box = np.array([[180.0, 270.0, 300.0, 330.0]])
    no_quads, before = np.zeros((0, 4, 2)), np.zeros(len(lost), bool)

    def stained(tiles: list[Lying]) -> np.ndarray:
        stain = cv2.ellipse(WOOD.copy(), (212, 300), (25, 26), 0, 0, 360, (150, 40, 60), -1)
        places = cv2.inRange(picture(tiles), (215, 232, 236), (215, 232, 236))
        places = cv2.morphologyEx(places, cv2.MORPH_CLOSE, np.ones((15, 15), np.uint8))  # with the print
        return np.where(places[..., None] > 0, picture(tiles), stain).astype(np.uint8)

    full, bare = noisy(stained(TABLE), 1), noisy(stained(RUN), 2)
    assert covered(scene_of(bare, box), lost, before, no_quads).any()
    assert not covered(scene_of(bare, box, full), lost, before, no_quads).any()
    assert covered(scene_of(with_cup(bare, 237, 300), box, full), lost, before, no_quads).any()


THINGS = ("coin", "strip", "face down")


@pytest.mark.parametrize(
    ("thing", "at"),
    [
        pytest.param(thing, at, marks=[] if THINGS.index(thing) == at else [pytest.mark.long])
        for thing in THINGS
        for at in range(3)
    ],
)
def test_thing_as_small_as_a_tile_covers_it(thing: str, at: int) -> None:
    """Nothing beside the tile changes, as if the tile was taken, but the thing does not look like the table."""
    table = PaintedTable("walnut")
    everything = [key for row in table.rows for key in row]
    before = labels_by_track(table.still(everything))
    quad_px = table.quads_px[table.rows[1][at]].astype(np.float64)
    size_px = 2 * np.ceil(np.ptp(quad_px, axis=0) * (5 if thing == "strip" else 1.0, 1.0) / 2).astype(int)
    cover = np.zeros((size_px[1], size_px[0], 4), np.uint8)
    if thing == "coin":
        cv2.circle(cover, (int(size_px[0] / 2), int(size_px[1] / 2)), int(0.65 * size_px[0]), (150, 175, 180, 255), -1)
    else:
        cover[:] = (60, 170, 200, 255) if thing == "strip" else (195, 205, 210, 255)
    after = table.still(everything, cover, quad_px.mean(axis=0))
    assert labels_by_track(after) == before
    assert [tile.sighting.hidden for tile in after.tiles].count(True) == (3 if thing == "strip" else 1)


def labels_on(reading: TableReading) -> set[str]:
    """Return the labels of a reading's tiles, covered ones in brackets."""
    return {f"({tile.label})" if tile.sighting.hidden else tile.label for tile in reading.tiles}


@pytest.mark.parametrize("surface", ["walnut", pytest.param("checked", marks=pytest.mark.long)])
def test_cup_on_a_rendered_table_covers_only_the_tiles_under_it(surface: str) -> None:
    table = PaintedTable(surface)
    everything = [key for row in table.rows for key in row]
    labels = labels_on(table.still(everything))
    assert labels == {
        *("red-3", "red-4", "red-5", "red-6", "black-8", "blue-8", "orange-8"),
        *("blue-9", "blue-10", "blue-11", "orange-2", "orange-3", "orange-4"),
    }
    mug = cup(np.random.default_rng(1), table.studio.px_per_mm)
    with_cover = labels_on(table.still(everything, mug, table.middle(1)))
    assert {label.strip("()") for label in with_cover} == labels
    assert {"(black-8)", "(blue-8)", "(orange-8)"} & with_cover
    assert labels_on(table.still(everything)) == labels
    assert labels_on(table.still(everything[:-3])) == labels - {"orange-2", "orange-3", "orange-4"}

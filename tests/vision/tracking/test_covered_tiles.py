"""Covered tiles stay in the reading, and a row at the edge of the image is no arm."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from tests.support.truthful_networks import (
    WH,
    PlayedTable,
    labels_by_track,
    picture,
    row,
    shifted,
    with_arm,
    with_tiles,
)
from tilekeeper.vision.scene import State

RUN = row(200, 120, "red-3", "red-4", "red-5", "red-6")
GROUP = row(500, 120, "red-7", "blue-7", "black-7")
OTHER = row(200, 300, "blue-9", "blue-10", "blue-11", "blue-12")
TABLE = [*RUN, *GROUP, *OTHER]


def test_arm_over_two_melds_keeps_their_labels_and_tracks() -> None:
    played = PlayedTable()
    before = played.still(TABLE)
    arm = with_arm(picture(TABLE), (240, 250))
    played.truth.labels = ["no-tile" if (x, y) in {tile[:2] for tile in OTHER} else label for x, y, label in TABLE]
    for _ in range(4):
        hidden = played.frame(arm)
    assert played.reader.rest.state is State.HIDDEN
    assert labels_by_track(hidden) == labels_by_track(before)
    more = [*TABLE, (700, 400, "joker")]
    beside = played.still(more, with_arm(picture(more), (240, 250)))
    assert played.reader.rest.state is State.HIDDEN
    assert labels_by_track(before).items() <= labels_by_track(beside).items()
    assert len(beside.tiles) == len(TABLE) + 1
    assert labels_by_track(played.still(more)) == labels_by_track(beside)


def test_light_that_reaches_in_around_a_visible_tile_does_not_cover_it() -> None:
    """Light on a part of the table up to the edge looks like an occluder, and so does a badly aligned bump."""
    played = PlayedTable()
    before = played.still(TABLE)
    x, y, _ = OTHER[0]
    ground = picture([]).copy()
    cv2.rectangle(ground, (x - 60, y - 60), (x + 160, WH[1]), (200, 200, 200), -1)
    reading = played.still(TABLE, picture(TABLE, ground))
    assert played.reader.rest.state is State.HIDDEN
    assert labels_by_track(reading) == labels_by_track(before)
    assert not any(tile.sighting.hidden for tile in reading.tiles)
    played.truth.labels = ["no-tile" if tile in OTHER else tile[2] for tile in TABLE]
    without_tiles = picture([*RUN, *GROUP], ground)
    covered = [played.frame(without_tiles) for _ in range(4)][-1]
    assert [tile.sighting.hidden for tile in covered.tiles].count(True) == len(OTHER)


def test_visible_tile_after_a_bump_under_new_light_is_not_covered() -> None:
    played = PlayedTable()
    before = played.still(TABLE)
    right, down = 14, 9
    ground = picture([]).copy()
    x, y, _ = OTHER[0]
    cv2.rectangle(ground, (x - 60, y - 60), (x + 160, WH[1]), (200, 200, 200), -1)
    moved = [(x + right, y + down, label) for x, y, label in TABLE]
    after = played.still(moved, shifted(picture(TABLE, ground), right, down))
    assert played.reader.rest.state is State.HIDDEN
    assert labels_by_track(after) == labels_by_track(before)
    assert not any(tile.sighting.hidden for tile in after.tiles)


def test_arm_beside_a_thing_on_tiles_keeps_them_covered() -> None:
    played = PlayedTable()
    before = played.still(TABLE)
    x, y, _ = OTHER[0]
    played.truth.labels = ["no-tile" if tile in OTHER else tile[2] for tile in TABLE]
    thing = picture([*RUN, *GROUP])
    cv2.rectangle(thing, (x - 30, y - 40), (x + 110, y + 40), (150, 70, 40), -1)
    covered = [played.frame(thing) for _ in range(4)][-1]
    assert [tile.sighting.hidden for tile in covered.tiles].count(True) == len(OTHER)
    arm = thing.copy()
    cv2.rectangle(arm, (x + 87, y - 20), (x + 200, WH[1]), (110, 140, 205), -1)
    for image in (arm, thing):
        reading = [played.frame(image) for _ in range(4)][-1]
        assert [tile.sighting.hidden for tile in reading.tiles].count(True) == len(OTHER)
    assert labels_by_track(played.still(TABLE)) == labels_by_track(before)


def test_arm_that_became_background_keeps_its_tiles_covered() -> None:
    """The previous image already showed the arm, so the table around the tiles looks unchanged."""
    played = PlayedTable()
    before = played.still(TABLE)
    arm = with_arm(picture(TABLE), (240, 250), (60, 120, 60))
    visible = [*RUN, *GROUP]
    covered = played.still(visible, arm)
    assert played.reader.rest.state is State.HIDDEN
    assert labels_by_track(covered) == labels_by_track(before)
    stayed = played.still(visible, arm, frames=40)
    assert played.reader.rest.state is State.STILL
    assert labels_by_track(stayed) == labels_by_track(before)
    assert [tile.sighting.hidden for tile in stayed.tiles].count(True) == len(OTHER)


def test_row_taken_from_the_edge_leaves_no_occluder() -> None:
    """The bare wood has the colour of skin."""
    played = PlayedTable()
    edge_row = row(400, 523, "black-1", "black-2", "black-3", "black-4")
    played.still([*TABLE, *edge_row])
    taken = played.still(TABLE)
    assert played.reader.rest.state is State.STILL
    assert sorted(labels_by_track(taken).values()) == sorted(label for *_, label in TABLE)


def test_phone_on_a_meld_keeps_it_covered_when_the_rest_is_rebuilt() -> None:
    played = PlayedTable()
    before = played.still(TABLE)
    x, y, _ = OTHER[0]

    def with_phone(tiles: Sequence[tuple[int, int, str]]) -> np.ndarray:
        image = picture(tiles)
        image[y - 30 : y + 30, x - 25 : x + 25 + 25 * len(OTHER)] = (140, 60, 30)
        return image

    visible = [*RUN, *GROUP]
    assert labels_by_track(played.still(visible, with_phone(visible))) == labels_by_track(before)
    rebuilt = [*row(420, 440, "orange-1", "orange-2", "orange-3", "orange-4"), *GROUP]
    after = played.still(rebuilt, with_phone(rebuilt))
    hidden = [tile.label for tile in after.tiles if tile.sighting.hidden]
    assert sorted(hidden) == sorted(label for *_, label in OTHER)


@pytest.mark.parametrize("x", [12, 400], ids=["in the corner", "at the lower edge"])
def test_row_at_the_edge_is_read_and_is_no_occluder(x: int) -> None:
    played = PlayedTable()
    before = played.still(TABLE)
    edge_row = row(x, 523, "black-1", "black-2", "black-3", "black-4")
    after = played.still([*TABLE, *edge_row])
    assert played.reader.rest.state is State.STILL
    assert sorted(labels_by_track(after).values()) == sorted(label for *_, label in [*TABLE, *edge_row])
    slid = [(x + 60, y, label) for x, y, label in edge_row]
    assert labels_by_track(played.still([*TABLE, *slid])) == labels_by_track(after)
    assert played.reader.rest.state is State.STILL
    assert labels_by_track(before).items() <= labels_by_track(after).items()


def test_arm_that_holds_a_tile_is_an_occluder() -> None:
    """The tile fills little of the change, so it is not on the table yet."""
    played = PlayedTable()
    before = played.still(TABLE)
    held = (240, 270, "joker")
    arm = with_arm(picture(TABLE), (240, 250))
    shown = with_tiles(arm, [held[:2]], held[2][-1])
    visible = [*RUN, *GROUP, held]
    assert labels_by_track(played.still(visible, shown)) == labels_by_track(before)
    assert played.reader.rest.state is State.HIDDEN

"""Tiles under an arm or a thing are kept, and what is laid or taken at the edge of the picture is no arm."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from tests.support.truthful_networks import WH, Played, picture, row, shifted, told, with_arm, with_tiles
from tilekeeper.vision.scene import State

RUN = row(200, 120, "red-3", "red-4", "red-5", "red-6")
GROUP = row(500, 120, "red-7", "blue-7", "black-7")
OTHER = row(200, 300, "blue-9", "blue-10", "blue-11", "blue-12")
TABLE = [*RUN, *GROUP, *OTHER]


def test_a_hidden_tile_keeps_its_name_while_it_is_hidden() -> None:
    """An arm over two melds takes nothing off the table; what is laid beside it is read."""
    played = Played()
    before = played.still(TABLE)
    arm = with_arm(picture(TABLE), (240, 250))
    played.truth.labels = ["no-tile" if (x, y) in {tile[:2] for tile in OTHER} else label for x, y, label in TABLE]
    for _ in range(4):
        hidden = played.frame(arm)
    assert played.reader.rest.state is State.HIDDEN
    assert told(hidden) == told(before)
    more = [*TABLE, (700, 400, "joker")]
    beside = played.still(more, with_arm(picture(more), (240, 250)))
    assert played.reader.rest.state is State.HIDDEN
    assert told(before).items() <= told(beside).items()
    assert len(beside.tiles) == len(TABLE) + 1
    assert told(played.still(more)) == told(beside)


def test_a_tile_that_shows_its_face_is_not_covered_by_what_came_in_around_it() -> None:
    """Light falls on a part of the table up to its edge, or a bumped picture was laid over the other askew."""
    played = Played()
    before = played.still(TABLE)
    x, y, _ = OTHER[0]
    ground = picture([]).copy()
    cv2.rectangle(ground, (x - 60, y - 60), (x + 160, WH[1]), (200, 200, 200), -1)
    seen = played.still(TABLE, picture(TABLE, ground))
    assert played.reader.rest.state is State.HIDDEN
    assert told(seen) == told(before)
    assert not any(tile.sighting.hidden for tile in seen.tiles)
    played.truth.labels = ["no-tile" if tile in OTHER else tile[2] for tile in TABLE]
    gone = picture([*RUN, *GROUP], ground)
    covered = [played.frame(gone) for _ in range(4)][-1]
    assert [tile.sighting.hidden for tile in covered.tiles].count(True) == len(OTHER)


def test_a_tile_that_shows_its_face_where_a_bump_brought_it_is_not_covered() -> None:
    """The ground around it turned light meanwhile, up to the edge."""
    played = Played()
    before = played.still(TABLE)
    right, down = 14, 9
    ground = picture([]).copy()
    x, y, _ = OTHER[0]
    cv2.rectangle(ground, (x - 60, y - 60), (x + 160, WH[1]), (200, 200, 200), -1)
    moved = [(x + right, y + down, label) for x, y, label in TABLE]
    after = played.still(moved, shifted(picture(TABLE, ground), right, down))
    assert played.reader.rest.state is State.HIDDEN
    assert told(after) == told(before)
    assert not any(tile.sighting.hidden for tile in after.tiles)


def test_what_lies_under_a_thing_stays_covered_whoever_reaches_in_beside_it() -> None:
    """The thing looks as it did, but not as the tiles do that lie beneath it."""
    played = Played()
    before = played.still(TABLE)
    x, y, _ = OTHER[0]
    played.truth.labels = ["no-tile" if tile in OTHER else tile[2] for tile in TABLE]
    thing = picture([*RUN, *GROUP])
    cv2.rectangle(thing, (x - 30, y - 40), (x + 110, y + 40), (150, 70, 40), -1)
    covered = [played.frame(thing) for _ in range(4)][-1]
    assert [tile.sighting.hidden for tile in covered.tiles].count(True) == len(OTHER)
    arm = thing.copy()
    cv2.rectangle(arm, (x + 87, y - 20), (x + 200, WH[1]), (110, 140, 205), -1)
    for seen in (arm, thing):
        again = [played.frame(seen) for _ in range(4)][-1]
        assert [tile.sighting.hidden for tile in again.tiles].count(True) == len(OTHER)
    assert told(played.still(TABLE)) == told(before)


def test_what_lies_under_an_arm_that_has_become_part_of_the_table_stays_covered() -> None:
    """It was told as taken, since around its places all looked as when it was read last: with the arm in the way."""
    played = Played()
    before = played.still(TABLE)
    arm = with_arm(picture(TABLE), (240, 250), (60, 120, 60))
    seen = [*RUN, *GROUP]
    covered = played.still(seen, arm)
    assert played.reader.rest.state is State.HIDDEN
    assert told(covered) == told(before)
    stayed = played.still(seen, arm, frames=40)
    assert played.reader.rest.state is State.STILL
    assert told(stayed) == told(before)
    assert [tile.sighting.hidden for tile in stayed.tiles].count(True) == len(OTHER)


def test_a_row_that_is_taken_from_the_edge_leaves_no_arm_there() -> None:
    """The bare wood that comes to light has the colour of skin."""
    played = Played()
    laid = row(400, 523, "black-1", "black-2", "black-3", "black-4")
    played.still([*TABLE, *laid])
    taken = played.still(TABLE)
    assert played.reader.rest.state is State.STILL
    assert sorted(told(taken).values()) == sorted(label for *_, label in TABLE)


def test_what_a_thing_covers_stays_covered_where_most_of_what_is_seen_is_laid_anew() -> None:
    """Another scene is told by what is seen; the thing lies where it lay."""
    played = Played()
    before = played.still(TABLE)
    x, y, _ = OTHER[0]

    def with_phone(tiles: Sequence[tuple[int, int, str]]) -> np.ndarray:
        image = picture(tiles)
        image[y - 30 : y + 30, x - 25 : x + 25 + 25 * len(OTHER)] = (140, 60, 30)
        return image

    seen = [*RUN, *GROUP]
    assert told(played.still(seen, with_phone(seen))) == told(before)
    anew = [*row(420, 440, "orange-1", "orange-2", "orange-3", "orange-4"), *GROUP]
    after = played.still(anew, with_phone(anew))
    hidden = [tile.label for tile in after.tiles if tile.sighting.hidden]
    assert sorted(hidden) == sorted(label for *_, label in OTHER)


@pytest.mark.parametrize("x", [12, 400], ids=["in the corner", "at the lower edge"])
def test_a_row_laid_at_the_edge_is_no_arm(x: int) -> None:
    """It is read in the frame that settles, and told as lying still; so is a row that is slid along the edge."""
    played = Played()
    before = played.still(TABLE)
    laid = row(x, 523, "black-1", "black-2", "black-3", "black-4")
    after = played.still([*TABLE, *laid])
    assert played.reader.rest.state is State.STILL
    assert sorted(told(after).values()) == sorted(label for *_, label in [*TABLE, *laid])
    slid = [(x + 60, y, label) for x, y, label in laid]
    assert told(played.still([*TABLE, *slid])) == told(after)
    assert played.reader.rest.state is State.STILL
    assert told(before).items() <= told(after).items()


def test_an_arm_that_holds_a_tile_hides_the_table() -> None:
    """A tile at the end of a sleeve fills little of what reaches in: it is not laid yet."""
    played = Played()
    before = played.still(TABLE)
    held = (240, 270, "joker")
    arm = with_arm(picture(TABLE), (240, 250))
    shown = with_tiles(arm, [held[:2]], held[2][-1])
    seen = [*RUN, *GROUP, held]
    assert told(played.still(seen, shown)) == told(before)
    assert played.reader.rest.state is State.HIDDEN

"""Reading from frames: what changed is read again, every tile keeps its track, and a person's word stays with it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.truthful_networks import WH, Played, Shown, noisy, picture, places, row, shifted, told, with_arm
from tilekeeper.vision.geometry.quads import centres_px
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.appearance import AUGMENTED_CROP_COUNT
from tilekeeper.vision.scene import State
from tilekeeper.vision.scoring.calibration import Calibration, ReaderLimits
from tilekeeper.vision.scoring.tileness import AmongTiles
from tilekeeper.vision.tracking.reclassification import MAX_CROPS_PER_TILE
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import TileSet

RUN = row(200, 120, "red-3", "red-4", "red-5", "red-6")
GROUP = row(500, 120, "red-7", "blue-7", "black-7")
OTHER = row(200, 300, "blue-9", "blue-10", "blue-11", "blue-12")
TABLE = [*RUN, *GROUP, *OTHER]


def test_before_the_table_lies_still_there_is_nothing() -> None:
    """A frame that may be one of a move is not read."""
    played = Played()
    played.know(TABLE)
    assert played.frame(picture(TABLE)).tiles == ()
    assert played.truth.looks == []


def test_a_still_table_is_read_once_and_never_changes_its_reading() -> None:
    """The detector runs once; the names stay, and after the last look at each tile the reading is the very same."""
    played = Played()
    first = played.still(TABLE, frames=2)
    assert sorted(told(first).values()) == sorted(label for *_, label in TABLE)
    assert [len(row) for row in first.rows] == [4, 3, 4]
    noises = [noisy(picture(TABLE), seed) for seed in range(2)]
    readings = [played.frame(noises[at % 2]) for at in range(10)]
    assert all(told(reading) == told(first) for reading in readings)
    assert not any(tile.doubtful for reading in readings for tile in reading.tiles)
    assert len(played.truth.looks) == 1
    assert readings[-1] is readings[-2]
    assert first.time_s is not None
    assert readings[-1].time_s is not None
    assert first.time_s < readings[-1].time_s <= played.time_s


def test_tiles_laid_are_new_and_the_rest_is_not_looked_at_again() -> None:
    """Three new tiles are named and no other; what lay there keeps its track."""
    played = Played()
    before = played.still(TABLE, frames=12)
    played.truth.named.clear()
    more = row(600, 300, "black-1", "black-2", "black-3")
    after = played.still([*TABLE, *more], frames=2)
    assert told(before).items() <= told(after).items()
    assert sorted(told(after)[track] for track in told(after).keys() - told(before).keys()) == [
        "black-1",
        "black-2",
        "black-3",
    ]
    assert {len(quads) for quads in played.truth.named} == {3}


def test_a_tile_taken_away_is_gone() -> None:
    """What no longer lies there is told no more, and its track is never given again."""
    played = Played()
    before = played.still(TABLE)
    without = played.still(TABLE[1:])
    assert len(without.tiles) == len(TABLE) - 1
    gone = told(before).keys() - told(without).keys()
    again = played.still(TABLE)
    assert gone.isdisjoint(told(again))
    assert len(told(again)) == len(TABLE)


def test_a_meld_that_is_moved_keeps_its_tracks() -> None:
    """Four tiles that lie elsewhere now are the four that lay here."""
    played = Played()
    before = played.still(TABLE)
    moved = [*((x + 320, y + 150, label) for x, y, label in RUN), *GROUP, *OTHER]
    after = played.still(moved)
    assert told(after) == told(before)
    assert places(after) != places(before)


def test_a_tile_swapped_for_another_gets_a_new_track() -> None:
    """The place alone does not make it the same tile."""
    played = Played()
    before = played.still(TABLE)
    swapped = [*RUN[:3], (*RUN[3][:2], "black-8"), *GROUP, *OTHER]
    after = played.still(swapped)
    assert told(after).keys() - told(before).keys()
    assert sorted(told(after).values()) == sorted(label for *_, label in swapped)


@pytest.mark.parametrize(("right", "down", "turn"), [(16, -10, 0.0), (60, 35, 3.0), (-130, 40, 0.0)])
def test_a_bump_moves_every_tile_and_none_is_new(right: float, down: float, turn: float) -> None:
    """The camera goes a little or far: the same tracks lie in other places."""
    played = Played()
    before = played.still(TABLE)
    image = shifted(picture(TABLE), right, down, turn)
    there = shifted_quads(played.truth.quads_px, right, down, turn)
    played.truth.quads_px = there
    for _ in range(4):
        after = played.frame(image)
    assert told(after) == told(before)
    quads_px = np.array([tile.sighting.quad_px for tile in after.tiles])
    apart = np.linalg.norm(centres_px(quads_px)[:, None] - centres_px(there)[None], axis=2).min(axis=1)
    assert apart.max() < 2


def shifted_quads(quads_px: np.ndarray, right: float, down: float, turn: float) -> np.ndarray:
    """Where the camera sees quads after the bump of `shifted`."""
    view = cv2.getRotationMatrix2D((WH[0] / 2, WH[1] / 2), turn, 1.0)
    return quads_px @ view[:, :2].T + view[:, 2] + (right, down)


def test_a_tile_that_was_seen_is_not_asked_about_for_glare() -> None:
    """What the classifier makes of what is left of it does not count, until it is seen again."""
    played = Played()
    before = played.still(TABLE, frames=12)
    x, y, _ = RUN[3]
    glaring = picture(TABLE)
    cv2.circle(glaring, (x + 6, y - 10), 6, (255, 255, 255), -1)
    misread = [*RUN[:3], (x, y, "joker"), *GROUP, *OTHER]
    during = played.still(misread, glaring)
    assert told(during) == told(before)
    assert not any(tile.doubtful for tile in during.tiles)
    assert [tile.sighting.hidden for tile in during.tiles].count(True) == 1
    after = played.still(TABLE)
    assert told(after) == told(before)
    assert not any(tile.sighting.hidden for tile in after.tiles)


def test_a_tile_laid_into_glare_is_read_as_it_is_seen() -> None:
    """No look has shown it since it was laid: another print shows than that of the tile before."""
    played = Played()
    before = played.still(TABLE, frames=12)
    x, y, _ = RUN[3]
    swapped = [*RUN[:3], (x, y, "black-1"), *GROUP, *OTHER]
    glaring = picture(swapped)
    cv2.circle(glaring, (x + 6, y - 10), 6, (255, 255, 255), -1)
    after = played.still(swapped, glaring)
    assert sorted(told(after).values()) == sorted(label for *_, label in swapped)
    assert told(after).keys() - told(before).keys()


def test_tiles_in_a_hand_that_pauses_are_the_same_when_they_are_laid() -> None:
    """A player holds two tiles over the table and thinks: they are off it, and on it again with their tracks."""
    played = Played()
    before = played.still(TABLE)
    lifted = TABLE[2:]
    paused = played.still(lifted, with_arm(picture(lifted), (560, 440)))
    assert played.reader.rest.state is State.HIDDEN
    assert len(paused.tiles) == len(lifted)
    laid = [*lifted, (700, 400, "red-3"), (725, 400, "red-4")]
    assert told(played.still(laid)) == told(before)


def test_a_persons_word_stays_with_its_tile_and_goes_with_it() -> None:
    """It holds through a move and through everything the networks say, and not for the next tile in that place."""
    played = Played()
    before = played.still(TABLE)
    track = places(before)[RUN[0][:2]]
    corrected = played.reader.correct(track, "red-8")
    tile = next(tile for tile in corrected.tiles if tile.sighting.track == track)
    assert (tile.label, tile.doubtful, tile.sighting.locked_by_person) == ("red-8", False, True)
    moved = [(430, 420, "red-3"), *RUN[1:], *GROUP, *OTHER]
    after = played.still(moved)
    assert told(after)[track] == "red-8"
    assert places(after)[430, 420] == track
    replaced = played.still([(430, 420, "black-12"), *moved[1:]])
    assert track not in told(replaced)
    assert not any(tile.sighting.locked_by_person for tile in replaced.tiles)


def test_what_a_person_said_stays_with_its_tile_where_the_camera_comes_back_elsewhere() -> None:
    """Of tiles that look alike, whichever is nearer: they lie in the same pattern."""
    played = Played(sure=0.9)
    tiles = [*row(80, 100, "red-7", "red-8", "red-9", "red-7"), *row(80, 200, "blue-1", "blue-2", "red-7", "blue-4")]
    before = places(played.still(tiles))
    played.reader.correct(before[155, 100], "orange-7")
    pushed = [(x + 330, y + 160, label) for x, y, label in tiles]
    played.reader.look_again()
    after = played.still(pushed)
    assert {(x - 330, y - 160): track for (x, y), track in places(after).items()} == before
    assert told(after)[before[155, 100]] == "orange-7"


def test_what_a_person_calls_no_tile_lies_in_no_row() -> None:
    """It keeps its place in the list, and stays off the table for as long as the same thing lies there."""
    played = Played()
    track = places(played.still(TABLE))[RUN[0][:2]]
    for reading in (played.reader.correct(track, "no-tile"), played.still([*TABLE, (700, 400, "joker")])):
        (index,) = (at for at, tile in enumerate(reading.tiles) if tile.sighting.track == track)
        assert (reading.tiles[index].label, reading.tiles[index].doubtful) == ("no-tile", False)
        assert index not in {at for row in reading.rows for at in row}
        assert sorted({at for row in reading.rows for at in row} | {index}) == list(range(len(reading.tiles)))


def test_a_word_that_is_no_label_or_for_no_tile_is_refused() -> None:
    """Mistakes of the caller are told."""
    played = Played()
    played.still(TABLE)
    with pytest.raises(ValueError, match="red-14"):
        played.reader.correct(0, "red-14")
    with pytest.raises(KeyError):
        played.reader.correct(999, "red-1")
    with pytest.raises(ValueError, match="uint8"):
        played.reader.push(Shown(np.zeros((4, 4), np.uint8), 9.0))


def test_a_tile_in_doubt_is_looked_at_again_and_not_for_ever() -> None:
    """More frames are worth a few looks; then the doubt is for a person."""
    played = Played(sure=0.6)
    played.still(TABLE, frames=30)
    looks = sum(len(quads) for quads in played.truth.named)
    assert looks <= 2 * AUGMENTED_CROP_COUNT * MAX_CROPS_PER_TILE * len(TABLE)
    assert played.reader.reading is played.frame(picture(TABLE))
    assert sum(len(quads) for quads in played.truth.named) == looks


class Suspicious:
    """Says of what lies right of the middle how likely it is a tile, and is sure of all else."""

    def __init__(self, *chances: float) -> None:
        self.chances = list(chances)
        self.asked = 0

    def __call__(self, among: AmongTiles, at: np.ndarray) -> np.ndarray:
        right = centres_px(among.tiles.quads_px[at])[:, 0] > WH[0] / 2
        if right.any():
            self.asked += 1
        now = self.chances.pop(0) if right.any() and len(self.chances) > 1 else self.chances[0]
        return np.where(right, now, 1.0)


STRANGER = (700, 300, "black-1")


@pytest.mark.parametrize("away", [(14, -9), (330, 160)])
def test_a_tile_in_doubt_is_looked_at_again_where_the_camera_was_moved(away: tuple[int, int]) -> None:
    """It may be seen better from there: one that the edge cut may be whole."""
    played = Played(sure=0.6)
    tiles = [*row(80, 100, "red-7", "red-8", "red-9", "red-10"), *row(80, 200, "blue-1", "blue-2", "blue-3", "blue-4")]
    played.still(tiles, frames=30)
    assert played.reader.is_done
    if away[0] > 100:  # too far to be followed
        played.reader.look_again()
    moved = [(x + away[0], y + away[1], label) for x, y, label in tiles]
    image = shifted(picture(tiles), *away)
    assert [tile.sighting.track for tile in played.still(moved, image).tiles] == list(range(8))
    assert not played.reader.is_done
    played.still(moved, image, frames=30)
    assert played.reader.is_done


def test_what_may_be_no_tile_is_asked_about_until_a_person_says() -> None:
    """However sure its name is; a person's word ends the question, and the other tiles are told without one."""
    played = Played(sure=0.999, is_tile=Suspicious(0.5))
    reading = played.still([*RUN, *OTHER, STRANGER], frames=12)
    assert [tile.label for tile in reading.tiles if tile.doubtful] == ["black-1"]
    track = next(tile.sighting.track for tile in reading.tiles if tile.doubtful)
    assert not any(tile.doubtful for tile in played.reader.correct(track, "black-1").tiles)


def test_what_turns_out_a_tile_after_all_is_asked_about_no_more() -> None:
    """It is held against the others with every further look at it."""
    suspicious = Suspicious(0.5, 0.5, 0.9)
    played = Played(sure=0.999, is_tile=suspicious)
    first = played.still([*RUN, *OTHER, STRANGER], frames=2)
    assert [tile.doubtful for tile in first.tiles if tile.label == "black-1"] == [True]
    later = played.still([*RUN, *OTHER, STRANGER], frames=12)
    assert not any(tile.doubtful for tile in later.tiles)
    assert suspicious.asked == 3


def test_a_set_with_one_of_each_tile_has_no_two_of_them() -> None:
    """Two red 3s are fine until it is said that the set has each tile once: then both are in doubt."""
    played = Played()
    reading = played.still([*TABLE, (700, 400, "red-3")])
    assert not any(tile.doubtful for tile in reading.tiles)
    played.reader.play_with(TileSet(("black", "blue", "yellow", "red"), copies=1))
    doubtful = [tile for tile in played.reader.reading.tiles if tile.doubtful]
    assert [tile.label for tile in doubtful] == ["red-3", "red-3"]
    played.reader.correct(doubtful[0].sighting.track, "yellow-3")
    assert not any(tile.doubtful for tile in played.reader.reading.tiles)


def test_what_is_wrong_with_the_picture_is_said_once_it_lies_still() -> None:
    """Glare that takes a place beside a tile is a trouble of the reading, and goes with it."""
    played = Played()
    assert played.still(TABLE, frames=12).troubles == ()
    glaring = picture(TABLE)
    cv2.rectangle(glaring, (300, 285), (345, 330), (255, 255, 255), -1)
    assert [trouble.kind for trouble in played.still(TABLE, glaring, frames=12).troubles] == ["glare"]
    assert played.still(TABLE, frames=12).troubles == ()


def test_what_is_in_the_way_of_a_table_seen_anew_is_said_at_once() -> None:
    """A verdict that people wait for is told of the very frame that settles, and of what lies over its melds."""
    played = Played()
    played.know(TABLE)
    glaring = picture(TABLE)
    cv2.rectangle(glaring, (300, 285), (345, 330), (255, 255, 255), -1)
    while not played.reader.rest.settled:
        reading = played.frame(glaring)
    assert [trouble.kind for trouble in reading.troubles] == ["glare"]


def test_rows_that_could_lie_otherwise_are_told_with_their_tiles() -> None:
    """A gap as wide as what parts two melds: the other way is in the reading, also after a tile was called none."""
    played = Played()
    wide = [*row(200, 120, "red-3", "red-4", "red-5"), *row(279, 120, "red-6", "red-7", "red-8")]
    thing = (100, 400, "joker")
    reading = played.still([thing, *wide, *OTHER])
    track = places(reading)[thing[:2]]
    for told_of in (reading, played.reader.correct(track, "no-tile")):
        (other,) = told_of.other_rows
        assert sorted(told_of.tiles[at].label for row in other.rows for at in row) == [f"red-{n}" for n in range(3, 9)]


def test_inks_are_told_again_after_the_picture_was_white_for_a_while() -> None:
    """As where a camera finds its exposure."""
    played = Played()
    before = played.still(tiles := row(200, 200, "red-7", "blue-7", "black-7"))
    played.reader.look_again()
    played.still([(30, 30, "no-tile")], np.full((WH[1], WH[0], 3), 255, np.uint8))
    again = played.still(tiles)
    assert [tile.label for tile in again.tiles] == [tile.label for tile in before.tiles]
    assert not any(tile.doubts for tile in again.tiles)


def test_another_table_begins_anew() -> None:
    """Nothing of what was before is left."""
    played = Played()
    played.still(TABLE)
    played.reader.forget()
    assert played.reader.reading.tiles == ()
    assert len(played.still(OTHER).tiles) == len(OTHER)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.permutations(range(len(TABLE))), st.permutations(range(len(TABLE))))
def test_the_order_in_which_tiles_are_found_never_matters(one: list[int], two: list[int]) -> None:
    """However the detector shuffles them, the same tracks lie in the same places, each track once."""
    played = Played()
    before = played.still([TABLE[at] for at in one], PICTURE)
    after = played.still([MOVED[at] for at in two], MOVED_PICTURE)
    assert len({tile.sighting.track for tile in after.tiles}) == len(after.tiles) == len(TABLE)
    assert told(before) == told(after)
    labels = {(x, y): label for x, y, label in MOVED}
    assert {place: told(after)[track] for place, track in places(after).items()} == labels


MOVED = [*((x + 320, y + 150, label) for x, y, label in RUN), *GROUP, *OTHER]
PICTURE, MOVED_PICTURE = picture(TABLE), picture(MOVED)


def test_large_frames_are_read_smaller_with_corners_in_their_own_pixels() -> None:
    """As photos are; a frame that shows nothing new has the very same reading."""
    played = Played()
    played.know(RUN)
    limits = ReaderLimits(working_px=WH[0] * WH[1] // 4)
    played.reader = FrameReader(Reader(played.truth, played.truth.classifier, Calibration(limits)), still_after_s=0.2)
    reading = played.still(RUN, frames=20)
    assert max(w * h for w, h in played.truth.looks) <= 1.01 * limits.working_px
    assert reading.image_wh == WH
    middles = [tile.sighting.quad_px.mean(axis=0) for tile in reading.tiles]
    assert np.array(middles) == pytest.approx(np.array([(x, y) for x, y, _ in RUN]), abs=1.0)
    assert played.frame(picture(RUN)) is reading


@pytest.mark.parametrize("larger", [1.5, 0.75])
def test_a_camera_that_changes_the_size_of_its_picture_shows_the_same_tiles(larger: float) -> None:
    """As a phone does that sends less while the network is slow; what a person said holds."""
    played, lying = Played(), [*RUN, *OTHER[:-1]]
    played.still(lying)
    before = told(played.reader.correct(1, "red-8"))
    for laid in (lying, [*RUN, *OTHER]):
        image = cv2.resize(picture(laid), None, fx=larger, fy=larger, interpolation=cv2.INTER_AREA)
        after = played.still(laid, image, frames=8)
        assert len(after.tiles) == len(laid)
        assert before.items() <= told(after).items()
        assert after.image_wh == image.shape[1::-1]
    middles = np.sort([tile.sighting.quad_px.mean(axis=0)[0] for tile in after.tiles])
    assert middles == pytest.approx(np.sort([larger * x for x, *_ in laid]), abs=1.0)

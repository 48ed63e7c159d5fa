"""Streams: changes are read again, every tile keeps its track, and corrections stay."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.truthful_networks import (
    WH,
    Frame,
    PlayedTable,
    labels_by_track,
    noisy,
    picture,
    places,
    row,
    shifted,
    with_arm,
)
from tilekeeper.vision.geometry.quads import centres_px
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.classifier import AUGMENTED_CROP_COUNT
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


def test_moving_table_has_an_empty_reading() -> None:
    played = PlayedTable()
    played.know(TABLE)
    assert played.frame(picture(TABLE)).tiles == ()
    assert played.truth.looks == []


def test_still_table_is_read_once_and_keeps_its_reading() -> None:
    """The detector runs once. After the last crop of every tile, `frame` returns the same object again."""
    played = PlayedTable()
    first = played.still(TABLE, frames=2)
    assert sorted(labels_by_track(first).values()) == sorted(label for *_, label in TABLE)
    assert [len(row) for row in first.rows] == [4, 3, 4]
    noises = [noisy(picture(TABLE), seed) for seed in range(2)]
    readings = [played.frame(noises[at % 2]) for at in range(10)]
    assert all(labels_by_track(reading) == labels_by_track(first) for reading in readings)
    assert not any(tile.doubtful for reading in readings for tile in reading.tiles)
    assert len(played.truth.looks) == 1
    assert readings[-1] is readings[-2]
    assert first.time_s is not None
    assert readings[-1].time_s is not None
    assert first.time_s < readings[-1].time_s <= played.time_s


def test_placed_tiles_get_new_tracks_and_the_rest_is_not_read_again() -> None:
    played = PlayedTable()
    before = played.still(TABLE, frames=12)
    played.truth.named.clear()
    more = row(600, 300, "black-1", "black-2", "black-3")
    after = played.still([*TABLE, *more], frames=2)
    assert labels_by_track(before).items() <= labels_by_track(after).items()
    assert sorted(
        labels_by_track(after)[track] for track in labels_by_track(after).keys() - labels_by_track(before).keys()
    ) == [
        "black-1",
        "black-2",
        "black-3",
    ]
    assert {len(quads) for quads in played.truth.named} == {3}


def test_taken_tile_leaves_the_reading() -> None:
    played = PlayedTable()
    before = played.still(TABLE)
    without = played.still(TABLE[1:])
    assert len(without.tiles) == len(TABLE) - 1
    removed = labels_by_track(before).keys() - labels_by_track(without).keys()
    reread = played.still(TABLE)
    assert removed.isdisjoint(labels_by_track(reread))
    assert len(labels_by_track(reread)) == len(TABLE)


def test_moved_meld_keeps_its_tracks() -> None:
    played = PlayedTable()
    before = played.still(TABLE)
    moved = [*((x + 320, y + 150, label) for x, y, label in RUN), *GROUP, *OTHER]
    after = played.still(moved)
    assert labels_by_track(after) == labels_by_track(before)
    assert places(after) != places(before)


def test_swapped_tile_gets_a_new_track() -> None:
    played = PlayedTable()
    before = played.still(TABLE)
    swapped = [*RUN[:3], (*RUN[3][:2], "black-8"), *GROUP, *OTHER]
    after = played.still(swapped)
    assert labels_by_track(after).keys() - labels_by_track(before).keys()
    assert sorted(labels_by_track(after).values()) == sorted(label for *_, label in swapped)


@pytest.mark.parametrize(("right", "down", "turn"), [(16, -10, 0.0), (60, 35, 3.0), (-130, 40, 0.0)])
def test_bump_moves_all_tiles_and_adds_no_track(right: float, down: float, turn: float) -> None:
    played = PlayedTable()
    before = played.still(TABLE)
    image = shifted(picture(TABLE), right, down, turn)
    bumped_px = shifted_quads(played.truth.quads_px, right, down, turn)
    played.truth.quads_px = bumped_px
    for _ in range(4):
        after = played.frame(image)
    assert labels_by_track(after) == labels_by_track(before)
    quads_px = np.array([tile.sighting.quad_px for tile in after.tiles])
    distances = np.linalg.norm(centres_px(quads_px)[:, None] - centres_px(bumped_px)[None], axis=2).min(axis=1)
    assert distances.max() < 2


def shifted_quads(quads_px: np.ndarray, right: float, down: float, turn: float) -> np.ndarray:
    """Return the quads after the bump of `shifted`."""
    view = cv2.getRotationMatrix2D((WH[0] / 2, WH[1] / 2), turn, 1.0)
    return quads_px @ view[:, :2].T + view[:, 2] + (right, down)


def test_glare_on_a_known_tile_adds_no_doubt() -> None:
    played = PlayedTable()
    before = played.still(TABLE, frames=12)
    x, y, _ = RUN[3]
    glaring = picture(TABLE)
    cv2.circle(glaring, (x + 6, y - 10), 6, (255, 255, 255), -1)
    misread = [*RUN[:3], (x, y, "joker"), *GROUP, *OTHER]
    during = played.still(misread, glaring)
    assert labels_by_track(during) == labels_by_track(before)
    assert not any(tile.doubtful for tile in during.tiles)
    assert [tile.sighting.hidden for tile in during.tiles].count(True) == 1
    after = played.still(TABLE)
    assert labels_by_track(after) == labels_by_track(before)
    assert not any(tile.sighting.hidden for tile in after.tiles)


def test_tile_placed_into_glare_is_read_as_visible() -> None:
    """Its print differs from that of the earlier tile."""
    played = PlayedTable()
    before = played.still(TABLE, frames=12)
    x, y, _ = RUN[3]
    swapped = [*RUN[:3], (x, y, "black-1"), *GROUP, *OTHER]
    glaring = picture(swapped)
    cv2.circle(glaring, (x + 6, y - 10), 6, (255, 255, 255), -1)
    after = played.still(swapped, glaring)
    assert sorted(labels_by_track(after).values()) == sorted(label for *_, label in swapped)
    assert labels_by_track(after).keys() - labels_by_track(before).keys()


def test_tiles_in_a_pausing_hand_keep_their_tracks_when_placed() -> None:
    played = PlayedTable()
    before = played.still(TABLE)
    lifted = TABLE[2:]
    paused = played.still(lifted, with_arm(picture(lifted), (560, 440)))
    assert played.reader.rest.state is State.HIDDEN
    assert len(paused.tiles) == len(lifted)
    tiles_now = [*lifted, (700, 400, "red-3"), (725, 400, "red-4")]
    assert labels_by_track(played.still(tiles_now)) == labels_by_track(before)


def test_correction_stays_with_its_tile_and_is_lost_with_it() -> None:
    played = PlayedTable()
    before = played.still(TABLE)
    track = places(before)[RUN[0][:2]]
    corrected = played.reader.correct(track, "red-8")
    tile = next(tile for tile in corrected.tiles if tile.sighting.track == track)
    assert (tile.label, tile.doubtful, tile.sighting.locked_by_person) == ("red-8", False, True)
    moved = [(430, 420, "red-3"), *RUN[1:], *GROUP, *OTHER]
    after = played.still(moved)
    assert labels_by_track(after)[track] == "red-8"
    assert places(after)[430, 420] == track
    replaced = played.still([(430, 420, "black-12"), *moved[1:]])
    assert track not in labels_by_track(replaced)
    assert not any(tile.sighting.locked_by_person for tile in replaced.tiles)


def test_correction_stays_with_its_tile_after_the_camera_was_moved() -> None:
    """Equal tiles are matched by the pattern of the table, not by distance."""
    played = PlayedTable(sure=0.9)
    tiles = [*row(80, 100, "red-7", "red-8", "red-9", "red-7"), *row(80, 200, "blue-1", "blue-2", "red-7", "blue-4")]
    before = places(played.still(tiles))
    played.reader.correct(before[155, 100], "orange-7")
    pushed = [(x + 330, y + 160, label) for x, y, label in tiles]
    played.reader.look_again()
    after = played.still(pushed)
    assert {(x - 330, y - 160): track for (x, y), track in places(after).items()} == before
    assert labels_by_track(after)[before[155, 100]] == "orange-7"


def test_tile_that_a_person_rejects_is_in_no_row() -> None:
    played = PlayedTable()
    track = places(played.still(TABLE))[RUN[0][:2]]
    for reading in (played.reader.correct(track, "no-tile"), played.still([*TABLE, (700, 400, "joker")])):
        (index,) = (at for at, tile in enumerate(reading.tiles) if tile.sighting.track == track)
        assert (reading.tiles[index].label, reading.tiles[index].doubtful) == ("no-tile", False)
        assert index not in {at for row in reading.rows for at in row}
        assert sorted({at for row in reading.rows for at in row} | {index}) == list(range(len(reading.tiles)))


def test_correction_with_unknown_label_or_track_is_refused() -> None:
    played = PlayedTable()
    played.still(TABLE)
    with pytest.raises(ValueError, match="red-14"):
        played.reader.correct(0, "red-14")
    with pytest.raises(KeyError):
        played.reader.correct(999, "red-1")
    with pytest.raises(ValueError, match="uint8"):
        played.reader.push(Frame(np.zeros((4, 4), np.uint8), 9.0))


def test_doubtful_tile_is_classified_again_a_limited_number_of_times() -> None:
    played = PlayedTable(sure=0.6)
    played.still(TABLE, frames=30)
    crop_count = sum(len(quads) for quads in played.truth.named)
    assert crop_count <= 2 * AUGMENTED_CROP_COUNT * MAX_CROPS_PER_TILE * len(TABLE)
    assert played.reader.reading is played.frame(picture(TABLE))
    assert sum(len(quads) for quads in played.truth.named) == crop_count


class Suspicious:
    """An `is_tile` that gives tiles in the right half these probabilities in turn, and all others 1."""

    def __init__(self, *chances: float) -> None:
        self.chances = list(chances)
        self.call_count = 0

    def __call__(self, among: AmongTiles, at: np.ndarray) -> np.ndarray:
        right = centres_px(among.tiles.quads_px[at])[:, 0] > WH[0] / 2
        if right.any():
            self.call_count += 1
        now = self.chances.pop(0) if right.any() and len(self.chances) > 1 else self.chances[0]
        return np.where(right, now, 1.0)


STRANGER = (700, 300, "black-1")


@pytest.mark.parametrize("away", [(14, -9), (330, 160)])
def test_doubtful_tile_is_classified_again_after_the_camera_was_moved(away: tuple[int, int]) -> None:
    """A tile that was cut by the edge may be whole now."""
    played = PlayedTable(sure=0.6)
    tiles = [*row(80, 100, "red-7", "red-8", "red-9", "red-10"), *row(80, 200, "blue-1", "blue-2", "blue-3", "blue-4")]
    played.still(tiles, frames=30)
    assert played.reader.is_done
    if away[0] > 100:  # too far for the registration
        played.reader.look_again()
    moved = [(x + away[0], y + away[1], label) for x, y, label in tiles]
    image = shifted(picture(tiles), *away)
    assert [tile.sighting.track for tile in played.still(moved, image).tiles] == list(range(8))
    assert not played.reader.is_done
    played.still(moved, image, frames=30)
    assert played.reader.is_done


def test_suspect_stays_flagged_until_a_person_answers() -> None:
    played = PlayedTable(sure=0.999, is_tile=Suspicious(0.5))
    reading = played.still([*RUN, *OTHER, STRANGER], frames=12)
    assert [tile.label for tile in reading.tiles if tile.doubtful] == ["black-1"]
    track = next(tile.sighting.track for tile in reading.tiles if tile.doubtful)
    assert not any(tile.doubtful for tile in played.reader.correct(track, "black-1").tiles)


def test_suspect_that_turns_out_to_be_a_tile_is_no_longer_flagged() -> None:
    suspicious = Suspicious(0.5, 0.5, 0.9)
    played = PlayedTable(sure=0.999, is_tile=suspicious)
    first = played.still([*RUN, *OTHER, STRANGER], frames=2)
    assert [tile.doubtful for tile in first.tiles if tile.label == "black-1"] == [True]
    later = played.still([*RUN, *OTHER, STRANGER], frames=12)
    assert not any(tile.doubtful for tile in later.tiles)
    assert suspicious.call_count == 3


def test_two_equal_tiles_of_a_set_with_one_of_each_are_flagged() -> None:
    played = PlayedTable()
    reading = played.still([*TABLE, (700, 400, "red-3")])
    assert not any(tile.doubtful for tile in reading.tiles)
    played.reader.play_with(TileSet(("black", "blue", "yellow", "red"), copies=1))
    doubtful = [tile for tile in played.reader.reading.tiles if tile.doubtful]
    assert [tile.label for tile in doubtful] == ["red-3", "red-3"]
    played.reader.correct(doubtful[0].sighting.track, "yellow-3")
    assert not any(tile.doubtful for tile in played.reader.reading.tiles)


def test_settled_table_gets_its_troubles_after_its_reading() -> None:
    played = PlayedTable()
    assert played.still(TABLE, frames=12).troubles == ()
    glaring = picture(TABLE)
    cv2.rectangle(glaring, (300, 285), (345, 330), (255, 255, 255), -1)
    assert [trouble.kind for trouble in played.still(TABLE, glaring, frames=12).troubles] == ["glare"]
    assert played.still(TABLE, frames=12).troubles == ()


def test_table_read_again_as_a_whole_gets_its_troubles_at_once() -> None:
    played = PlayedTable()
    played.know(TABLE)
    glaring = picture(TABLE)
    cv2.rectangle(glaring, (300, 285), (345, 330), (255, 255, 255), -1)
    while not played.reader.rest.settled:
        reading = played.frame(glaring)
    assert [trouble.kind for trouble in reading.troubles] == ["glare"]


def test_rows_with_another_likely_grouping_are_reported_with_their_tiles() -> None:
    """One gap could be a gap between two melds. The alternative stays after a person rejects a tile."""
    played = PlayedTable()
    wide = [*row(200, 120, "red-3", "red-4", "red-5"), *row(280, 120, "red-6", "red-7", "red-8")]
    thing = (100, 400, "joker")
    reading = played.still([thing, *wide, *OTHER])
    track = places(reading)[thing[:2]]
    for reading_now in (reading, played.reader.correct(track, "no-tile")):
        (other,) = reading_now.other_rows
        assert sorted(reading_now.tiles[at].label for row in other.rows for at in row) == [
            f"red-{n}" for n in range(3, 9)
        ]


def test_inks_are_read_again_after_the_image_was_white() -> None:
    played = PlayedTable()
    before = played.still(tiles := row(200, 200, "red-7", "blue-7", "black-7"))
    played.reader.look_again()
    played.still([(30, 30, "no-tile")], np.full((WH[1], WH[0], 3), 255, np.uint8))
    reread = played.still(tiles)
    assert [tile.label for tile in reread.tiles] == [tile.label for tile in before.tiles]
    assert not any(tile.doubts for tile in reread.tiles)


def test_forgotten_table_starts_with_an_empty_reading() -> None:
    played = PlayedTable()
    played.still(TABLE)
    played.reader.forget()
    assert played.reader.reading.tiles == ()
    assert len(played.still(OTHER).tiles) == len(OTHER)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.permutations(range(len(TABLE))), st.permutations(range(len(TABLE))))
def test_order_of_detections_does_not_change_the_reading(order_before: list[int], order_after: list[int]) -> None:
    played = PlayedTable()
    before = played.still([TABLE[at] for at in order_before], PICTURE)
    after = played.still([MOVED[at] for at in order_after], MOVED_PICTURE)
    assert len({tile.sighting.track for tile in after.tiles}) == len(after.tiles) == len(TABLE)
    assert labels_by_track(before) == labels_by_track(after)
    labels = {(x, y): label for x, y, label in MOVED}
    assert {place: labels_by_track(after)[track] for place, track in places(after).items()} == labels


MOVED = [*((x + 320, y + 150, label) for x, y, label in RUN), *GROUP, *OTHER]
PICTURE, MOVED_PICTURE = picture(TABLE), picture(MOVED)


def test_large_frame_is_read_smaller_with_corners_in_its_own_pixels() -> None:
    played = PlayedTable()
    played.know(RUN)
    limits = ReaderLimits(working_px=WH[0] * WH[1] // 4)
    played.reader = FrameReader(Reader(played.truth, played.truth.classifier, Calibration(limits)), still_after_s=0.2)
    reading = played.still(RUN, frames=20)
    assert max(w * h for w, h in played.truth.looks) <= 1.01 * limits.working_px
    assert reading.image_wh == WH
    centres = [tile.sighting.quad_px.mean(axis=0) for tile in reading.tiles]
    assert np.array(centres) == pytest.approx(np.array([(x, y) for x, y, _ in RUN]), abs=1.0)
    assert played.frame(picture(RUN)) is reading


@pytest.mark.parametrize("larger", [1.5, 0.75])
def test_camera_that_changes_its_image_size_keeps_the_tracks(larger: float) -> None:
    """A phone sends smaller images while the network is slow; a correction stays."""
    played, tiles = PlayedTable(), [*RUN, *OTHER[:-1]]
    played.still(tiles)
    before = labels_by_track(played.reader.correct(1, "red-8"))
    for tiles_now in (tiles, [*RUN, *OTHER]):
        image = cv2.resize(picture(tiles_now), None, fx=larger, fy=larger, interpolation=cv2.INTER_AREA)
        after = played.still(tiles_now, image, frames=8)
        assert len(after.tiles) == len(tiles_now)
        assert before.items() <= labels_by_track(after).items()
        assert after.image_wh == image.shape[1::-1]
    centres = np.sort([tile.sighting.quad_px.mean(axis=0)[0] for tile in after.tiles])
    assert centres == pytest.approx(np.sort([larger * x for x, *_ in tiles_now]), abs=1.0)

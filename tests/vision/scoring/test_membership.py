"""Comparing new tiles with those around them: which are dropped, which are flagged, and which are not compared."""

import numpy as np
import pytest

from tests.support.tile_tables import summary, table_of, tile_row
from tests.vision.scoring.test_membership_comparison import constant_chance
from tests.vision.scoring.test_tileness_rims import IVORY, quad, table
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.decision import check_membership
from tilekeeper.vision.scoring.tileness import IsTile
from tilekeeper.vision.tile_table import SetMembership, TileTable
from tilekeeper.vision.types import JOINT_NOT_A_TILE, DoubtReason, labels_of

UNLIKE = ((DoubtReason.UNLIKE_THE_OTHERS, JOINT_NOT_A_TILE),)


def red_sevens(rows: list[TileTable], *new: int) -> TileTable:
    """Return tiles that the classifier takes for red 7s; all but the new ones were compared before."""
    tiles = table_of(rows)
    tiles.joint_number_log_probs[:] = np.log(np.eye(15)[6] * 0.9 + 0.1 / 15)
    tiles.joint_ink_log_probs[:] = np.log([0.01, 0.01, 0.01, 0.97])
    tiles.membership[~np.isin(tiles.track, new)] = SetMembership.MEMBER
    return tiles


def four_tiles_and(last: TileTable, *new: int) -> tuple[np.ndarray, TileTable]:
    """Return an image of four certain tiles, tracks 0 to 3, beside a page, and their table with one row more."""
    image, quads, _ = table()
    return image, red_sevens([*(tile_row("blue-3", corners, 0.9999, False) for corners in quads[:-1]), last], *new)


def checked(image: np.ndarray, tiles: TileTable, is_tile: IsTile) -> tuple[TileTable, TileTable]:
    """Return the remaining tiles and the whole table after the comparison."""
    after = tiles.copy()
    return after.at(check_membership(Scene(image), after, np.arange(len(tiles)), is_tile)), after


@pytest.mark.parametrize(
    ("confidence", "is_doubtful", "chance", "membership"),
    [
        (0.6, True, 0.1, SetMembership.FOREIGN),
        (0.6, True, 0.5, SetMembership.SUSPECT),  # the question stays once the label is confident
        (0.6, True, 0.9, SetMembership.MEMBER),
        (0.98, False, 0.1, SetMembership.SUSPECT),
        (0.98, False, 0.5, SetMembership.SUSPECT),
        (0.98, False, 0.9, SetMembership.MEMBER),
    ],
)
def test_new_tile_unlike_the_others_is_dropped_or_flagged(
    confidence: float, is_doubtful: bool, chance: float, membership: SetMembership
) -> None:
    """An unlikely tile is dropped if its label is doubtful and flagged if not. Known tiles are not compared."""
    image, tiles = four_tiles_and(tile_row("red-7", quad(480, 100), confidence, is_doubtful), 4)
    remaining, after = checked(image, tiles, constant_chance(chance))
    assert after.membership.tolist() == [SetMembership.MEMBER] * 4 + [membership]
    assert len(remaining) == 4 + (membership is not SetMembership.FOREIGN)
    if membership is SetMembership.SUSPECT:
        assert after.membership_doubts[-1] == UNLIKE
        assert remaining.doubts[-1] == tiles.doubts[-1] + UNLIKE
        assert remaining.confidence[-1] == pytest.approx(confidence * after.tile_prob[-1])
    tiles.membership[:] = SetMembership.MEMBER
    remaining, after = checked(image, tiles, constant_chance(chance))
    assert summary(remaining) == summary(tiles)
    assert set(after.membership.tolist()) == {SetMembership.MEMBER}


def test_suspect_tile_stays_flagged_in_every_reading() -> None:
    """Its confidence is that of its label times its probability to be a tile at all."""
    image, tiles = four_tiles_and(tile_row("red-7", quad(480, 100), 0.98, False))
    tiles.membership[4], tiles.membership_doubts[4], tiles.tile_prob[4] = SetMembership.SUSPECT, UNLIKE, 0.5
    remaining, after = checked(image, tiles, constant_chance(0.9))
    assert (remaining.doubts[-1], remaining.confidence[-1]) == (UNLIKE, 0.49)
    assert after.membership[4] == SetMembership.SUSPECT


@pytest.mark.parametrize("is_doubtful", [True, False])
def test_tile_that_the_detector_missed_stays_flagged_whatever_its_label(is_doubtful: bool) -> None:
    """Only the classifier supports it; a second crop is no new evidence."""
    image, tiles = four_tiles_and(tile_row("red-7", quad(480, 100), 0.98, is_doubtful, score=0.0), 4)
    remaining, after = checked(image, tiles, constant_chance(0.9))
    assert remaining.is_doubtful[-1]
    after.doubts[4] = ()
    remaining, after = checked(image, after, constant_chance(0.9))
    assert [reason for reason, _ in remaining.doubts[-1]] == [DoubtReason.HARDLY_FOUND]
    assert after.membership[4] == SetMembership.SUSPECT


@pytest.mark.parametrize("aside", ["person", "covered"])
def test_tile_that_is_covered_or_labelled_by_a_person_is_not_compared(aside: str) -> None:
    """Even a far too large tile is not compared."""
    image, tiles = four_tiles_and(tile_row("red-7", quad(440, 40, 90), 1.0, False), 4)
    tiles.covered[4] = aside == "covered"
    if aside == "person":
        tiles.person_label[4] = labels_of().index("red-7")
    remaining, after = checked(image, tiles, constant_chance(0.0))
    assert summary(remaining) == summary(tiles)
    assert after.membership[4] == SetMembership.MEMBER


def test_only_tile_on_the_table_stays_and_is_flagged() -> None:
    """It can only be compared with itself."""
    image = np.full((300, 640, 3), (60, 80, 120), np.uint8)
    image[100:156, 20:60] = IVORY
    remaining, after = checked(
        image, red_sevens([tile_row("red-7", quad(20, 100), 0.995, False)], 0), constant_chance(0.1)
    )
    assert remaining.is_doubtful.tolist() == [True]
    assert after.membership.tolist() == [SetMembership.SUSPECT]

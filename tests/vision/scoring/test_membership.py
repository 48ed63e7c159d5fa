"""Of tiles that were not compared yet, which are left out, which are in doubt for it; and which have no part in it."""

import numpy as np
import pytest

from tests.support.told_tiles import summary, table_of, told
from tests.vision.scoring.test_of_one_set import saying
from tests.vision.scoring.test_rim_features import IVORY, quad, table
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.scoring.candidates import Candidates, Standing
from tilekeeper.vision.scoring.membership import PALE_PLACE_SCORE, of_the_set
from tilekeeper.vision.scoring.tiles import Tiles
from tilekeeper.vision.types import JOINT_NOT_A_TILE, DoubtReason


def named(some: list[Tiles]) -> Tiles:
    """Tiles that the classifier takes for red 7s."""
    tiles = table_of(some)
    tiles.number_log_probs[:] = np.log(np.eye(15)[6] * 0.9 + 0.1 / 15)
    tiles.ink_log_probs[:] = np.log([0.01, 0.01, 0.01, 0.97])
    return tiles


def candidates(tiles: Tiles, *new: int) -> Candidates:
    """The tiles' candidates; all but the new ones were compared before."""
    count = len(tiles)
    looks = Appearances(
        tiles.number_log_probs,
        tiles.ink_log_probs,
        np.full(count, -5.0),
        tiles.quads_px,
        np.ones((count, 3)),
        np.zeros((count, 0)),
    )
    made = Candidates.seen(looks, np.full(count, 0.9))
    made.standing[~np.isin(made.track, new)] = Standing.MEMBER
    return made


def around(*last: Tiles) -> tuple[np.ndarray, Tiles]:
    """Four sure tiles, tracks 0 to 3, a page beside them, and what else is to lie there."""
    image, quads, _ = table()
    return image, named([*(told("blue-3", one, 0.9999, False) for one in quads[:-1]), *last])


@pytest.mark.parametrize(
    ("confidence", "doubtful", "chance", "standing"),
    [
        (0.6, True, 0.1, Standing.FOREIGN),
        (0.6, True, 0.5, Standing.SUSPECT),  # in doubt for its name, and for this when that is sure
        (0.6, True, 0.9, Standing.MEMBER),
        (0.98, False, 0.1, Standing.SUSPECT),
        (0.98, False, 0.5, Standing.SUSPECT),
        (0.98, False, 0.9, Standing.MEMBER),
    ],
)
def test_what_is_new_is_compared_with_the_others(
    confidence: float, doubtful: bool, chance: float, standing: Standing
) -> None:
    """What is hardly a tile goes if it is in doubt, and is put in doubt if it is not; what is known is not compared."""
    image, every = around(told("red-7", quad(480, 100), confidence, doubtful))
    left, after = of_the_set(image, every, candidates(every, 4), saying(chance))
    assert after.standing.tolist() == [Standing.MEMBER] * 4 + [standing]
    assert len(left) == 4 + (standing is not Standing.FOREIGN)
    if standing is Standing.SUSPECT:
        assert left.doubts[-1] == every.doubts[-1] + after.doubts[-1]
        assert after.doubts[-1] == ((DoubtReason.UNLIKE_THE_OTHERS, JOINT_NOT_A_TILE),)
        assert left.confidence[-1] == pytest.approx(confidence * after.tile_chance[-1])
    left, after = of_the_set(image, every, candidates(every), saying(chance))
    assert summary(left) == summary(every)
    assert set(after.standing.tolist()) == {Standing.MEMBER}


def test_what_was_suspect_stays_in_doubt() -> None:
    """Its confidence is that of its name times its chance to be a tile at all, with every reading."""
    image, every = around(told("red-7", quad(480, 100), 0.98, False))
    known = candidates(every)
    known.standing[4], known.doubts[4], known.tile_chance[4] = (
        Standing.SUSPECT,
        ((DoubtReason.UNLIKE_THE_OTHERS, 53),),
        0.5,
    )
    left, after = of_the_set(image, every, known, saying(0.9))
    assert (left.doubts[-1], left.confidence[-1]) == (known.doubts[4], 0.49)
    assert after.standing[4] == Standing.SUSPECT


@pytest.mark.parametrize("doubtful", [True, False])
def test_what_the_detector_never_found_is_asked_about_whatever_becomes_of_its_name(doubtful: bool) -> None:
    """Of what lies alone on a pale table nothing but the classifier speaks, and a second look says the same."""
    image, every = around(told("red-7", quad(480, 100), 0.98, doubtful, score=PALE_PLACE_SCORE))
    left, after = of_the_set(image, every, candidates(every, 4), saying(0.9))
    assert left.doubtful[-1]
    every.doubts[4] = ()
    left, after = of_the_set(image, every, after, saying(0.9))
    assert [reason for reason, _ in left.doubts[-1]] == [DoubtReason.HARDLY_FOUND]
    assert after.standing[4] == Standing.SUSPECT


@pytest.mark.parametrize("aside", ["by_person", "hidden"])
def test_what_a_person_named_and_what_is_covered_is_not_compared(aside: str) -> None:
    """Not even what is far too large."""
    image, every = around(told("red-7", quad(440, 40, 90), 1.0, False))
    getattr(every, aside)[4] = True
    left, after = of_the_set(image, every, candidates(every, 4), saying(0.0))
    assert summary(left) == summary(every)
    assert after.standing[4] == Standing.MEMBER


def test_alone_a_tile_stays_and_is_asked_about() -> None:
    """There is nothing else to compare it with than itself."""
    image = np.full((300, 640, 3), (60, 80, 120), np.uint8)
    image[100:156, 20:60] = IVORY
    every = named([told("red-7", quad(20, 100), 0.995, False)])
    left, after = of_the_set(image, every, candidates(every, 0), saying(0.1))
    assert left.doubtful.tolist() == [True]
    assert after.standing.tolist() == [Standing.SUSPECT]

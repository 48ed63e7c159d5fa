"""Of tiles that were not compared yet, which are left out, which are in doubt for it; and which have no part in it."""

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.scoring.test_of_one_set import saying, told
from tests.vision.scoring.test_rim_features import IVORY, quad, table
from tilekeeper.vision.scoring.candidates import Candidate, Standing
from tilekeeper.vision.scoring.evidence import Evidence
from tilekeeper.vision.scoring.membership import judged, of_the_set
from tilekeeper.vision.types import Doubt, DoubtReason, ReadTile, TileNames

RED_7 = TileNames(np.log(np.eye(15)[6] * 0.9 + 0.1 / 15), np.log([0.01, 0.01, 0.01, 0.97]))


def tracked(tile: ReadTile, track: int, by_person: bool = False, hidden: bool = False) -> ReadTile:
    sighting = replace(tile.sighting, track=track, locked_by_person=by_person, hidden=hidden, names=RED_7)
    return replace(tile, sighting=sighting)


def candidates(tiles: list[ReadTile], *new: int) -> dict[int, Candidate]:
    """The tiles' candidates; all but the new ones were compared before."""
    looks = Evidence(RED_7.number_log_probs, RED_7.ink_log_probs, -5.0, np.ones(3), np.zeros(0), 0.9)
    made = [Candidate(tile.sighting.track, tile.sighting.quad_px, looks) for tile in tiles]
    return {
        one.track: one if one.track in new else replace(one, standing=Standing.MEMBER, tile_chance=1.0) for one in made
    }


def around() -> tuple[np.ndarray, list[ReadTile]]:
    """Four sure tiles, tracks 0 to 3, and a page beside them."""
    image, quads, _ = table()
    return image, [tracked(told("blue-3", one, 0.9999, False), at) for at, one in enumerate(quads[:-1])]


@pytest.mark.parametrize(
    ("confidence", "doubtful", "chance", "standing"),
    [
        (0.6, True, 0.1, Standing.FOREIGN),
        (0.6, True, 0.5, Standing.MEMBER),  # in doubt already
        (0.98, False, 0.1, Standing.SUSPECT),
        (0.98, False, 0.5, Standing.SUSPECT),
        (0.98, False, 0.9, Standing.MEMBER),
    ],
)
def test_what_is_new_is_compared_with_the_others(
    confidence: float, doubtful: bool, chance: float, standing: Standing
) -> None:
    """What is hardly a tile goes if it is in doubt, and is put in doubt if it is not; what is known is not compared."""
    image, tiles = around()
    every = [*tiles, tracked(told("red-7", quad(480, 100), confidence, doubtful), 7)]
    known = candidates(every, 7)
    left, comparisons = of_the_set(image, every, known, saying(chance))
    after = judged(known[7], *comparisons[7])
    assert after.standing is standing
    assert len(left) == 4 + (standing is not Standing.FOREIGN)
    if standing is Standing.SUSPECT:
        assert [doubt.reason for doubt in left[-1].doubts] == [DoubtReason.UNLIKE_THE_OTHERS]
        assert after.doubts == left[-1].doubts
        assert left[-1].confidence == pytest.approx(confidence * after.tile_chance)
    assert of_the_set(image, every, candidates(every), saying(chance)) == (every, {})


def test_what_was_suspect_stays_in_doubt() -> None:
    """Its confidence is that of its name times its chance to be a tile at all, with every reading."""
    image, tiles = around()
    every = [*tiles, tracked(told("red-7", quad(480, 100), 0.98, False), 7)]
    known = candidates(every)
    doubt = Doubt(DoubtReason.UNLIKE_THE_OTHERS, "no-tile")
    known[7] = replace(known[7], standing=Standing.SUSPECT, doubts=(doubt,), tile_chance=0.5)
    left, comparisons = of_the_set(image, every, known, saying(0.9))
    assert (left[-1].doubts, left[-1].confidence, comparisons) == ((doubt,), 0.49, {})


@pytest.mark.parametrize("aside", ["by_person", "hidden"])
def test_what_a_person_named_and_what_is_covered_is_not_compared(aside: str) -> None:
    """Not even what is far too large."""
    image, tiles = around()
    every = [*tiles, tracked(told("red-7", quad(440, 40, 90), 1.0, False), 7, **{aside: True})]
    known = candidates(every, 7)
    left, comparisons = of_the_set(image, every, known, saying(0.0))
    assert left == every
    assert judged(known[7], *comparisons[7]).standing is Standing.MEMBER


def test_alone_a_tile_stays_and_is_asked_about() -> None:
    """There is nothing else to compare it with than itself."""
    image = np.full((300, 640, 3), (60, 80, 120), np.uint8)
    image[100:156, 20:60] = IVORY
    every = [tracked(told("red-7", quad(20, 100), 0.995, False), 20)]
    known = candidates(every, 20)
    left, comparisons = of_the_set(image, every, known, saying(0.1))
    assert [tile.doubtful for tile in left] == [True]
    assert judged(known[20], *comparisons[20]).standing is Standing.SUSPECT

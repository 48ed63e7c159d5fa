"""A tile that lay there when the turn began and is found nowhere is asked about, where its place looks like a tile."""

import numpy as np
import pytest

from tests.support.known_tables import MarkedTables, quad_at, table_reading, without
from tilekeeper.companion.adjudication.uncertainty import weigh
from tilekeeper.companion.observation.missing_tiles import StillThere, said_of_unseen
from tilekeeper.companion.observation.observed_table import is_unseen, laid
from tilekeeper.companion.observation.start_table import known_now, lay_there
from tilekeeper.engine.judge.judge import TurnContext
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.vision.types import INKS

OPENED = TurnContext(rules=rule_set("large-numbers"), opened=True)
TABLE = "R3 R4 R5 R6 | K8 B8 O8"
LAID = f"{TABLE} | O1 O2 O3"


def picture(notation: str, ground: tuple[int, int, int] | None = None) -> np.ndarray:
    """The frame of a table, on a surface of some colour."""
    image = MarkedTables().picture(table_reading(notation))
    if ground is not None:
        image[(image == (60, 90, 40)).all(axis=2)] = ground
    return image


@pytest.mark.parametrize("place", [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1)])
def test_a_tile_that_shows_but_is_not_found_is_told_where_it_lay(place):
    """Between others, at an end, or in a group: the meld is whole again, and nobody is called illegal unasked."""
    before, reading = laid(table_reading(TABLE)), without(LAID, place)
    assert weigh(before, reading, OPENED).certain
    told = StillThere().applied(before, reading, picture(LAID), INKS)
    assert laid(told).table == laid(table_reading(LAID)).table
    assert is_unseen(told.tiles[-1])
    assert (told.tiles[-1].sighting.quad_px == quad_at(*place)).all()
    weighed = weigh(before, told, OPENED)
    assert weighed.unsure == (len(told.tiles) - 1,)
    assert not weighed.certain


@pytest.mark.parametrize("ground", [(60, 90, 40), (40, 60, 110), (90, 90, 90), (30, 30, 160)])
def test_a_tile_whose_place_shows_the_table_was_taken(ground):
    """Nobody is asked: it is seen that it is gone."""
    before, reading = laid(table_reading(TABLE)), without(LAID, (0, 3))
    after = picture("R3 R4 R5 | K8 B8 O8 | O1 O2 O3", ground)
    told = StillThere().applied(before, reading, after, INKS)
    assert told is reading
    assert [str(one.code) for one in weigh(before, told, OPENED).certain] == ["tile-taken"]


def test_on_a_cloth_as_light_as_tiles_people_are_asked():
    before, reading = laid(table_reading(TABLE)), without(LAID, (0, 3))
    after = picture("R3 R4 R5 | K8 B8 O8 | O1 O2 O3", (222, 238, 244))
    assert weigh(before, StillThere().applied(before, reading, after, INKS), OPENED).unsure == (len(reading.tiles),)


def test_what_was_moved_elsewhere_is_not_missed():
    """The red 6 lies in another meld now; another tile lies where it was."""
    before = laid(table_reading(TABLE))
    reading = table_reading("R3 R4 R5 | K8 B8 O8 | R6 B6 O6")
    assert StillThere().applied(before, reading, picture(LAID), INKS) is reading
    assert StillThere().applied(None, without(LAID, (0, 3)), picture(LAID), INKS).tiles[-1].label == "orange-3"


def test_a_person_ends_it_either_way_and_it_stays_said():
    before, reading, seen = laid(table_reading(TABLE)), without(LAID, (0, 1)), picture(LAID)
    for label, legal in (("red-4", True), ("no-tile", False)):
        still = StillThere()
        told = still.applied(before, reading, seen, INKS)
        still.say(told.tiles[-1], label)
        for one in (said_of_unseen(told, len(told.tiles) - 1, label), still.applied(before, reading, seen, INKS)):
            # it lay there when the turn began in any case: what was taken was taken
            assert known_now(before, one).table == before.table
            weighed = weigh(before, one, OPENED)
            assert (weighed.stands, weighed.verdict.legal) == (True, legal)
            assert (len(one.tiles) - 1 in lay_there(before, one)) is legal
        assert [tile.label for tile in one.tiles][-1] == label


def test_what_is_found_again_is_told_by_the_eye():
    before, seen, still = laid(table_reading(TABLE)), picture(LAID), StillThere()
    told = still.applied(before, without(LAID, (0, 1)), seen, INKS)
    still.say(told.tiles[-1], "no-tile")
    assert still.applied(before, table_reading(LAID), seen, INKS).tiles[-1].label == "orange-3"
    assert is_unseen(still.applied(before, without(LAID, (0, 1)), seen, INKS).tiles[-1])


def test_two_alike_of_which_one_is_missing():
    """The other red 5 is still there, and it is not taken for the one that is missed."""
    notation = "R3 R4 R5 R6 | K5 B5 R5"
    before, reading = laid(table_reading(notation)), without(f"{notation} | O1 O2 O3", (1, 2))
    told = StillThere().applied(before, reading, picture(f"{notation} | O1 O2 O3"), INKS)
    assert np.allclose(told.tiles[-1].sighting.quad_px, quad_at(1, 2))
    assert weigh(before, told, OPENED).unsure == (len(reading.tiles),)

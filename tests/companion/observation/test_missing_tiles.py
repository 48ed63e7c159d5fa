"""A tile that lay there when the turn began and is found nowhere is asked about, where its place looks like a tile."""

import numpy as np
import pytest

from tests.support.known_tables import MarkedTables, quad_at, table_reading, without
from tilekeeper.companion.adjudication.uncertainty import weigh
from tilekeeper.companion.observation.annotations import Annotations
from tilekeeper.companion.observation.missing_tiles import missing_places, with_missing_tiles
from tilekeeper.companion.observation.observed_table import ObservedTable, is_missing, observed_table
from tilekeeper.companion.observation.start_table import corrected_start, known_places
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.vision.types import INKS, TableReading

OPENED = TurnContext(rules=rule_set("large-numbers"), opened=True)
TABLE = "R3 R4 R5 R6 | K8 B8 O8"
LAID = f"{TABLE} | O1 O2 O3"


def frame(notation: str, ground: tuple[int, int, int] | None = None) -> np.ndarray:
    """The frame of a table, on a surface of some colour."""
    image = MarkedTables().picture(table_reading(notation))
    if ground is not None:
        image[(image == (60, 90, 40)).all(axis=2)] = ground
    return image


def completed(before: ObservedTable, reading: TableReading, image_bgr: np.ndarray) -> TableReading:
    """The reading with the tiles that are missing on it and may still lie there."""
    return with_missing_tiles(reading, before, missing_places(before, reading), image_bgr, INKS)


@pytest.mark.parametrize("place", [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1)])
def test_a_tile_that_shows_but_is_not_found_is_read_where_it_lay(place):
    """Between others, at an end, or in a group: the meld is whole again, and nobody is called illegal unasked."""
    before, reading = observed_table(table_reading(TABLE)), without(LAID, place)
    assert weigh(before, reading, OPENED).certain
    whole = completed(before, reading, frame(LAID))
    assert observed_table(whole).table == observed_table(table_reading(LAID)).table
    assert is_missing(whole.tiles[-1])
    assert (whole.tiles[-1].sighting.quad_px == quad_at(*place)).all()
    weighed = weigh(before, whole, OPENED)
    assert weighed.unsure == (len(whole.tiles) - 1,)
    assert not weighed.certain


@pytest.mark.parametrize("ground", [(60, 90, 40), (40, 60, 110), (90, 90, 90), (30, 30, 160)])
def test_a_tile_whose_place_shows_the_table_was_taken(ground):
    """Nobody is asked: it is seen that it is gone."""
    before, reading = observed_table(table_reading(TABLE)), without(LAID, (0, 3))
    after = frame("R3 R4 R5 | K8 B8 O8 | O1 O2 O3", ground)
    same = completed(before, reading, after)
    assert same is reading
    assert [str(one.code) for one in weigh(before, same, OPENED).certain] == ["tile-taken"]


def test_on_a_cloth_as_light_as_tiles_people_are_asked():
    before, reading = observed_table(table_reading(TABLE)), without(LAID, (0, 3))
    after = frame("R3 R4 R5 | K8 B8 O8 | O1 O2 O3", (222, 238, 244))
    assert weigh(before, completed(before, reading, after), OPENED).unsure == (len(reading.tiles),)


def test_what_was_moved_elsewhere_is_not_missed():
    """The red 6 lies in another meld now; another tile lies where it was."""
    before = observed_table(table_reading(TABLE))
    reading = table_reading("R3 R4 R5 | K8 B8 O8 | R6 B6 O6")
    assert completed(before, reading, frame(LAID)) is reading


def test_a_person_ends_it_either_way_and_it_stays_so():
    before, reading, seen = observed_table(table_reading(TABLE)), without(LAID, (0, 1)), frame(LAID)
    whole = completed(before, reading, seen)
    for label, legal in (("red-4", True), ("no-tile", False)):
        annotations = Annotations().with_label(whole.tiles[-1], label)
        later = annotations.updated_by(reading, INKS).only_missing(missing_places(before, reading))
        for one in (annotations.applied_to(whole), later.applied_to(whole)):
            # it lay there when the turn began in any case: what was taken was taken
            assert corrected_start(before, one).table == before.table
            weighed = weigh(before, one, OPENED)
            assert (weighed.stands, weighed.verdict.legal) == (True, legal)
            assert (len(one.tiles) - 1 in known_places(before, one)) is legal
            assert [tile.label for tile in one.tiles][-1] == label
    mended = later.with_label(one.tiles[-1], "red-4")
    assert mended.updated_by(reading, INKS).applied_to(whole).tiles[-1].label == "red-4"


def test_what_is_found_again_is_read_as_it_is():
    """And asked about once more where it is lost again."""
    before, seen, lost = observed_table(table_reading(TABLE)), frame(LAID), without(LAID, (0, 1))
    annotations = Annotations().with_label(completed(before, lost, seen).tiles[-1], "no-tile")
    found = table_reading(LAID)
    annotations = annotations.updated_by(found, INKS)
    assert annotations.applied_to(found) is found
    assert is_missing(annotations.applied_to(completed(before, lost, seen)).tiles[-1])


def test_two_alike_of_which_one_is_missing():
    """The other red 5 is still there, and it is not taken for the one that is missed."""
    notation = "R3 R4 R5 R6 | K5 B5 R5"
    before, reading = observed_table(table_reading(notation)), without(f"{notation} | O1 O2 O3", (1, 2))
    whole = completed(before, reading, frame(f"{notation} | O1 O2 O3"))
    assert np.allclose(whole.tiles[-1].sighting.quad_px, quad_at(1, 2))
    assert weigh(before, whole, OPENED).unsure == (len(reading.tiles),)

"""Annotations of people stay with the tiles by track, and "no tile" also by place."""

from dataclasses import replace

import pytest

from tests.support.known_tables import table_reading
from tilekeeper.companion.observation.annotations import Annotations
from tilekeeper.companion.observation.observed_table import observed_table
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.vision.types import INKS, AlternativeGrouping, TableReading


def as_track(reading: TableReading, index: int, track: int) -> TableReading:
    """Return the reading with another track for one tile."""
    tile = reading.tiles[index]
    other = replace(tile, sighting=replace(tile.sighting, track=track))
    return replace(reading, tiles=(*reading.tiles[:index], other, *reading.tiles[index + 1 :]))


def test_persons_label_stays_with_its_track():
    reading = table_reading("R3 R4 R8")
    annotations = Annotations().with_label(reading.tiles[2], "red-5")
    named = annotations.applied_to(reading)
    assert observed_table(named).table == parse_table("R3 R4 R5")
    assert named.tiles[2].sighting.locked_by_person
    assert observed_table(annotations.applied_to(as_track(reading, 2, 999_999))).table == parse_table("R3 R4 R8")
    relabelled = annotations.with_label(named.tiles[2], "red-6")
    assert observed_table(relabelled.applied_to(named)).table == parse_table("R3 R4 R6")


def test_persons_label_is_translated_to_the_inks_of_another_edition():
    reading = table_reading("O3 O4 O8")
    yellow = (*INKS[:2], "yellow", INKS[3])
    annotations = Annotations().with_label(reading.tiles[2], "orange-5").updated_by(reading, yellow)
    assert list(annotations.labels.values()) == ["yellow-5"]


@pytest.mark.parametrize(("doubts", "label"), [({(1, 0): "red-2"}, "no-tile"), ({}, "joker")])
def test_pattern_that_is_detected_again_is_no_tile_until_a_certain_tile_is_there(doubts, label):
    """It is detected with another track, at the same place."""
    reading = table_reading("R3 R4 R5 | J", doubts={(1, 0): "red-2"})
    annotations = Annotations().with_label(reading.tiles[3], "no-tile")
    assert annotations.applied_to(reading).tiles[3].label == "no-tile"
    moved = as_track(table_reading("R3 R4 R5 | J", doubts=doubts), 3, 999_999)
    annotations = annotations.updated_by(moved, INKS)
    assert annotations.applied_to(moved).tiles[3].label == label
    assert bool(annotations.empty_places) is (label == "no-tile")


def test_chosen_rows_end_when_another_tile_joins_them():
    one = replace(table_reading("K1 K2 K3 R9 B9 K9"), other_rows=(AlternativeGrouping(((0, 1, 2), (3, 4, 5)), 0.4),))
    annotations = Annotations().with_rows(one, one.other_rows[0], ((0, 1, 2), (3, 4, 5)))
    parted = annotations.updated_by(one, INKS).applied_to(one)
    assert (parted.rows, parted.other_rows) == (((0, 1, 2), (3, 4, 5)), ())
    for notation in ("K1 K2 K3 R9 B9 K9 O9", "K1 K2 K3 R9 B9"):  # one tile more, one tile fewer
        reading = table_reading(notation)
        assert annotations.applied_to(reading) is reading
        assert annotations.updated_by(reading, INKS) == Annotations()

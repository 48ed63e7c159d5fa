"""The table of a reading, and verdicts on doubtful readings."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.known_tables import PICTURE_WH, names_of, quad_at, table_reading
from tilekeeper.companion.adjudication.uncertainty import MOST_ALTERNATIVES, MOST_TABLES, weigh
from tilekeeper.companion.observation.observed_table import EMPTY_TABLE, observed_table, with_persons_label
from tilekeeper.companion.observation.start_table import corrected_start
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.vision.types import AlternativeGrouping

RULES = rule_set("large-numbers")
OPENED = TurnContext(rules=RULES, opened=True)


def test_observed_table_keeps_the_quad_of_each_tile():
    observed = observed_table(table_reading("R3 R4 R5 | K8 B8 O8"))
    assert observed.table == parse_table("R3 R4 R5 | K8 B8 O8")
    assert observed.rows == ((0, 1, 2), (3, 4, 5))
    assert np.allclose(observed.quads_px[1][2], quad_at(1, 2))


def test_row_of_no_tiles_is_no_meld():
    observed = observed_table(table_reading("R3 R4 R5 | K8"), {3: "no-tile"})
    assert observed.table == parse_table("R3 R4 R5")
    assert observed.rows == ((0, 1, 2),)


def test_tile_that_a_person_labelled_is_not_doubtful():
    reading = with_persons_label(table_reading("R3 R4 R8", doubts={(0, 2): "red-5"}), 2, "red-5")
    assert observed_table(reading).table == parse_table("R3 R4 R5")
    assert reading.tiles[2].sighting.locked_by_person
    assert weigh(EMPTY_TABLE, reading, OPENED).unsure == ()
    assert reading.image_wh == PICTURE_WH


def test_two_doubtful_tiles_that_change_the_verdict_only_together_are_both_asked_about():
    # One alone breaks the group of three 8s in another way; both together make it a group of 3s.
    reading = table_reading("K3 B3 O8", doubts={(0, 2): "orange-3"})
    assert weigh(EMPTY_TABLE, reading, OPENED).unsure == (2,)
    reading = table_reading("K3 B3 O8 R8", doubts={(0, 2): "orange-3", (0, 3): "red-3"})
    assert weigh(EMPTY_TABLE, reading, OPENED).unsure == (2, 3)


def test_fault_in_all_likely_tables_is_certain():
    reading = table_reading("R3 R4 R8 | K1", doubts={(0, 2): "red-5"})
    weighed = weigh(EMPTY_TABLE, reading, OPENED)
    assert weighed.unsure == (2,)
    assert [str(violation.code) for violation in weighed.certain] == ["meld-too-short"]


def test_doubtful_tile_with_two_wrong_labels_is_asked_about():
    reading = table_reading("R3 R8 R5", doubts={(0, 1): "red-9"})
    tile = reading.tiles[1]
    names = names_of({"red-8": 0.5, "red-9": 0.3, "red-4": 0.1})
    changed = replace(tile, sighting=replace(tile.sighting, names=names))
    weighed = weigh(EMPTY_TABLE, replace(reading, tiles=(reading.tiles[0], changed, reading.tiles[2])), OPENED)
    assert (weighed.unsure, weighed.certain) == ((1,), ())
    assert (1, "red-4") in weighed.labels
    weighed = weigh(EMPTY_TABLE, reading, OPENED)  # no other label is likely
    assert weighed.certain == weighed.verdict.violations != ()


@pytest.mark.parametrize(
    ("confidence", "runner_up", "questions"),
    [(0.95, "red-4", (1,)), (0.998, "red-4", (1,)), (0.99995, "red-4", ()), (0.95, "red-9", ())],
)
def test_uncertain_tile_is_asked_about_before_the_turn_is_called_illegal(confidence, runner_up, questions):
    """Only if another label would make the turn legal."""
    reading = table_reading("R3 R11 R5 | K8 B8 O8")
    less_certain = replace(reading.tiles[1], confidence=confidence, runner_up=runner_up)
    weighed = weigh(EMPTY_TABLE, replace(reading, tiles=(reading.tiles[0], less_certain, *reading.tiles[2:])), OPENED)
    assert weighed.unsure == questions
    assert (weighed.certain == ()) is bool(questions)
    legal = table_reading("R3 R4 R5")
    less_certain = replace(legal.tiles[1], confidence=confidence, runner_up="red-11")
    assert not weigh(EMPTY_TABLE, replace(legal, tiles=(legal.tiles[0], less_certain, legal.tiles[2])), OPENED).unsure


def test_table_of_doubtful_tiles_is_judged_in_bounded_time(monkeypatch):
    from tilekeeper.companion.adjudication import uncertainty as doubt

    judged = []
    real_judge = doubt.judge
    monkeypatch.setattr(doubt, "judge", lambda *words: judged.append(1) or real_judge(*words))
    notation = " | ".join(f"{ink}{a} {ink}{a + 1} {ink}{a + 2}" for ink in "KBOR" for a in (1, 4, 7, 10))
    doubts = {(meld, place): "red-13" for meld in range(16) for place in range(3)}
    weigh(EMPTY_TABLE, table_reading(notation, doubts), OPENED)
    assert len(judged) <= 1 + MOST_TABLES + MOST_ALTERNATIVES


def with_doubt(reading, rows, weight):
    """Return the reading with another grouping of its tiles."""
    return replace(reading, other_rows=(AlternativeGrouping(rows, weight),))


@pytest.mark.parametrize(
    ("notation", "rows", "weight", "kind"),
    [
        # invalid as one meld, legal as two
        ("K1 K2 K3 R9 B9 K9", ((0, 1, 2), (3, 4, 5)), 0.2, "asked"),
        # legal in this grouping, illegal in another one that is nearly as likely
        ("R3 R4 R5 | R6", ((0, 1, 2, 3),), 0.4, "asked"),
        ("R3 R4 R5 R6", ((0, 1, 2), (3,)), 0.4, "asked"),
        # legal in by far the likeliest grouping
        ("R3 R4 R5 R6", ((0, 1, 2), (3,)), 0.25, "legal"),
        # both legal, or both illegal for the same reason
        ("R3 R4 R5 R6 R7 R8", ((0, 1, 2), (3, 4, 5)), 0.45, "legal"),
        ("R3 R4 | R5 R6", ((0, 1, 2, 3),), 0.45, "asked"),
        ("R3 | R4", ((1,), (0,)), 0.45, "illegal"),
    ],
)
def test_doubt_about_melds_is_asked_about_only_if_it_changes_the_verdict(notation, rows, weight, kind):
    weighed = weigh(EMPTY_TABLE, with_doubt(table_reading(notation), rows, weight), OPENED)
    assert bool(weighed.groupings) is (kind == "asked")
    assert weighed.stands is (kind != "asked")
    assert bool(weighed.certain) is (kind == "illegal")


def test_fault_elsewhere_stays_certain_with_a_doubt_about_melds():
    reading = with_doubt(table_reading("K1 K2 K3 R9 B9 K9 | O4"), ((0, 1, 2), (3, 4, 5)), 0.3)
    weighed = weigh(EMPTY_TABLE, reading, OPENED)
    assert [str(fault.code) for fault in weighed.certain] == ["meld-too-short"]


def test_label_and_grouping_that_make_the_turn_legal_only_together_are_both_asked_about():
    reading = with_doubt(table_reading("K1 K2 K3 R9 B9 K6"), ((0, 1, 2), (3, 4, 5)), 0.3)
    less_certain = replace(reading.tiles[5], confidence=0.9, runner_up="black-9")
    weighed = weigh(EMPTY_TABLE, replace(reading, tiles=(*reading.tiles[:5], less_certain)), OPENED)
    assert (weighed.unsure, len(weighed.groupings), weighed.certain) == ((5,), 1, ())


def test_isolated_doubtful_tile_may_be_no_tile():
    """Even if the classifier is certain that it is a tile: patterns are detected as tiles."""
    reading = table_reading("R3 R4 R5 | J", doubts={(1, 0): "orange-10"})
    tile = reading.tiles[3]
    sure_of_a_tile = names_of({"joker": 0.7, "orange-10": 0.3})
    tile = replace(tile, sighting=replace(tile.sighting, names=sure_of_a_tile))
    weighed = weigh(EMPTY_TABLE, replace(reading, tiles=(*reading.tiles[:3], tile)), OPENED)
    assert (weighed.unsure, weighed.certain) == ((3,), ())
    assert (3, "no-tile") in weighed.labels


def test_doubtful_old_tile_in_an_unchanged_meld_is_not_asked_about():
    """It has the same label before and after, so the verdict does not depend on it."""
    before = observed_table(table_reading("R3 R4 R5 | K8 B8 O8"))
    after = table_reading("R3 R4 R5 R6 | K8 B8 O8", doubts={(1, 1): "red-3", (0, 1): "red-9"})
    weighed = weigh(before, after, OPENED)
    assert weighed.unsure == (1,)  # its meld has changed
    new = weigh(EMPTY_TABLE, after, OPENED)
    assert new.unsure == (1, 5)


def test_persons_label_for_an_old_tile_corrects_the_start_table():
    before = observed_table(table_reading("R3 R11 R5 | K8 B8 O8"))
    after = table_reading("R3 R11 R5 R6 | K8 B8 O8")
    assert corrected_start(before, after) is before
    known = corrected_start(before, with_persons_label(after, 1, "red-4"))
    assert known.table == parse_table("R3 R4 R5 | K8 B8 O8")
    assert weigh(known, with_persons_label(after, 1, "red-4"), OPENED).verdict.legal
    without_tile = corrected_start(before, with_persons_label(after, 5, "no-tile"))
    assert without_tile.table == parse_table("R3 R11 R5 | K8 O8")
    assert without_tile.rows == ((0, 1, 2), (3, 5))


def test_isolated_doubtful_tile_that_disappears_is_removed_from_the_start_table():
    before = observed_table(table_reading("K8 B8 O8 | J", doubts={(1, 0): "no-tile"}))
    assert before.loose == (1,)
    assert corrected_start(before, table_reading("K8 B8 O8")).table == parse_table("K8 B8 O8")
    moved = table_reading("K8 B8 O8 | J")
    assert corrected_start(before, moved).table == parse_table("K8 B8 O8 | J")

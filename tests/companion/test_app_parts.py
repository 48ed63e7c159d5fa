"""The parts of the app by themselves: the table of a reading, doubt, and the steps of a turn."""

from dataclasses import replace

import numpy as np
import pytest

from tests.companion.known_tables import PICTURE_WH, names_of, quad_at, table_reading
from tilekeeper.companion.doubt import MOST_SECOND_LOOKS, MOST_TABLES, weigh
from tilekeeper.companion.laid import answered, laid
from tilekeeper.companion.turn import MOST_STEPS_BACK, Turn
from tilekeeper.engine.editions import rule_set
from tilekeeper.engine.judge import TurnContext
from tilekeeper.engine.notation import parse_table

RULES = rule_set("large-numbers")
OPENED = TurnContext(rules=RULES, opened=True)


def test_the_table_keeps_the_place_of_each_tile():
    seen = laid(table_reading("R3 R4 R5 | K8 B8 O8"))
    assert seen.table == parse_table("R3 R4 R5 | K8 B8 O8")
    assert seen.rows == ((0, 1, 2), (3, 4, 5))
    assert np.allclose(seen.quads_px[1][2], quad_at(1, 2))


def test_a_row_of_nothing_but_what_is_no_tile_is_no_meld():
    seen = laid(table_reading("R3 R4 R5 | K8"), {3: "no-tile"})
    assert seen.table == parse_table("R3 R4 R5")
    assert seen.rows == ((0, 1, 2),)


def test_a_persons_word_is_no_longer_in_doubt():
    reading = answered(table_reading("R3 R4 R8", doubts={(0, 2): "red-5"}), 2, "red-5")
    assert laid(reading).table == parse_table("R3 R4 R5")
    assert reading.tiles[2].sighting.locked_by_person
    assert weigh(parse_table(""), reading, OPENED).unsure == ()
    assert reading.image_wh == PICTURE_WH


def test_two_doubtful_tiles_that_turn_the_verdict_only_together_are_both_asked_about():
    # Each alone breaks the group of three 8s another way; both together make it a group of 3s.
    reading = table_reading("K3 B3 O8", doubts={(0, 2): "orange-3"})
    assert weigh(parse_table(""), reading, OPENED).unsure == (2,)
    reading = table_reading("K3 B3 O8 R8", doubts={(0, 2): "orange-3", (0, 3): "red-3"})
    assert weigh(parse_table(""), reading, OPENED).unsure == (2, 3)


def test_a_fault_that_every_likely_table_has_is_certain():
    reading = table_reading("R3 R4 R8 | K1", doubts={(0, 2): "red-5"})
    weighed = weigh(parse_table(""), reading, OPENED)
    assert weighed.unsure == (2,)
    assert [str(violation.code) for violation in weighed.certain] == ["meld-too-short"]


def test_of_a_doubtful_tile_whose_two_likeliest_names_are_wrong_a_person_is_asked():
    reading = table_reading("R3 R8 R5", doubts={(0, 1): "red-9"})
    tile = reading.tiles[1]
    names = names_of({"red-8": 0.5, "red-9": 0.3, "red-4": 0.1})
    seen = replace(tile, sighting=replace(tile.sighting, names=names))
    weighed = weigh(parse_table(""), replace(reading, tiles=(reading.tiles[0], seen, reading.tiles[2])), OPENED)
    assert (weighed.unsure, weighed.certain) == ((1,), ())
    assert (1, "red-4") in weighed.names
    weighed = weigh(parse_table(""), reading, OPENED)  # no other name is likely at all
    assert weighed.certain == weighed.verdict.violations != ()


@pytest.mark.parametrize(
    ("confidence", "runner_up", "asked"), [(0.95, "red-4", (1,)), (0.999, "red-4", ()), (0.95, "red-9", ())]
)
def test_nobody_is_called_wrong_before_what_is_less_than_certain_was_asked_about(confidence, runner_up, asked):
    """But only where it would make the turn legal."""
    reading = table_reading("R3 R11 R5 | K8 B8 O8")
    less = replace(reading.tiles[1], confidence=confidence, runner_up=runner_up)
    weighed = weigh(parse_table(""), replace(reading, tiles=(reading.tiles[0], less, *reading.tiles[2:])), OPENED)
    assert weighed.unsure == asked
    assert (weighed.certain == ()) is bool(asked)
    legal = table_reading("R3 R4 R5")
    less = replace(legal.tiles[1], confidence=confidence, runner_up="red-11")
    assert not weigh(parse_table(""), replace(legal, tiles=(legal.tiles[0], less, legal.tiles[2])), OPENED).unsure


def test_a_table_full_of_doubt_is_judged_in_bounded_time(monkeypatch):
    from tilekeeper.companion import doubt

    judged = []
    real_judge = doubt.judge
    monkeypatch.setattr(doubt, "judge", lambda *words: judged.append(1) or real_judge(*words))
    notation = " | ".join(f"{ink}{a} {ink}{a + 1} {ink}{a + 2}" for ink in "KBOR" for a in (1, 4, 7, 10))
    doubts = {(meld, place): "red-13" for meld in range(16) for place in range(3)}
    weigh(parse_table(""), table_reading(notation, doubts), OPENED)
    assert len(judged) <= 1 + MOST_TABLES + MOST_SECOND_LOOKS


def test_a_turn_without_a_beginning_can_not_be_judged():
    with pytest.raises(ValueError, match="starts from"):
        Turn(RULES).done(table_reading("R3 R4 R5"), 1)


def test_an_unsure_verdict_begins_no_new_turn():
    turn = Turn(RULES, opened=True).begin(table_reading(""))
    after = turn.done(table_reading("R3 R4 R5", doubts={(0, 2): "red-8"}), 2)
    assert after.before == turn.before
    assert after.finished == 0
    assert after.judged is not None
    assert not after.judged.sure


def test_steps_are_taken_back_one_by_one():
    tables = ["R3 R4 R5", "R3 R4 R5 R6", "R3 R4 R5 R6 R7"]
    turn = Turn(RULES, opened=True).begin(table_reading(tables[0]))
    turns = [turn]
    for number, table in enumerate(tables[1:], start=1):
        turns.append(turns[-1].done(table_reading(table), number))
    assert [turn.finished for turn in turns] == [0, 1, 2]
    assert turns[2].undone().finished == 1
    assert turns[2].undone().before.table == parse_table(tables[1])
    assert turns[2].undone().undone().before.table == parse_table(tables[0])
    assert turns[0].undone().undone().before is None


def test_the_past_of_a_long_evening_stays_short():
    turn = Turn(RULES).begin(table_reading("R3 R4 R5"))
    for number in range(MOST_STEPS_BACK + 20):
        turn = turn.done(table_reading("R3 R4"), number)
    assert len(turn.past) == MOST_STEPS_BACK
    assert all(earlier.past == () for earlier in turn.past)

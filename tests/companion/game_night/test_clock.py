"""Time banks: Bronstein and Fischer worked out by hand, times of single players, and the stored form."""

import json

import pytest

from tilekeeper.companion.game_night.clock import Clock, Increment, TimeControl


@pytest.mark.parametrize(
    ("increment", "banks_s"),
    [
        # A bank of 100 s and 10 s for the turn. A turn of 4 s costs nothing, one of 25 s costs 15 s, one of 200 s all.
        (Increment.BRONSTEIN, (110, 110, 95, 10, 10)),
        # The same turns: 110 - 4 + 10, 116 - 25 + 10; then nothing remains but the 10 s for the next turn.
        (Increment.FISCHER, (110, 116, 101, 10, 10)),
    ],
)
def test_time_bank_after_turns_is_the_one_worked_out_by_hand(increment: Increment, banks_s: tuple[float, ...]) -> None:
    control = TimeControl(100, 10, increment)
    clock = Clock(0, None, banks_s=control.banks(1), control=control)
    found = [clock.left(0.0)]
    for seconds in (4.0, 25.0, 200.0, 10.0):
        clock = clock.started(0.0).for_next_turn(seconds, 0, None)
        found.append(clock.left(0.0))
    assert found == list(banks_s)


def test_child_has_more_time_and_late_joiner_the_usual_time() -> None:
    control = TimeControl(600, 10, own_s=(None, 900))
    clock = Clock(0, 60, banks_s=control.banks(2), control=control)
    assert clock.banks_s == (610, 910)
    assert clock.started(0.0).for_next_turn(30.0, 2, 60).banks_s == (590, 910, 610)


def test_stored_clock_keeps_its_time_control() -> None:
    control = TimeControl(300, 5, Increment.FISCHER, (None, 400))
    clock = Clock(1, 60, banks_s=control.banks(2), control=control)
    assert Clock.from_json(json.loads(json.dumps(clock.as_json(0.0)))) == clock


def test_clock_stored_by_an_earlier_version_has_the_usual_time_control() -> None:
    stored = {"player": 0, "limit_s": 60, "used_s": 1.5, "extra_s": 0, "banks_s": [610.0, 600.0]}
    assert Clock.from_json(stored).control == TimeControl()

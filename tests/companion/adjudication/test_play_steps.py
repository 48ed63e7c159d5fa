"""A turn in steps: each step changes one set, and the last table is the table after the turn."""

import pytest

from tests.support.past_evenings import evening
from tilekeeper.companion.adjudication.play_steps import play_steps
from tilekeeper.engine.game.events import TilesLaid
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table

OPENED = TurnContext(rule_set("large-numbers"), opened=True)


@pytest.mark.parametrize(
    ("before", "after", "steps"),
    [
        ("R3 R4 R5", "R3 R4 R5 R6", [("R6", "", "R3 R4 R5 R6")]),
        (
            "R7 B7 K7 O7 | O1 O2 O3",
            "R7 B7 K7 | O7 O8 O9 | O1 O2 O3 O4",
            [("O4", "", "R7 B7 K7 O7 | O1 O2 O3 O4"), ("O8 O9", "O7", "R7 B7 K7 | O1 O2 O3 O4 | O7 O8 O9")],
        ),
        # The freed joker lies beside its set until the next step.
        (
            "R3 J R5",
            "R3 R4 R5 | B8 J K8",
            [("R4", "", "R3 R4 R5 J"), ("B8 K8", "J", "R3 R4 R5 | B8 J K8")],
        ),
        # The joker of a set that only gives a tile away gets another place.
        ("R3 R4 J R6", "J R3 R4 | R6 B6 K6", [("B6 K6", "R6", "J R3 R4 | R6 B6 K6")]),
    ],
)
def test_each_step_puts_tiles_to_one_set(before, after, steps):
    found = play_steps(parse_table(before), parse_table(after), OPENED)
    assert [
        (" ".join(map(str, step.from_rack)), " ".join(map(str, step.from_table)), str(Table(step.melds)))
        for step in found
    ] == steps
    last = found[-1]
    assert {str(last.melds[place.meld][place.position]) for place in last.moved} == {
        str(tile) for tile in (*last.from_rack, *last.from_table)
    }


def test_last_step_of_every_turn_of_random_games_is_the_table_after_it():
    turns = 0
    for seed in range(3):
        recorded = evening(seed, rounds=1)
        for state, record in zip(recorded.states, recorded.records[1:], strict=False):
            if not isinstance(record.entry, TilesLaid) or state.round is None:
                continue
            before, after = state.round.table, record.entry.after
            if before.counts - after.counts:
                continue
            steps = play_steps(before, after, TurnContext(recorded.state.rules, opened=True))
            turns += bool(steps)
            assert Table(steps[-1].melds if steps else before.melds) == after
    assert turns > 5

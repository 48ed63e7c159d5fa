"""The easiest play lays as many tiles as the best play, and moves few tiles of the table."""

from tests.support.past_evenings import evening
from tilekeeper.companion.adjudication.easiest_play import count_moved, easiest_play, largest_play
from tilekeeper.companion.game_night.review import known_turns
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import parse_rack, parse_table

OPENED = TurnContext(rule_set("large-numbers"), opened=True)


def test_sets_that_can_stay_are_left_as_they_are():
    table = parse_table("R1 R2 R3 | B1 B2 B3 | K1 K2 K3 | O4 O5 O6")
    play = easiest_play(table, parse_rack("O7 K9"), OPENED)
    assert play is not None
    assert str(play.after) == "R1 R2 R3 | B1 B2 B3 | K1 K2 K3 | O4 O5 O6 O7"


def test_nothing_is_found_if_nothing_fits():
    assert easiest_play(parse_table("R1 R2 R3"), parse_rack("K9"), OPENED) is None


def test_as_many_tiles_are_laid_with_at_most_as_many_moves():
    recorded, turns = evening(3, rounds=1), 0
    for turn in known_turns(recorded):
        context = TurnContext(recorded.state.rules, turn.opened)
        largest, easiest = (find(turn.before, turn.rack, context) for find in (largest_play, easiest_play))
        if largest is None or easiest is None:
            assert largest is easiest
            continue
        turns += 1
        assert judge(turn.before, easiest.after, context).legal
        assert easiest.laid == largest.laid
        moved, most = (count_moved(turn.before, play.after, context) for play in (easiest, largest))
        assert moved <= most
    assert turns > 1

"""The table of a season, with the numbers by hand."""

from fractions import Fraction

from tilekeeper.companion.tournament.season import SeasonLine, season_table


def test_best_events_of_each_player_count_and_equals_share_a_place() -> None:
    """Of Ada's 30, -20 and 5 the best two are 35; Bo has 35 in one event; Cleo's best two of three are 15."""
    events = [{"Ada": 30, "Cleo": 5}, {"Ada": -20, "Bo": 35, "Cleo": Fraction(1, 2)}, {"Ada": 5, "Cleo": 10}]
    assert season_table(events, 2) == (
        SeasonLine(1, "Ada", 35, (30, -20, 5), (True, False, True)),
        SeasonLine(1, "Bo", 35, (None, 35, None), (False, True, False)),
        SeasonLine(3, "Cleo", 15, (5, Fraction(1, 2), 10), (True, False, True)),
    )
    assert [line.total for line in season_table(events)] == [35, Fraction(31, 2), 15]
    assert season_table([]) == ()

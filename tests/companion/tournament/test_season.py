"""The table of a season, with the numbers by hand."""

from fractions import Fraction

from tilekeeper.companion.tournament.season import EventGames, SeasonLine, season_table, season_table_by_games


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


def test_best_games_of_each_player_count_from_whichever_events() -> None:
    """Ada's best three of 9, -5, 8, 7, 1 are 24, less a penalty of 4; Bo has but two games, of 6 and 14."""
    events = [
        {"Ada": EventGames((9, -5), penalties=4), "Bo": EventGames((6, 14))},
        {"Ada": EventGames((8, 7, 1)), "Cleo": EventGames((Fraction(1, 2),) * 4)},
        {"Ada": EventGames((0,))},
    ]
    assert season_table_by_games(events, 3) == (
        SeasonLine(1, "Ada", 20, (5, 15, 0), (True, True, False)),
        SeasonLine(1, "Bo", 20, (20, None, None), (True, False, False)),
        SeasonLine(3, "Cleo", Fraction(3, 2), (None, Fraction(3, 2), None), (False, True, False)),
    )

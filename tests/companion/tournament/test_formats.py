"""Formats: refused contradictions, ready-made formats in words, and the number of rounds."""

import pytest

from tilekeeper.companion.tournament.conflicts import Conflict, ConflictKind
from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.formats import FORMATS, Format
from tilekeeper.companion.tournament.pairing import Pairing
from tilekeeper.companion.tournament.record import ByeKind
from tilekeeper.companion.tournament.scoring import TournamentScoring
from tilekeeper.companion.tournament.words import (
    bye_words,
    conflict_words,
    criterion_words,
    format_sentences,
    pairing_words,
)
from tilekeeper.engine.rules.policies import Totals


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"table_size": 5}, "2 to 4 players"),
        ({"games": 0}, "1 to 12 games"),
        ({"rounds": 51}, "1 to 50 rounds"),
        ({"advancing": 4}, "some are out"),
        ({"finalists": 1}, "2 to 256 players"),
        ({"finalists": 8, "pairing": Pairing.KNOCK_OUT}, "no separate final"),
        ({"criteria": (Criterion.LOT,)}, "must count first"),
    ],
)
def test_contradiction_is_refused(wrong: dict[str, object], words: str) -> None:
    """The message says what is wrong."""
    with pytest.raises(ValueError, match=words):
        Format(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("chosen", "players", "rounds"),
    [
        (Format(), 200, 5),
        (Format(rounds=3, finalists=8), 40, 5),  # two tables of four, then one
        (Format(rounds=3, finalists=16), 40, 6),  # 16, 8, 4
        (Format(rounds=3, finalists=16), 6, 5),  # two tables of three, then one of four
        (Format(pairing=Pairing.KNOCK_OUT), 64, 5),
        (Format(pairing=Pairing.KNOCK_OUT, table_size=2, advancing=1), 9, 4),  # 9, 5, 3, 2
    ],
)
def test_number_of_rounds_includes_the_final(chosen: Format, players: int, rounds: int) -> None:
    """A knock-out ends with the round in which one table is left."""
    assert chosen.count_rounds(players) == rounds


def test_format_without_criteria_leaves_them_to_the_box():
    assert Format().ranking(Totals.ROUNDS_WON).criteria[0] is Criterion.WINS
    assert Format().ranking(Totals.HIGHEST_TOTAL).criteria[0] is Criterion.TILE_POINTS
    assert FORMATS["german"].ranking(Totals.ROUNDS_WON).criteria[0] is Criterion.PLACEMENT_POINTS


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "club",
            "4 players at each table; some tables have fewer if the numbers don't fit. 5 rounds. At random; no two "
            "players meet twice.",
        ),
        ("club", "The box decides what counts"),
        ("german", "4 games in each round; after each game the left neighbour begins. So each player at a full table"),
        ("german", "What counts first: Placement points. Then: Points, Won, Direct encounter, Best game, Lot."),
        ("german", "Points for the places in a game: 4, 3, 1, 0."),
        (
            "mso",
            "2 players at each table; some tables have fewer if the numbers don't fit. 5 rounds. By points (Swiss).",
        ),
        ("mso", "A player who never opened pays 100 points in place of the tiles on the rack."),
        ("league", "Nobody loses more than 100 points in a game. A win gives 20 extra points."),
        ("league", "Only the best 9 games of each player count."),
    ],
)
def test_ready_made_format_is_told_in_words(name: str, words: str) -> None:
    """An organiser reads it before choosing it."""
    assert words in " ".join(format_sentences(FORMATS[name]))


def test_final_and_knock_out_are_told_in_words():
    """The number of finalists, and how many go on."""
    final = " ".join(
        format_sentences(Format(finalists=8, criteria=(Criterion.WINS,), scoring=TournamentScoring(bye_points=0)))
    )
    assert "The best 8 players go to the final. 2 players of each table go on. Only this counts: Won." in final
    assert "rounds." not in " ".join(format_sentences(Format(pairing=Pairing.KNOCK_OUT)))


@pytest.mark.parametrize(
    ("chosen", "last"),
    [
        (Format(late_until=3), 3),
        (Format(rounds=4, finalists=8), 4),
        (Format(rounds=4, finalists=8, late_until=2), 2),
        (Format(pairing=Pairing.KNOCK_OUT), 1),
    ],
)
def test_nobody_joins_a_knock_out_that_has_begun(chosen: Format, last: int) -> None:
    """Otherwise a late player with full byes would have reached its last round."""
    assert chosen.last_to_join == last


def test_each_criterion_way_bye_and_conflict_has_words():
    """A new one without words fails here and not on a page."""
    assert all(map(criterion_words, Criterion))
    assert all(map(pairing_words, Pairing))
    assert all(map(bye_words, ByeKind))
    assert all(conflict_words(Conflict(kind, ("A", "B")), str) for kind in ConflictKind)

"""A short championship: nobody meets twice, and the recount finds wrong standings."""

from dataclasses import replace

import pytest

from tests.benchmarks.club.championship import differences, measure, play
from tilekeeper.companion.tournament.pairing import Pairing

pytestmark = pytest.mark.slow


def test_short_championship_has_the_standings_of_the_recount():
    outcome = measure(40)
    assert outcome.troubles == []
    assert outcome.cases == {"games, random": 70, "games, swiss": 70}


def test_added_point_and_round_are_found_by_the_recount():
    """The recount reports the extra point and round, and that the totals no longer add up to zero."""
    played = play(8, 1, Pairing.RANDOM, 3)
    first, *others = played.lines
    assert differences(played) == []
    wrong = replace(played, lines=(replace(first, score=first.score + 1), *others))
    assert len(differences(wrong)) == 3
    assert "the totals add to 1" in differences(wrong)

"""A championship, short: nobody meets twice, and the recount would tell if the standings were wrong."""

from dataclasses import replace

import pytest

from tests.benchmarks.club.championship import differences, measure, play
from tilekeeper.engine.tournament.pairing import Pairing

pytestmark = pytest.mark.slow


def test_a_short_championship_is_right_to_the_point():
    outcome = measure(40)
    assert outcome.troubles == []
    assert outcome.cases == {"games, random": 70, "games, swiss": 70}


def test_the_recount_finds_a_point_too_many():
    """One point and one round won that nobody noted are told, and that the totals add to zero no more."""
    played = play(8, 1, Pairing.RANDOM, 3)
    first, *others = played.lines
    assert differences(played) == []
    wrong = replace(played, lines=(replace(first, total=first.total + 1), *others))
    assert len(differences(wrong)) == 3
    assert "the totals add to 1" in differences(wrong)

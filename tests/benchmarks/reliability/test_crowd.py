"""Tablets that listen, drip and never read, all at once: nothing of the host's or of a player's is refused."""

import sys

import pytest

from tests.benchmarks.reliability.crowd import measure

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only on Linux is all of 127/8 this machine"),
]


def test_host_and_player_are_heard_above_a_crowd():
    outcome = measure(40)
    assert outcome.troubles == []
    assert outcome.cases["actions"] == 40

"""Many tablets that listen, send slowly or never read: the app refuses nothing from the host or a player."""

import sys

import pytest

from tests.benchmarks.reliability.crowd import measure

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only on Linux is all of 127/8 this machine"),
]


def test_crowd_of_tablets_blocks_neither_host_nor_players():
    outcome = measure(40)
    assert outcome.troubles == []
    assert outcome.cases["actions"] == 40

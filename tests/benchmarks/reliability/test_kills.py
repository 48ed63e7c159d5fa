"""Processes killed during a game night: each acknowledged action is stored once, and the game goes on."""

import sys

import pytest

from tests.benchmarks.reliability.kills import measure

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a process's children"),
]


def test_kills_lose_or_repeat_no_acknowledged_action():
    outcome = measure(25)
    assert outcome.troubles == []
    assert outcome.cases.total() == 25
    assert outcome.cases["a migration"] > 0
    assert outcome.counts["actions acknowledged"] > 25

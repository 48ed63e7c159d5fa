"""Each table is judged once for all callers."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.known_tables import table_reading
from tilekeeper.companion.adjudication import verdict_cache
from tilekeeper.companion.adjudication.verdict_cache import MOST_VERDICTS, VerdictCache
from tilekeeper.companion.observation.observed_table import EMPTY_TABLE, observed_table
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.turn_context import TurnContext

CONTEXT = TurnContext(rule_set("large-numbers"), True)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The judged readings, in order."""
    calls: list[object] = []
    weigh = verdict_cache.weigh

    def counting(before, reading, context, insisted):
        calls.append(reading)
        return weigh(before, reading, context, insisted)

    monkeypatch.setattr(verdict_cache, "weigh", counting)
    return calls


def test_same_table_turn_and_context_are_judged_once(judged: list[object]) -> None:
    """Another reading, start or context is judged again; an equal start is not."""
    cache, reading, start = VerdictCache(), table_reading("R3 R4 R5"), table_reading("K8 B8 O8")
    first = cache.weigh(observed_table(start), reading, CONTEXT)
    assert cache.weigh(observed_table(start), reading, CONTEXT) is first
    assert judged == [reading]
    cache.weigh(observed_table(start), reading, CONTEXT, insisted=True)
    cache.weigh(EMPTY_TABLE, reading, CONTEXT)
    cache.weigh(observed_table(start), reading, TurnContext(rule_set("large-numbers"), False))
    assert len(judged) == 4


def test_second_caller_waits_for_the_verdict_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    both, calls = threading.Barrier(2), []

    def slow(*arguments: object) -> object:
        calls.append(arguments)
        both.wait(5.0)
        return object()

    monkeypatch.setattr(verdict_cache, "weigh", slow)
    cache, reading = VerdictCache(), table_reading("R3 R4 R5")
    with ThreadPoolExecutor(2) as pool:
        verdicts = [pool.submit(cache.weigh, EMPTY_TABLE, reading, CONTEXT) for _ in range(2)]
        both.wait(5.0)
        first, second = (one.result(5.0) for one in verdicts)
    assert first is second
    assert len(calls) == 1


def test_error_of_the_judge_is_raised_for_all_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise ValueError("broken")

    monkeypatch.setattr(verdict_cache, "weigh", broken)
    with pytest.raises(ValueError, match="broken"):
        VerdictCache().weigh(EMPTY_TABLE, table_reading("R3 R4 R5"), CONTEXT)


def test_only_the_newest_verdicts_are_kept(judged: list[object]) -> None:
    cache, first = VerdictCache(), table_reading("R3 R4 R5")
    for reading in (first, *(table_reading("R3 R4 R5") for _ in range(MOST_VERDICTS)), first):
        cache.weigh(EMPTY_TABLE, reading, CONTEXT)
    assert len(judged) == MOST_VERDICTS + 2

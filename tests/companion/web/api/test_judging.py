"""Judging on request is shared fairly: a tablet that asks often gets one turn, and the host the next one."""

import threading
import time
from collections.abc import Callable

import pytest

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.judging import _judging

ASKS = 5


class HeldJudge:
    """A judge that answers only when the test lets it, and counts how many threads it works for."""

    def __init__(self, judge: Callable[[Case], Judged]) -> None:
        self.judge = judge
        self.goes_on = threading.Semaphore(0)
        self.at_work = self.most_at_work = 0
        self._lock = threading.Lock()

    def judged_case(self, case: Case) -> Judged:
        with self._lock:
            self.at_work += 1
            self.most_at_work = max(self.at_work, self.most_at_work)
        assert self.goes_on.acquire(timeout=20)
        with self._lock:
            self.at_work -= 1
        return self.judge(case)


def wait_until(holds: Callable[[], bool]) -> None:
    until_s = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < until_s
        time.sleep(0.01)


def test_tablet_that_asks_often_gets_one_turn_and_the_host_the_next(hand_app, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = HeldJudge(Case.judged)
    monkeypatch.setattr(Case, "judged", lambda case: judge.judged_case(case))
    host = EveningClient(hand_app)
    tablet = [EveningClient(hand_app, REMOTE_ADDR="192.168.1.30") for _ in range(ASKS)]  # the tabs of its browser
    for tab in tablet:
        tab.post("/api/join", code=parts(hand_app).access.code, name="Bo")
    host.deal()
    statuses: list[int] = []
    order: list[str] = []

    def ask(who: str, client: EveningClient) -> None:
        status = client.send("/api/evening/judge", {"table": "R3 R4 R5"}).status_code
        statuses.append(status)
        if status == 200:
            order.append(who)

    asking = [threading.Thread(target=ask, args=("tablet", tab), daemon=True) for tab in tablet]
    for thread in asking:
        thread.start()
    wait_until(lambda: len(statuses) == ASKS - 2)
    assert statuses == [409] * (ASKS - 2)  # one works, one waits
    asking.append(threading.Thread(target=ask, args=("host", host), daemon=True))
    asking[-1].start()
    wait_until(lambda: len(_judging._waiting) == 2)
    for answered in (1, 2, 3):
        judge.goes_on.release()
        wait_until(lambda: len(order) == answered)  # noqa: B023  # called in this iteration
    for thread in asking:
        thread.join(20)
    assert judge.most_at_work == 1
    assert order == ["tablet", "host", "tablet"]


@pytest.mark.parametrize("path", ["shared", "review", "bg-stats.json"])
def test_requests_for_past_evenings_replay_one_at_a_time(hand_app, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    host, tablet = EveningClient(hand_app), EveningClient(hand_app, REMOTE_ADDR="192.168.1.30")
    tablet.post("/api/join", code=parts(hand_app).access.code, name="Bo")
    evening = host.deal()["id"]
    host.post("/api/evenings/leave")
    at_work, seen, salvage = 0, [], RecordedGame.salvage

    def slow_salvage(*arguments: object) -> object:
        nonlocal at_work
        at_work += 1
        seen.append(at_work)
        time.sleep(0.05)
        at_work -= 1
        return salvage(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(RecordedGame, "salvage", slow_salvage)
    asking = [
        threading.Thread(target=one.http.get, args=(f"/api/evenings/{evening}/{path}",))
        for one in (tablet, tablet, tablet, host)
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(20)
    assert seen == [1, 1, 1, 1]

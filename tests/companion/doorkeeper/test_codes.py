"""Codes, tokens and names, and the limit on guesses."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import pytest

from tilekeeper.companion.doorkeeper import codes
from tilekeeper.companion.doorkeeper.codes import (
    CODE_ALPHABET,
    GUESS_PAUSE_S,
    MOST_GUESSERS,
    MOST_WRONG_CODES,
    MOST_WRONG_IN_ALL,
    CodeCheck,
    digest,
    find_holder,
    new_code,
    new_token,
    visible_name,
)
from tilekeeper.companion.refusal import Refused

CODES = {"organiser": "ABCD2345", "arbiter": "WXYZ6789"}
GUESSER, PLAYER = "192.168.1.66", "192.168.1.30"


class Clock:
    """A monotonic clock that the test moves forward."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    """The clock of the check."""
    return Clock()


@pytest.fixture
def check(clock: Clock) -> CodeCheck:
    """A check before the first guess."""
    return CodeCheck(clock)


def enter(check: CodeCheck, code: str, peer: str) -> str:
    return check.match(code, CODES, peer, "Wrong.")


def guess(check: CodeCheck, peer: str, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(Refused, match=r"Wrong\."):
            enter(check, "AAAAAAAA", peer)


@pytest.mark.parametrize("entered", ["WXYZ6789", "wxyz 6789", " wx yz67\t89 "])
def test_code_in_any_case_and_spacing_matches(check: CodeCheck, entered: str) -> None:
    assert enter(check, entered, PLAYER) == "arbiter"


@pytest.mark.parametrize("entered", ["", "WXYZ678", "WXYZ67899", "WXYZ678é"])
def test_nearly_right_code_is_wrong(check: CodeCheck, entered: str) -> None:
    with pytest.raises(Refused) as refused:
        enter(check, entered, PLAYER)
    assert (str(refused.value), refused.value.code) == ("Wrong.", "join-first")


def test_guesser_waits_and_nobody_else_does(check: CodeCheck, clock: Clock) -> None:
    guess(check, GUESSER, MOST_WRONG_CODES)
    clock.now_s = GUESS_PAUSE_S - 0.1
    with pytest.raises(Refused, match="Too many wrong codes"):
        enter(check, CODES["arbiter"], GUESSER)
    assert enter(check, CODES["arbiter"], PLAYER)
    clock.now_s = GUESS_PAUSE_S
    assert enter(check, CODES["arbiter"], GUESSER)


def test_right_code_starts_the_count_anew(check: CodeCheck) -> None:
    for _ in range(3):
        guess(check, PLAYER, MOST_WRONG_CODES - 1)
        assert enter(check, CODES["arbiter"], PLAYER)


def test_machine_of_ipv6_has_one_count_for_all_its_addresses(check: CodeCheck) -> None:
    for number in range(MOST_WRONG_CODES):
        guess(check, f"fd00::{number + 1:x}")
    with pytest.raises(Refused, match="Too many wrong codes"):
        enter(check, CODES["arbiter"], "fd00::ffff")
    assert enter(check, CODES["arbiter"], "fd00:0:0:1::1")


def test_guesses_from_many_networks_are_limited_in_all(check: CodeCheck, clock: Clock) -> None:
    """Whoever has a large network of IPv6 guesses no faster than a hundred times in half a minute."""
    answers = []
    for number in range(300):
        with pytest.raises(Refused) as refused:
            enter(check, "AAAAAAAA", f"fd00:0:0:{number:x}::1")
        answers.append(str(refused.value))
    assert answers.count("Wrong.") == MOST_WRONG_IN_ALL
    clock.now_s = GUESS_PAUSE_S
    assert enter(check, CODES["arbiter"], PLAYER)


def test_guesses_from_many_addresses_do_not_end_the_wait_of_one(
    check: CodeCheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codes, "MOST_WRONG_IN_ALL", 10 * MOST_GUESSERS)
    guess(check, GUESSER, MOST_WRONG_CODES)
    for number in range(2 * MOST_GUESSERS):
        guess(check, f"10.0.{number // 250}.{number % 250}")
    assert enter(check, CODES["arbiter"], PLAYER)
    with pytest.raises(Refused, match="Too many wrong codes"):
        enter(check, CODES["arbiter"], GUESSER)


def test_guesses_at_the_same_time_are_all_counted(check: CodeCheck) -> None:
    begin, answers = threading.Barrier(2 * MOST_WRONG_CODES), []

    def enter_wrong_code() -> None:
        begin.wait()
        try:
            enter(check, "AAAAAAAA", GUESSER)
        except Refused as refused:
            answers.append(str(refused))

    threads = [threading.Thread(target=enter_wrong_code) for _ in range(2 * MOST_WRONG_CODES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers.count("Wrong.") == MOST_WRONG_CODES


def test_new_codes_and_tokens_differ_and_are_easy_to_read() -> None:
    new_codes = {new_code(8) for _ in range(100)}
    assert len(new_codes) == len({new_token() for _ in range(100)}) == 100
    assert all(len(code) == 8 and set(code) <= set(CODE_ALPHABET) for code in new_codes)


@dataclass(frozen=True)
class Tablet:
    """A token's owner."""

    name: str
    token_sha256: str


def test_holder_is_found_by_the_token_and_not_by_its_digest() -> None:
    tablets = [Tablet("a", digest("one")), Tablet("b", digest("two"))]
    assert find_holder("two", tablets) == tablets[1]
    assert [find_holder(token, tablets) for token in (None, "", "three", digest("two"))] == [None] * 4


def test_name_keeps_only_visible_characters() -> None:
    assert visible_name("Ada\u202e\0's  phone", 40) == "Ada's phone"
    assert visible_name("\u202e\u200b", 40) == ""
    assert visible_name(400 * "x", 40) == 40 * "x"

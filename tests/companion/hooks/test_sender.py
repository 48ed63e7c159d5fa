"""Delivery to a real server that is slow, refuses, leads elsewhere, goes away and comes back."""

import json
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from tests.support.hook_server import HookServer
from tilekeeper.companion.hooks.address import HookAddress
from tilekeeper.companion.hooks.sender import LONGEST_AGE_S, MOST_WAITING, HookSender

pytestmark = pytest.mark.slow  # real sockets


@pytest.fixture
def server() -> Iterator[HookServer]:
    server = HookServer()
    yield server
    server.stop()


@pytest.fixture
def send_to() -> Iterator[Callable[..., HookSender]]:
    """Starts senders with short pauses, and stops them at the end."""
    made: list[HookSender] = []

    def start(url: str, **more: float) -> HookSender:
        sender = HookSender(HookAddress.parse(url), first_pause_s=0.02, **more)
        made.append(sender)
        sender.start()
        return sender

    yield start
    for sender in made:
        sender.close()


def message(number: int) -> bytes:
    return json.dumps({"number": number}).encode()


def numbers(server: HookServer) -> list[int]:
    return [taken["number"] for taken in server.taken]


def test_messages_arrive_in_order_as_json(server, send_to):
    sender = send_to(server.url)
    for number in range(5):
        sender.send(message(number))
    server.wait_for(taken=5)
    assert numbers(server) == [0, 1, 2, 3, 4]
    assert server.headers[0]["Content-Type"] == "application/json"


def test_name_that_can_not_be_looked_up_ends_no_thread():
    sender = HookSender(HookAddress(False, "lamp..local", 80, "/"), first_pause_s=0.02)
    sender.start()
    sender.send(message(1))
    time.sleep(0.1)
    assert "hook" in {thread.name for thread in threading.enumerate()}
    sender.close()


def test_refused_for_the_moment_is_sent_again_and_keeps_its_place(server, send_to):
    server.status = 503
    sender = send_to(server.url)
    sender.send(message(1))
    sender.send(message(2))
    server.wait_for(requests=3)
    server.status = 200
    server.wait_for(taken=2)
    assert numbers(server) == [1, 2]


def test_server_that_is_away_gets_everything_when_it_comes_back(send_to):
    server = HookServer()
    url, port = server.url, server.port
    server.stop()
    sender = send_to(url)
    sender.send(message(1))
    time.sleep(0.1)
    assert sender.waiting == 1
    returned = HookServer(port)
    try:
        sender.send(message(2))
        returned.wait_for(taken=2)
        assert numbers(returned) == [1, 2]
    finally:
        returned.stop()


def test_slow_server_makes_nobody_wait(server, send_to):
    server.delay_s = 0.4
    sender = send_to(server.url, answer_within_s=0.1)
    began = time.perf_counter()
    for number in range(20):
        sender.send(message(number))
    assert time.perf_counter() - began < 0.1
    server.wait_for(requests=2)  # given up and tried again
    assert sender.waiting == 20
    server.delay_s = 0.0
    server.wait_for(taken=20)


def test_redirect_is_not_followed_and_the_next_message_goes_on(server, send_to):
    elsewhere = HookServer()
    try:
        server.status, server.location = 307, elsewhere.url
        sender = send_to(server.url)
        sender.send(message(1))
        server.wait_for(requests=1)
        server.status = 200
        sender.send(message(2))
        server.wait_for(taken=1)
        assert numbers(server) == [2]
        assert elsewhere.requests == 0
    finally:
        elsewhere.stop()


def test_full_queue_drops_the_oldest():
    sender = HookSender(HookAddress.parse("http://127.0.0.1:9/"))
    for number in range(MOST_WAITING + 5):
        sender.send(message(number))
    assert sender.waiting == MOST_WAITING


def test_old_message_is_dropped(server):
    now_s = [0.0]
    sender = HookSender(HookAddress.parse(server.url), now=lambda: now_s[0])
    sender.send(message(1))
    now_s[0] = LONGEST_AGE_S + 1
    sender.send(message(2))
    sender.start()
    server.wait_for(taken=1)
    sender.close()
    assert numbers(server) == [2]


def test_closing_sends_the_last_message_and_does_not_wait_for_a_dead_server(server, send_to):
    sender = send_to(server.url)
    sender.send(message(1))
    sender.close()
    assert numbers(server) == [1]
    dead = send_to("http://127.0.0.1:9/")
    dead.send(message(1))
    began = time.perf_counter()
    dead.close()
    assert time.perf_counter() - began < 1.5

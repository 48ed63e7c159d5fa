"""Nothing leaves the machine: the app connects only to the chosen camera."""

import socket
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.support.game_night_client import EveningClient
from tests.support.mjpeg_camera import NetworkCamera, network_camera, wait_for
from tilekeeper.companion.web.api.extensions import parts

ASKED: list[tuple[str, object]] = []
"""The addresses that this process has contacted since a test began, with the audit event."""
EVENTS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request")
_watching = False


def _look(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event in EVENTS:
        ASKED.append((event, arguments[0] if event in ("urllib.Request", "socket.getaddrinfo") else arguments[-1]))


@pytest.fixture
def connections() -> Iterator[list[tuple[str, object]]]:
    """Record connections from now on; an audit hook can't be removed, so it ignores events afterwards."""
    global _watching
    if not hasattr(sys, "_tilekeeper_watched"):
        sys.addaudithook(_look)
        sys._tilekeeper_watched = True
    ASKED.clear()
    _watching = True
    yield ASKED
    _watching = False


@pytest.fixture
def camera_in_network() -> Iterator[NetworkCamera]:
    """A camera in the network."""
    with network_camera() as camera:
        yield camera


def test_watch_notices_a_connection(connections):
    with pytest.raises(OSError):  # noqa: PT011, the error of a closed port depends on the system
        socket.create_connection(("127.0.0.1", 9), 1.0)
    assert ("socket.connect", ("127.0.0.1", 9)) in connections


def test_game_night_connects_to_nobody(connections, by_hand: EveningClient):
    by_hand.deal("Ada", "Bo")
    for what in ("draw", "draw", "undo"):
        by_hand.act(what)
    for path in ("/", "/setup", "/join", "/api/self-test", "/api/sources", "/api/evening/history", "/api/access"):
        assert by_hand.http.get(path).status_code in (200, 302)
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack-points", player=1, points=12)  # the database is copied after this
    parts(by_hand.http.application).session.save()
    assert connections == []


@pytest.mark.slow
def test_network_camera_connects_only_to_its_address(connections, hand_app, camera_in_network: NetworkCamera):
    page = EveningClient(hand_app)
    parts(hand_app).watcher.start()
    page.post("/api/source", source=camera_in_network.address)
    wait_for(lambda: page.state["picture"] is not None)
    port = urlsplit(camera_in_network.address).port
    other_connections = [one for one in connections if one[1] not in (("127.0.0.1", port), "127.0.0.1")]
    assert [one for one in other_connections if one[0] != "socket.connect" or isinstance(one[1], tuple)] == []

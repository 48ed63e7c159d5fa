"""The address of the app and its source: ports in use, invalid addresses, missing cameras."""

import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilekeeper.companion.capture import source_choice as choosing
from tilekeeper.companion.capture.devices import Camera
from tilekeeper.companion.capture.source_choice import NO_CAMERA, choose_source
from tilekeeper.companion.capture.sources import SourceUnavailable
from tilekeeper.companion.web import server as serve
from tilekeeper.companion.web.server import CannotServe, listen


@pytest.fixture
def taken_port() -> Iterator[int]:
    """A port that is in use."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


LOADED = """
import sys
from pathlib import Path
import tilekeeper.companion.web.app, tilekeeper.companion.web.server
from tilekeeper.companion.storage.store import Store
Store(Path(sys.argv[1])).close()
print(*sorted({"alembic", "cryptography"} & set(sys.modules)))
"""


def test_rarely_needed_libraries_are_imported_only_when_needed(tmp_path: Path) -> None:
    """Alembic and the certificate library together take twenty megabytes."""
    output = subprocess.run([sys.executable, "-c", LOADED, tmp_path], capture_output=True, text=True, check=True)
    assert output.stdout.split() == []


def test_app_answers_at_its_own_address(make_app, camera):
    listening = listen(make_app(camera, watch=False), "127.0.0.1", 0)
    thread = threading.Thread(target=listening.server.serve)
    thread.start()
    try:
        with urllib.request.urlopen(listening.address, timeout=10) as answer:
            assert "Tilekeeper" in answer.read().decode()
    finally:
        listening.server.stop()
        thread.join(timeout=10)
    assert not thread.is_alive()


def test_requested_port_that_is_taken_is_an_error(make_app, camera, taken_port):
    with pytest.raises(CannotServe, match=f"port {taken_port} is taken; .*--port"):
        listen(make_app(camera, watch=False), "127.0.0.1", taken_port)


def test_next_free_port_is_used_without_a_request(make_app, camera, taken_port, monkeypatch):
    monkeypatch.setattr(serve, "DEFAULT_PORT", taken_port)
    listening = listen(make_app(camera, watch=False), "127.0.0.1", None)
    listening.server.stop()
    assert taken_port < listening.port < taken_port + serve.MORE_PORTS


def test_foreign_host_address_is_reported(make_app, camera):
    with pytest.raises(CannotServe, match=r"192\.0\.2\.7 is not an address of this machine"):
        listen(make_app(camera, watch=False), "192.0.2.7", 0)


def test_address_for_tablets_exists_only_with_access(make_app, camera):
    app = make_app(camera, watch=False)
    inside, outside = listen(app, "127.0.0.1", 0), listen(app, "0.0.0.0", 0)
    inside.server.stop()
    outside.server.stop()
    assert inside.address_for_others is None
    assert outside.address == f"http://127.0.0.1:{outside.port}/"
    assert outside.address_for_others is None or f":{outside.port}/" in outside.address_for_others


def test_without_a_camera_the_recorded_table_is_played(monkeypatch, film_path):
    monkeypatch.setattr(choosing, "cameras", tuple)
    monkeypatch.setattr(choosing, "demo_path", lambda: film_path)
    chosen = choose_source(None)
    try:
        assert (chosen.source.kind, chosen.notice) == ("video", NO_CAMERA)
        assert chosen.source.read(timeout_s=5.0) is not None
    finally:
        chosen.source.close()


def test_missing_camera_and_recording_give_advice(monkeypatch):
    monkeypatch.setattr(choosing, "cameras", tuple)
    monkeypatch.setattr(choosing, "demo_path", lambda: None)
    with pytest.raises(SourceUnavailable, match="--source"):
        choose_source(None)


def test_cameras_without_pictures_are_skipped(monkeypatch, film_path):
    tried: list[str] = []

    def none(text: str, *_: object) -> None:
        tried.append(text)
        raise SourceUnavailable(text)

    monkeypatch.setattr(choosing, "cameras", lambda: (Camera("0", "Camera 0"), Camera("2", "Camera 2")))
    monkeypatch.setattr(choosing, "demo_path", lambda: None)
    monkeypatch.setattr(choosing, "open_source", none)
    with pytest.raises(SourceUnavailable, match="no camera"):
        choose_source(None)
    assert tried == ["0", "2"]

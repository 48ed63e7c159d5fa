"""Network cameras that are not what they seem: they lead elsewhere, answer with a playlist, or have no certificate."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from ssl import SSLContext

import numpy as np
import pytest

from tests.support.mjpeg_camera import NetworkCamera, network_camera
from tests.support.rtsp_camera import rtsp_camera
from tilekeeper.companion.capture.video_capture import CaptureFailed, open_stream
from tilekeeper.companion.storage.certificates import Certificates

pytestmark = pytest.mark.slow  # real connections

Answer = Callable[[BaseHTTPRequestHandler], None]


@contextlib.contextmanager
def answering(answer: Answer, context: SSLContext | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield the port of a server that answers every request in one way, and the paths that it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            with contextlib.suppress(OSError):
                answer(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_address[1], paths
        server.shutdown()


def answer_with(status: int, body: str = "", **headers: str) -> Answer:
    """Return an answer with a body and headers; `_` in their names stands for a hyphen."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body.encode())

    return answer


def stream(request: BaseHTTPRequestHandler) -> None:
    """Answer with a short film."""
    answer_with(200, Content_Type="multipart/x-mixed-replace; boundary=frame")(request)
    camera = NetworkCamera()
    for _ in range(50):
        request.wfile.write(camera.part())


@pytest.mark.parametrize(
    "leads",
    [
        lambda to: answer_with(302, Location=to),
        lambda to: answer_with(200, f"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n{to}\n#EXT-X-ENDLIST\n"),
        lambda to: answer_with(200, f"ffconcat version 1.0\nfile '{to}'\n"),
    ],
    ids=["redirect", "playlist", "list of films"],
)
def test_camera_does_not_send_the_app_to_another_address(leads: Callable[[str], Answer]) -> None:
    with answering(stream) as (port, paths):
        with answering(leads(f"http://127.0.0.1:{port}/door/open")) as (camera, _), pytest.raises(CaptureFailed):
            open_stream(f"http://127.0.0.1:{camera}/video.m3u8")
        assert paths == []


@pytest.mark.parametrize(
    "first_lines",
    [
        "RTSP/1.0 302 Moved",
        "RTSP/1.0\t302 Moved",
        " RTSP/1.0 302 Moved",
        "RTSP/1.0 0302 Moved",
        "RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 2\r\nContent-Length: 0\r\n\r\n\r\nRTSP/1.0 302 Moved",
        "RTSP/1.0 200 OK\r\n$: \r\nCSeq: 1\r\n\r\nRTSP/1.0 302 Moved",
        "$\0\0\7RTSP/1 302 Moved",
    ],
    ids=["redirect", "tab", "space", "number", "two lengths", "media in a message", "message in media"],
)
def test_rtsp_camera_does_not_send_the_app_to_another_address(first_lines: str) -> None:
    """FFmpeg follows such redirects, so its connection to an RTSP camera leads through a relay that ends it."""
    with rtsp_camera() as elsewhere:
        location = f"\r\nCSeq: 1\r\nLocation: {elsewhere.address}\r\n\r\n"
        with rtsp_camera(lambda *_: first_lines + location) as camera, pytest.raises(CaptureFailed):
            open_stream(camera.address)
        assert camera.requests
        assert elsewhere.requests == []


@pytest.mark.parametrize("encrypted", [False, True])
def test_film_of_an_rtsp_camera_comes_through_the_relay(
    encrypted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The camera gets path and query as they were typed."""
    certificates = Certificates(tmp_path / "camera", ("127.0.0.1",))
    own = tmp_path / "camera.pem"
    own.write_text(certificates.authority_pem())
    monkeypatch.setenv("SSL_CERT_FILE", str(own))
    with rtsp_camera(context=certificates.context() if encrypted else None) as camera:
        stream = open_stream(camera.address)
        image = stream.read()
        stream.close()
        assert image is not None
        assert image.shape == (240, 320, 3)
        assert np.abs(image.astype(int) - (60, 90, 40)).max() < 4
        assert {line.partition("/live?channel=1")[2].partition(" ")[0] for line in camera.requests} >= {"", "/video"}


def test_camera_does_not_make_the_app_read_files(tmp_path: Path) -> None:
    with network_camera() as camera:
        film = tmp_path / "film.mjpeg"
        film.write_bytes(camera.part())
    with (
        answering(answer_with(200, f"#EXTM3U\n#EXTINF:5,\nfile://{film}\n#EXT-X-ENDLIST\n")) as (port, _),
        pytest.raises(CaptureFailed),
    ):
        open_stream(f"http://127.0.0.1:{port}/video.m3u8")


def test_https_camera_needs_a_certificate_that_this_machine_trusts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one the camera gets no request, and so no password; `SSL_CERT_FILE` names that of one's own camera."""
    certificates = Certificates(tmp_path / "camera", ("127.0.0.1",))
    with answering(stream, certificates.context()) as (port, paths):
        address = f"https://Ada:secret@127.0.0.1:{port}/video"
        with pytest.raises(CaptureFailed):
            open_stream(address)
        assert paths == []
        own = tmp_path / "camera.pem"
        own.write_text(certificates.authority_pem())
        monkeypatch.setenv("SSL_CERT_FILE", str(own))
        open_stream(address).close()
        assert paths == ["/video"]


def test_certificate_for_another_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificates = Certificates(tmp_path / "camera", ("192.168.1.7",))
    own = tmp_path / "camera.pem"
    own.write_text(certificates.authority_pem())
    monkeypatch.setenv("SSL_CERT_FILE", str(own))
    with answering(stream, certificates.context()) as (port, paths):
        with pytest.raises(CaptureFailed):
            open_stream(f"https://127.0.0.1:{port}/video")
        assert paths == []

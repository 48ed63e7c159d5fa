"""A network camera that speaks RTSP: JPEG over RTP (RFC 2435) within the connection, or any other answer."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from ssl import SSLContext

import cv2
import numpy as np

PICTURE_WH = (320, 240)
MOST_FRAMES = 500
_MOST_PAYLOAD_BYTES = 1300
_CLOCK_HZ = 90_000
_FPS = 20
_JPEG = 26
"""The payload type of RFC 3551 for JPEG."""
_JPEG_420 = 1
"""The type of RFC 2435 for JPEG files as OpenCV writes them, with colours at half the size."""
_TABLES_IN_PACKET = 255

Answer = Callable[[str, str], str]
"""Returns the head and body of an answer for the method and the address of a request; empty to send no answer."""


class RtspCamera:
    """A camera at `address`, which answers with `answers`; `requests` has the first line of each request."""

    def __init__(self, answers: Answer | None = None, context: SSLContext | None = None) -> None:
        self.requests: list[str] = []
        self._answers = self._usual if answers is None else answers
        self._listener = socket.create_server(("127.0.0.1", 0))
        scheme, port = "rtsp" if context is None else "rtsps", self._listener.getsockname()[1]
        if context is not None:
            self._listener = context.wrap_socket(self._listener, server_side=True)
        self.address = f"{scheme}://127.0.0.1:{port}/live?channel=1"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _usual(self, method: str, address: str) -> str:
        match method:
            case "OPTIONS":
                return "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n\r\n"
            case "DESCRIBE":
                body = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=video 0 RTP/AVP 26\r\na=control:video\r\n"
                head = f"Content-Base: {address}/\r\nContent-Type: application/sdp\r\nContent-Length: {len(body)}"
                return f"{head}\r\n\r\n{body}"
            case "SETUP":
                return "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1\r\n\r\n"
        return "Session: 1\r\n\r\n"

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as requests, contextlib.suppress(OSError, ValueError):
            while first := requests.readline().decode():
                headers = {}
                while line := requests.readline().decode().strip():
                    name, _, value = line.partition(": ")
                    headers[name.lower()] = value
                self.requests.append(first.strip())
                method, address, _ = first.split()
                answer = self._answers(method, address)
                status = (
                    ""
                    if answer.lstrip(" ").startswith(("RTSP/", "$"))
                    else f"RTSP/1.0 200 OK\r\nCSeq: {headers['cseq']}\r\n"
                )
                connection.sendall(f"{status}{answer}".encode())
                if method == "PLAY":
                    threading.Thread(target=_send_film, args=(connection,), daemon=True).start()


def _send_film(connection: socket.socket) -> None:
    image = np.full((PICTURE_WH[1], PICTURE_WH[0], 3), (60, 90, 40), np.uint8)
    number = 0
    with contextlib.suppress(OSError):
        for frame in range(MOST_FRAMES):
            for packet in _packets(image):
                head = struct.pack(">BBHII", 0x80, packet[0] | _JPEG, number & 0xFFFF, frame * _CLOCK_HZ // _FPS, 1)
                data = head + packet[1:]
                connection.sendall(b"$\0" + struct.pack(">H", len(data)) + data)
                number += 1
            time.sleep(1 / _FPS)


def _packets(image: np.ndarray) -> Iterator[bytes]:
    """Yield the packets of a picture: a byte with the marker of the last packet, then the payload."""
    jpeg = cv2.imencode(".jpg", image)[1].tobytes()
    tables, at = b"", 2
    while jpeg[at + 1] != 0xDA:
        (length,) = struct.unpack(">H", jpeg[at + 2 : at + 4])
        if jpeg[at + 1] == 0xDB:
            tables += b"".join(jpeg[start + 1 : start + 65] for start in range(at + 4, at + 2 + length, 65))
        at += 2 + length
    (length,) = struct.unpack(">H", jpeg[at + 2 : at + 4])
    scan = jpeg[at + 2 + length : -2]
    for offset in range(0, len(scan), _MOST_PAYLOAD_BYTES):
        part = scan[offset : offset + _MOST_PAYLOAD_BYTES]
        head = struct.pack(">I", offset) + bytes((_JPEG_420, _TABLES_IN_PACKET, PICTURE_WH[0] // 8, PICTURE_WH[1] // 8))
        if offset == 0:
            head += struct.pack(">BBH", 0, 0, len(tables)) + tables
        marker = 0x80 if offset + len(part) == len(scan) else 0
        yield bytes((marker,)) + head + part


@contextlib.contextmanager
def rtsp_camera(answers: Answer | None = None, context: SSLContext | None = None) -> Iterator[RtspCamera]:
    """Yield a camera that is plugged in; it encrypts with `context`."""
    camera = RtspCamera(answers, context)
    try:
        yield camera
    finally:
        camera.close()

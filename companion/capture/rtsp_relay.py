"""A relay between FFmpeg and an RTSP camera, so that the camera can't send the app to another address.

FFmpeg follows redirects of RTSP (RFC 2326, 11.3), and no option turns that off. So it connects to this relay on the
same machine. The relay forwards its requests to the camera, and writes the camera's messages anew, without redirects.
"""

from __future__ import annotations

import re
import socket
import ssl
import threading
from contextlib import suppress
from typing import IO, Final
from urllib.parse import urlsplit

RELAYED_SCHEMES: Final = {"rtsp": 554, "rtsps": 322}
"""The schemes that need the relay, with their default ports."""
_PIECE_BYTES: Final = 64 * 1024
_MOST_LINE_BYTES: Final = 4096
_MOST_LINES: Final = 100
_MOST_BODY_BYTES: Final = 1_000_000
"""The largest body of a message; it describes the streams (SDP) in a few kilobytes."""
_LEAST_MEDIA_BYTES: Final = 8
"""FFmpeg would take the content of a shorter piece of media for a message."""
_FIRST_LINE: Final = re.compile(
    rb"RTSP/1\.[0-9] [1245][0-9]{2}( .*)?|(OPTIONS|[GS]ET_PARAMETER|ANNOUNCE|TEARDOWN) \S+ RTSP/1\.[0-9]"
)
"""The first line of an answer that is no redirect, or of a request of the camera."""
_LENGTH: Final = re.compile(rb"[0-9]{1,7}")


class _Refused(Exception):  # noqa: N818, the connection ends with it
    """A message of the camera is malformed or leads elsewhere."""


class RtspRelay:
    """A relay for one connection of FFmpeg, which must begin within `timeout_s` seconds; it ends with either side."""

    def __init__(self, url: str, timeout_s: float) -> None:
        """Wait for FFmpeg in a thread; `url` is the camera's address, which has a scheme of `RELAYED_SCHEMES`."""
        parts = urlsplit(url)
        scheme = parts.scheme.lower()
        self._camera = parts.hostname or "", parts.port or RELAYED_SCHEMES[scheme]
        self._context = ssl.create_default_context() if scheme == "rtsps" else None
        self._timeout_s = timeout_s
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1)
        self._listener.settimeout(timeout_s)
        user, at, _ = parts.netloc.rpartition("@")
        netloc = f"{user}{at}127.0.0.1:{self._listener.getsockname()[1]}"
        self.url = parts._replace(scheme="rtsp", netloc=netloc).geturl()
        """The address for FFmpeg, with the user, the password and the path of the camera's address."""
        threading.Thread(target=self._run, name="rtsp-relay", daemon=True).start()

    def _run(self) -> None:
        with suppress(OSError):
            with self._listener:
                ffmpeg, _ = self._listener.accept()
            with ffmpeg:
                self._serve(ffmpeg)

    def _serve(self, ffmpeg: socket.socket) -> None:
        with self._connect() as camera:
            camera.settimeout(None)
            threading.Thread(target=_forward, args=(ffmpeg, camera), name="rtsp-requests", daemon=True).start()
            try:
                with camera.makefile("rb") as messages, suppress(_Refused):
                    _pass_on(messages, ffmpeg)
            finally:
                for side in (ffmpeg, camera):  # this wakes the other thread
                    _shut_down(side)

    def _connect(self) -> socket.socket:
        plain = socket.create_connection(self._camera, self._timeout_s)
        if self._context is None:
            return plain
        try:
            return self._context.wrap_socket(plain, server_hostname=self._camera[0])
        except OSError:
            plain.close()
            raise


def _forward(ffmpeg: socket.socket, camera: socket.socket) -> None:
    with suppress(OSError):
        while piece := ffmpeg.recv(_PIECE_BYTES):
            camera.sendall(piece)
    _shut_down(camera)


def _shut_down(side: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(side, socket.SHUT_RDWR)  # not of `SSLSocket`, whose state another thread uses


def _pass_on(messages: IO[bytes], ffmpeg: socket.socket) -> None:
    """Pass the camera's messages and the media between them (interleaved, RFC 2326, 10.12) on to FFmpeg.

    Raises:
        _Refused: for a message that leads elsewhere or is malformed.
    """
    while first := messages.read(1):
        if first == b"$":
            head = _read(messages, 3)
            media = _read(messages, int.from_bytes(head[1:], "big"))
            if len(media) >= _LEAST_MEDIA_BYTES:
                ffmpeg.sendall(first + head + media)
        elif first.isalpha():  # other bytes are between messages, or came by mistake
            ffmpeg.sendall(_message(first, messages))


def _message(first: bytes, messages: IO[bytes]) -> bytes:
    """Read a message and return it anew, so that FFmpeg can't read it in another way than this function does."""
    lines = [first + _line(messages)]
    if not _FIRST_LINE.fullmatch(lines[0]):
        raise _Refused
    lengths: set[bytes] = set()
    while line := _line(messages):
        name, _, value = line.partition(b":")
        if line.startswith(b"$") or len(lines) > _MOST_LINES:  # FFmpeg takes such a line for media
            raise _Refused
        if name.strip().lower() == b"content-length":
            lengths.add(value.strip())
        elif name.strip().lower() != b"location":
            lines.append(line)
    body = b""
    if lengths:
        length = lengths.pop()
        if lengths or not _LENGTH.fullmatch(length) or int(length) > _MOST_BODY_BYTES:
            raise _Refused
        body = _read(messages, int(length))
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join((*lines, b"", body))


def _line(messages: IO[bytes]) -> bytes:
    line = messages.readline(_MOST_LINE_BYTES)
    if not line.endswith(b"\n"):
        raise _Refused
    return line[:-1].replace(b"\r", b"")


def _read(messages: IO[bytes], count: int) -> bytes:
    data = messages.read(count)
    if len(data) < count:
        raise _Refused
    return data

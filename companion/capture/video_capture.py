"""Video capture with OpenCV for cameras, streams and recordings; OpenCV and FFmpeg print nothing."""

import os
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np

from tilekeeper.companion.capture.rtsp_relay import RELAYED_SCHEMES, RtspRelay
from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.arrays import Image
from tilekeeper.vision.imaging import convert

# A stream that delivers no first frame within this time fails to open.
STREAM_OPEN_TIMEOUT_MS = 6000
# A stream that delivers no further frame within this time is lost.
STREAM_READ_TIMEOUT_MS = 6000
# Frames per second of a recording that states no rate, or one outside 1 to 240.
DEFAULT_VIDEO_FPS = 25.0

# Options of FFmpeg for a stream; they replace those that the user has set for OpenCV. With them FFmpeg reads no
# playlists, follows no redirects of HTTP, opens no files, and checks certificates. By its defaults a camera could send
# the app to any address. Over UDP an RTSP camera could too; redirects of RTSP are refused by `RtspRelay`.
_STREAM_OPTIONS = {
    "rtsp_transport": "tcp",
    "max_redirects": "0",
    "format_whitelist": "mpjpeg,mjpeg,jpeg_pipe,rtsp,rtp,mpegts,mov,matroska,flv,h264,hevc",
    "protocol_whitelist": "http,https,httpproxy,tls,tcp,udp,rtp,srtp,rtsp,rtmp,rtmps",
    "tls_verify": "1",
    # A thread for each core would multiply the memory of a frame.
    "threads": "4",
}
_ENCRYPTED_PORTS = {"https": 443, "rtsps": 322, "rtmps": 443}
_USUAL_CA_FILE = "/etc/ssl/certs/ca-certificates.crt"

_OPTIONS = "OPENCV_FFMPEG_CAPTURE_OPTIONS"
_opening = threading.Lock()

MJPG = cv2.VideoWriter.fourcc(*"MJPG")


class CaptureFailed(Exception):  # noqa: N818, the name says it
    """OpenCV could not open a source; the message, without capital letter and full stop, says why and what to do."""


class Capture:
    """An opened video; `fps` is the rate of a recording in frames per second.

    With `packed`, OpenCV delivers the frames as JPEGs as they were sent, and `retrieve` decodes them on demand.
    """

    def __init__(self, capture: cv2.VideoCapture, packed: bool = False) -> None:
        self._capture = capture
        self._packed = packed
        fps = capture.get(cv2.CAP_PROP_FPS)
        self.fps = fps if 1 <= fps <= 240 else DEFAULT_VIDEO_FPS
        self._picture: Image | None = None
        self._sent = np.zeros((0, 0), np.uint8)
        self._is_first = False
        self._is_first = self.grab() and self.retrieve() is not None

    @property
    def gives_pictures(self) -> bool:
        """Whether a first frame came, since many sources open but never deliver a frame."""
        return self._is_first

    @property
    def image_wh(self) -> tuple[int, int]:
        """Width and height in pixels of the grabbed frame; zeros if it cannot be decoded."""
        image = self.retrieve()
        return (0, 0) if image is None else (image.shape[1], image.shape[0])

    def read(self) -> Image | None:
        """Return the next frame `(H, W, 3) uint8` BGR; None at the end, or if the frame is broken."""
        return self.retrieve() if self.grab() else None

    def grab(self) -> bool:
        """Grab the next frame without decoding it; return whether one came."""
        if self._is_first:
            self._is_first = False
            return True
        self._picture = None
        try:
            if not self._packed:
                return bool(self._capture.grab())
            is_ok, sent = self._capture.read()
        except cv2.error:
            return False
        if not is_ok or sent is None:
            return False
        self.repeats, self._sent = np.array_equal(self._sent, sent), np.asarray(sent, np.uint8)
        return True

    repeats: bool | None = None
    """Whether the grabbed frame equals the frame before byte for byte; None unless `packed`."""

    @property
    def is_decoded(self) -> bool:
        """Whether the grabbed frame is decoded already, so that `retrieve` takes no time."""
        return self._picture is not None

    def retrieve(self) -> Image | None:
        """Return the grabbed frame `(H, W, 3) uint8`, BGR; None if it is broken."""
        if self._picture is None:
            self._picture = self._decode()
        return self._picture

    def thumbnail(self) -> Image | None:
        """Return the grabbed frame `(H, W) uint8` in grey, scaled to an eighth; None if it is broken."""
        if self._packed:
            return _decode_jpeg(self._sent, cv2.IMREAD_REDUCED_GRAYSCALE_8)
        picture = self.retrieve()
        return None if picture is None else np.ascontiguousarray(picture[::8, ::8, 1])

    def _decode(self) -> Image | None:
        if self._packed:
            return _decode_jpeg(self._sent, cv2.IMREAD_COLOR)
        try:
            is_ok, image = self._capture.retrieve()
        except cv2.error:
            return None
        if not is_ok or image is None:
            return None
        levels = np.asarray(image, np.uint8)
        return convert(levels, cv2.COLOR_GRAY2BGR) if levels.ndim == 2 else levels

    def close(self) -> None:
        self._capture.release()


def _decode_jpeg(jpeg: Image, flags: int) -> Image | None:
    try:
        image = cv2.imdecode(jpeg, flags | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, np.uint8)


@cache
def silence() -> None:
    """Turn off the logs of OpenCV and FFmpeg; call before the first video is opened."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def open_camera(which: int | str, prepare: Callable[[cv2.VideoCapture], object] | None = None) -> Capture:
    """Open a camera by index or device file, and `prepare` it before its first frame; may raise `CaptureFailed`."""
    silence()
    capture = cv2.VideoCapture(which, cv2.CAP_V4L2 if sys.platform == "linux" else cv2.CAP_ANY)
    if prepare is not None and capture.isOpened():
        prepare(capture)
    return _require_frames(capture, "it gives no picture; close other programs that use it, or name another camera")


def open_stream(url: str) -> Capture:
    """Open a network stream; raise `CaptureFailed` if it fails or takes longer than `STREAM_OPEN_TIMEOUT_MS`."""
    silence()
    _check_certificate(url)
    opened_ms, read_ms = STREAM_OPEN_TIMEOUT_MS, STREAM_READ_TIMEOUT_MS
    timeouts = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, opened_ms, cv2.CAP_PROP_READ_TIMEOUT_MSEC, read_ms]
    ca_file = ssl.get_default_verify_paths().cafile or _USUAL_CA_FILE
    with _ffmpeg_options(_STREAM_OPTIONS | {"ca_file": ca_file}):
        capture = cv2.VideoCapture(_relayed(url), cv2.CAP_FFMPEG, timeouts)
        wide, high = round(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
        if round(capture.get(cv2.CAP_PROP_FOURCC)) == MJPG and capture.set(cv2.CAP_PROP_FORMAT, -1):
            packed = Capture(capture, packed=True)
            if packed.gives_pictures and packed.image_wh == (wide, high):
                return packed
            capture.release()  # for example interlaced frames, which FFmpeg merges
            capture = cv2.VideoCapture(_relayed(url), cv2.CAP_FFMPEG, timeouts)
    return _require_frames(
        capture, "no video comes from there; check its address, which may not lead elsewhere, and the camera"
    )


def _relayed(url: str) -> str:
    """Return the address at which FFmpeg opens a stream once: of a new `RtspRelay` for RTSP, else `url` itself."""
    if urlsplit(url).scheme.lower() not in RELAYED_SCHEMES:
        return url
    try:
        return RtspRelay(url, STREAM_OPEN_TIMEOUT_MS / 1000).url
    except (OSError, ValueError) as error:
        raise CaptureFailed(" ".join(str(error).split())) from None


@contextmanager
def _ffmpeg_options(options: Mapping[str, str]) -> Iterator[None]:
    """Set FFmpeg's options for videos that the block opens; OpenCV reads them only from an environment variable."""
    with _opening:
        before = os.environ.get(_OPTIONS)
        os.environ[_OPTIONS] = "|".join(f"{name};{value}" for name, value in options.items())
        try:
            yield
        finally:
            del os.environ[_OPTIONS]
            if before is not None:
                os.environ[_OPTIONS] = before


def _check_certificate(url: str) -> None:
    """Raise `CaptureFailed` if an encrypted stream has no certificate for its host that this computer trusts.

    FFmpeg checks the certificate too, but not whether it was issued for an IP address such as 192.168.1.7.
    """
    parts = urlsplit(url)
    default_port = _ENCRYPTED_PORTS.get(parts.scheme.lower())
    if default_port is None:
        return
    try:
        address = (parts.hostname or "", parts.port or default_port)
        with (
            socket.create_connection(address, STREAM_OPEN_TIMEOUT_MS / 1000) as connection,
            ssl.create_default_context().wrap_socket(connection, server_hostname=address[0]),
        ):
            pass
    except ssl.SSLError:
        raise CaptureFailed(
            lazy_gettext(
                "this machine does not trust its certificate; set SSL_CERT_FILE to the camera's certificate file"
            )
        ) from None
    except (OSError, ValueError) as error:
        raise CaptureFailed(" ".join(str(error).split())) from None


def open_recording(path: Path) -> Capture:
    """Open a video file; raise `CaptureFailed` if it can't be played."""
    silence()
    with _ffmpeg_options({"protocol_whitelist": "file"}):
        capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    return _require_frames(capture, "no video that can be played; give an MP4, or a folder of photos")


def _require_frames(capture: cv2.VideoCapture, complaint: str) -> Capture:
    if capture.isOpened():
        opened = Capture(capture)
        if opened.gives_pictures:
            return opened
    capture.release()
    raise CaptureFailed(complaint)

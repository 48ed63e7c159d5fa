"""Cameras, streams, recordings and photo folders deliver the newest frame and report errors in one line."""

import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest

from tilekeeper.companion.capture.addresses import hide_password
from tilekeeper.companion.capture.sources import (
    Frame,
    LiveSource,
    PhotoSource,
    Source,
    SourceUnavailable,
    ThrottledSource,
    open_source,
)
from tilekeeper.companion.capture.thumbnails import FULL_FRAME_INTERVAL_S
from tilekeeper.companion.capture.video_capture import silence

RECONNECT_PAUSE_S = 5.0


def grey_picture(level: int, width: int = 128, height: int = 96) -> np.ndarray:
    return np.full((height, width, 3), level, np.uint8)


def level_of(frame: Frame | None) -> int:
    assert frame is not None
    return round(float(frame.image_bgr.mean()))


@contextmanager
def constant(name: str, value_s: float) -> Iterator[None]:
    """Change a constant of the module `camera`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"tilekeeper.companion.capture.sources.{name}", value_s)
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of three photos whose grey levels are their numbers, a broken photo, and other files."""
    for number in (2, 10, 1):
        cv2.imwrite(str(tmp_path / f"photo-{number}.png"), grey_picture(number * 10))
    (tmp_path / "photo-3.jpg").write_bytes(b"\xff\xd8 no picture")
    (tmp_path / ".hidden.png").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("not a photo")
    return tmp_path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Return a recording of half a second at 20 frames per second that grows brighter."""
    silence()  # FFmpeg reads its log level at first use, which includes writing
    path = tmp_path / "game.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 20, (128, 96))
    for level in range(20, 220, 20):
        writer.write(grey_picture(level))
    writer.release()
    return path


class Camera(ThreadingHTTPServer):
    """A network camera with an MJPEG stream whose frames are as bright as `level`."""

    allow_reuse_address = True
    daemon_threads = True
    level = 60
    broken = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a viewer that disconnects."""


class Stream(BaseHTTPRequestHandler):
    server: Camera

    def do_GET(self) -> None:
        if not self.path.startswith("/stream"):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        while not self.server.stopped.is_set():
            jpeg = cv2.imencode(".jpg", grey_picture(self.server.level))[1].tobytes()
            if self.server.broken:
                jpeg = jpeg[:200] + b"\xff\xd9"
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
            self.wfile.write(head.encode() + jpeg + b"\r\n")
            time.sleep(0.02)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def network_camera(port: int = 0) -> Iterator[Camera]:
    server = Camera(("127.0.0.1", port), Stream)
    server.stopped = threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def open_quickly(text: object) -> Iterator[Source]:
    source = open_source(str(text), RECONNECT_PAUSE_S)
    try:
        yield source
    finally:
        source.close()


def test_photos_are_stepped_through_in_natural_order_and_delivered_once(folder: Path) -> None:
    with open_quickly(folder) as source:
        assert isinstance(source, PhotoSource)
        assert (source.kind, source.count, source.name) == ("photos", 4, folder.name)
        first = source.read()
        assert level_of(first) == 10
        assert (first.name, first.index) == ("photo-1.png", 0)
        assert source.read(timeout_s=0.01) is None
        assert source.step(1) == 1
        assert level_of(source.read()) == 20
        assert source.step(2) == 3
        assert level_of(source.read()) == 100
        assert source.step(1) == 0
        assert source.step(-1) == 3
        assert level_of(source.read()) == 100


def test_broken_photo_is_reported_and_the_next_is_read(folder: Path) -> None:
    with open_quickly(folder) as source:
        source.step(2)
        with pytest.raises(SourceUnavailable, match=r"^photo-3\.jpg: cut off"):
            source.read()
        source.step(1)
        assert level_of(source.read()) == 100


def test_step_wakes_a_waiting_reader(folder: Path) -> None:
    with open_quickly(folder) as source:
        source.read()
        timer = threading.Timer(0.1, source.step, (1,))
        timer.start()
        start_s = time.monotonic()
        assert level_of(source.read(timeout_s=10)) == 20
        assert time.monotonic() - start_s < 5
        timer.join()


def test_single_photo_opens_as_a_folder_of_one(folder: Path) -> None:
    with open_quickly(folder / "photo-10.png") as source:
        assert (source.kind, source.count) == ("photos", 1)
        assert level_of(source.read()) == 100


def test_recording_plays_at_its_rate_and_starts_over_at_0(recording: Path) -> None:
    with constant("LAST_FRAME_HOLD_S", 0.1), open_quickly(recording) as source:
        assert (source.kind, source.name) == ("video", "game.mp4")
        frames = []
        while len(frames) < 200:
            frame = source.read(timeout_s=5)
            assert frame is not None
            if frames and frame.index < frames[-1].index:
                break
            frames.append(frame)
        assert frame.index <= 1
    indices = [frame.index for frame in frames]
    assert indices == sorted(set(indices))
    assert indices[-1] == 9
    spent_s = frames[-1].time_s - frames[0].time_s
    assert spent_s > (indices[-1] - indices[0]) / 20 - 0.04
    # compression keeps the brightness
    assert all(abs(level_of(frame) - 20 * (frame.index + 1)) < 6 for frame in frames)


def test_slow_reader_gets_the_newest_frame(recording: Path) -> None:
    with constant("LAST_FRAME_HOLD_S", 30.0), open_quickly(recording) as source:
        deadline_s = time.monotonic() + 20
        while source._newest is None or source._newest.index < 9:
            assert time.monotonic() < deadline_s
            time.sleep(0.02)
        assert source.read().index == 9
        assert source.read(timeout_s=0.01) is None


def test_lost_network_stream_is_reported_and_reopened() -> None:
    with network_camera() as camera:
        port = camera.server_address[1]
        source = open_source(f"http://127.0.0.1:{port}/stream", 0.5)
        try:
            assert source.kind == "stream"
            assert abs(level_of(source.read(timeout_s=10)) - 60) < 4
            camera.stopped.set()
            wait_until(lambda: source.trouble)
            assert "127.0.0.1" in source.trouble
            assert "\n" not in source.trouble
        except BaseException:
            source.close()
            raise
    try:
        with network_camera(port) as camera:
            camera.level = 160
            wait_until(lambda: not source.trouble)
            wait_until(lambda: abs(level_of(source.read(timeout_s=10)) - 160) < 4)
    finally:
        source.close()


@pytest.mark.slow
def test_resting_stream_delivers_changes_at_once_and_little_else() -> None:
    with network_camera() as camera, open_quickly(f"http://127.0.0.1:{camera.server_address[1]}/stream") as source:
        assert isinstance(source, ThrottledSource)
        counts = {}
        for resting in (False, True):
            source.rest(resting)
            assert source.read(timeout_s=10) is not None
            end_s = time.monotonic() + 2
            counts[resting] = sum(source.read(timeout_s=0.1) is not None for _ in until_s(end_s))
        assert counts[True] <= 2 / FULL_FRAME_INTERVAL_S + 1 < counts[False]
        came_s = {source.came_s for _ in until_s(time.monotonic() + 2) if source.read(timeout_s=0.05) is None}
        assert len(came_s) > 10, "it is heard of by more than the pictures that it gives"
        camera.level = 160
        wait_until(lambda: (frame := source.read(timeout_s=0.5)) is not None and abs(level_of(frame) - 160) < 4)


@pytest.mark.slow
def test_broken_frames_of_a_stream_are_skipped() -> None:
    with network_camera() as camera, open_quickly(f"http://127.0.0.1:{camera.server_address[1]}/stream") as source:
        assert abs(level_of(source.read(timeout_s=10)) - 60) < 4
        camera.broken = True
        time.sleep(0.2)
        while source.read(timeout_s=0.2) is not None:
            pass
        camera.level, camera.broken = 160, False
        wait_until(lambda: (frame := source.read(timeout_s=0.5)) is not None and abs(level_of(frame) - 160) < 4)


@pytest.mark.slow
def test_resting_stream_with_only_broken_frames_is_reopened() -> None:
    with network_camera() as camera, open_quickly(f"http://127.0.0.1:{camera.server_address[1]}/stream") as source:
        assert isinstance(source, ThrottledSource)
        source.rest(True)
        assert source.read(timeout_s=10) is not None
        camera.broken = True
        wait_until(lambda: source.trouble)
        camera.broken = False
        wait_until(lambda: source.read(timeout_s=0.5) is not None and not source.trouble)


def until_s(end_s: float) -> Iterator[None]:
    while time.monotonic() < end_s:
        yield


def wait_until(true: object, timeout_s: float = 30) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def test_closing_ends_the_thread_and_wakes_readers(recording: Path) -> None:
    """A waiting reader gets None, and closing twice is allowed."""
    source = open_source(str(recording), RECONNECT_PAUSE_S)
    assert isinstance(source, LiveSource)
    source.close()
    assert source.read(timeout_s=5) is None
    assert not source._thread.is_alive()
    source.close()


class OnePicture:
    """A camera that delivers one frame and then blocks until it is closed."""

    def __init__(self) -> None:
        self._picture: np.ndarray | None = grey_picture(50)
        self._was_given = False
        self.ended = threading.Event()

    def grab(self) -> bool:
        if self._was_given:
            self._picture = None
            self.ended.wait()
            return False
        self._was_given = True
        return True

    def retrieve(self) -> np.ndarray | None:
        return self._picture

    def close(self) -> None:
        pass


def test_delivered_frame_is_freed_while_the_next_is_awaited() -> None:
    """A table may be still for long, and a frame takes megabytes."""
    camera = OnePicture()
    source = LiveSource("stream", "a stream", lambda: camera, RECONNECT_PAUSE_S)
    frame = source.read(timeout_s=10)
    assert frame is not None
    held = weakref.ref(frame.image_bgr)
    del frame
    wait_until(lambda: held() is None)
    camera.ended.set()
    source.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no source"),
        ("nowhere/at-all", "no such file"),
        ("~nobody-of-that-name/film.mp4", "no such file"),
        ("/dev/video97", "no such camera"),
        ("97", "/dev/video97"),
        ("ftp://host/film", "ftp"),
        ("http://127.0.0.1:9/stream", "address"),
        ("rtsp://anna:secret@127.0.0.1:9/live", "address"),
    ],
)
def test_unusable_source_is_reported_with_a_fix_and_without_password(
    text: str, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """OpenCV and FFmpeg print nothing."""
    with pytest.raises(SourceUnavailable) as caught:
        open_source(text, RECONNECT_PAUSE_S)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert "secret" not in message
    assert capfd.readouterr() == ("", "")


def test_text_file_and_empty_folder_are_no_sources(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "letter.mp4"
    text.write_text("Dear camera")
    with pytest.raises(SourceUnavailable, match="no video"):
        open_source(str(text), RECONNECT_PAUSE_S)
    picture = tmp_path / "letter.jpg"
    picture.write_text("Dear camera")
    with pytest.raises(SourceUnavailable, match="not a picture"):
        open_source(str(picture), RECONNECT_PAUSE_S)
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceUnavailable, match="no photos"):
        open_source(str(tmp_path / "empty"), RECONNECT_PAUSE_S)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("rtsp://Ada:secret@camera:554/live", "rtsp://…@camera:554/live"),
        ("http://camera/video?user=Ada&pwd=secret", "http://camera/video?…"),
        ("http://Ada:sec@camera/video?a/b@c#secret", "http://…@camera/video?…"),
        ("http://camera/video", "http://camera/video"),
        ("game.mp4", "game.mp4"),
    ],
)
def test_address_is_shown_without_passwords(address: str, shown: str) -> None:
    assert hide_password(address) == shown

"""Cameras, streams, recordings and folders open, give the newest picture, and say in one line what is wrong."""

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

from tilekeeper.vision.sources.camera import (
    Frame,
    LiveSource,
    PhotoSource,
    Source,
    SourceUnavailable,
    ThrottledSource,
    open_source,
)
from tilekeeper.vision.sources.capture import silence
from tilekeeper.vision.sources.thumbnails import FULL_FRAME_INTERVAL_S


def grey_picture(level: int, width: int = 128, height: int = 96) -> np.ndarray:
    return np.full((height, width, 3), level, np.uint8)


def level_of(frame: Frame | None) -> int:
    assert frame is not None
    return round(float(frame.image_bgr.mean()))


@contextmanager
def constant(name: str, value_s: float) -> Iterator[None]:
    """Give a constant of the module `camera` another value."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"tilekeeper.vision.sources.camera.{name}", value_s)
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three photos whose grey levels are their numbers, a broken one, and things that are no photos."""
    for number in (2, 10, 1):
        cv2.imwrite(str(tmp_path / f"photo-{number}.png"), grey_picture(number * 10))
    (tmp_path / "photo-3.jpg").write_bytes(b"\xff\xd8 no picture")
    (tmp_path / ".hidden.png").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("not a photo")
    return tmp_path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A film of twenty frames a second that grows brighter for half a second."""
    silence()  # FFmpeg takes its log level when it is first used, be it for writing
    path = tmp_path / "game.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 20, (128, 96))
    for level in range(20, 220, 20):
        writer.write(grey_picture(level))
    writer.release()
    return path


class Camera(ThreadingHTTPServer):
    """A network camera: serves an MJPEG stream whose pictures are as bright as `level`."""

    allow_reuse_address = True
    daemon_threads = True
    level = 60
    broken = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing when a viewer goes away."""


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
def opened(text: object) -> Iterator[Source]:
    source = open_source(str(text))
    try:
        yield source
    finally:
        source.close()


def test_folder_is_stepped_through_as_people_count(folder: Path) -> None:
    """1, 2, 3, 10: forwards, backwards, round the end; each photo is given once."""
    with opened(folder) as source:
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


def test_broken_photo_is_told_and_the_others_stay(folder: Path) -> None:
    """A photo that can't be read is an error of that photo alone."""
    with opened(folder) as source:
        source.step(2)
        with pytest.raises(SourceUnavailable, match=r"^photo-3\.jpg: cut off"):
            source.read()
        source.step(1)
        assert level_of(source.read()) == 100


def test_step_wakes_whoever_waits(folder: Path) -> None:
    """A watcher that waits for the next photo gets it as soon as it is stepped to."""
    with opened(folder) as source:
        source.read()
        timer = threading.Timer(0.1, source.step, (1,))
        timer.start()
        start_s = time.monotonic()
        assert level_of(source.read(timeout_s=10)) == 20
        assert time.monotonic() - start_s < 5
        timer.join()


def test_a_single_photo_is_a_folder_of_one(folder: Path) -> None:
    """A picture's file can be named itself."""
    with opened(folder / "photo-10.png") as source:
        assert (source.kind, source.count) == ("photos", 1)
        assert level_of(source.read()) == 100


def test_recording_plays_at_its_pace_and_starts_over(recording: Path) -> None:
    """Ten frames at 20 a second last half a second; after its rest the film begins again at 0."""
    with constant("LAST_FRAME_HOLD_S", 0.1), opened(recording) as source:
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
    # compressed, but each as bright as it was written
    assert all(abs(level_of(frame) - 20 * (frame.index + 1)) < 6 for frame in frames)


def test_slow_reader_gets_the_newest_frame(recording: Path) -> None:
    """Whoever comes late sees the table as it is, not a queue of what it was."""
    with constant("LAST_FRAME_HOLD_S", 30.0), opened(recording) as source:
        deadline_s = time.monotonic() + 20
        while source._newest is None or source._newest.index < 9:
            assert time.monotonic() < deadline_s
            time.sleep(0.02)
        assert source.read().index == 9
        assert source.read(timeout_s=0.01) is None


def test_network_stream_is_read_and_found_again() -> None:
    """A camera that goes away is missed in one line, and its pictures come again when it is back."""
    with constant("MAX_RECONNECT_PAUSE_S", 0.5), network_camera() as camera:
        port = camera.server_address[1]
        source = open_source(f"http://127.0.0.1:{port}/stream")
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
def test_a_stream_that_rests_gives_what_is_new_at_once_and_else_little() -> None:
    with network_camera() as camera, opened(f"http://127.0.0.1:{camera.server_address[1]}/stream") as source:
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
def test_broken_pictures_of_a_stream_are_passed_over() -> None:
    with network_camera() as camera, opened(f"http://127.0.0.1:{camera.server_address[1]}/stream") as source:
        assert abs(level_of(source.read(timeout_s=10)) - 60) < 4
        camera.broken = True
        time.sleep(0.2)
        while source.read(timeout_s=0.2) is not None:
            pass
        camera.level, camera.broken = 160, False
        wait_until(lambda: (frame := source.read(timeout_s=0.5)) is not None and abs(level_of(frame) - 160) < 4)


@pytest.mark.slow
def test_a_stream_that_rests_is_opened_anew_where_all_of_its_pictures_are_broken() -> None:
    with network_camera() as camera, opened(f"http://127.0.0.1:{camera.server_address[1]}/stream") as source:
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
    """After close nothing runs on, whoever waits gets None, and closing twice is allowed."""
    source = open_source(str(recording))
    assert isinstance(source, LiveSource)
    source.close()
    assert source.read(timeout_s=5) is None
    assert not source._thread.is_alive()
    source.close()


class OnePicture:
    """A camera that gives one picture, and then none until it is told to end."""

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


def test_a_picture_that_was_given_is_not_held_while_the_next_is_waited_for() -> None:
    """A table may lie still for long, and a picture takes megabytes."""
    camera = OnePicture()
    source = LiveSource("stream", "a stream", lambda: camera)
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
def test_what_cant_be_opened_is_told(text: str, words: str, capfd: pytest.CaptureFixture[str]) -> None:
    """One line says what to do, no password stands in it, and neither OpenCV nor FFmpeg adds a word."""
    with pytest.raises(SourceUnavailable) as caught:
        open_source(text)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert "secret" not in message
    assert capfd.readouterr() == ("", "")


def test_files_that_are_no_film_and_empty_folders(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A text file is no recording and an empty folder no source."""
    text = tmp_path / "letter.mp4"
    text.write_text("Dear camera")
    with pytest.raises(SourceUnavailable, match="no video"):
        open_source(str(text))
    picture = tmp_path / "letter.jpg"
    picture.write_text("Dear camera")
    with pytest.raises(SourceUnavailable, match="no picture"):
        open_source(str(picture))
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceUnavailable, match="no photos"):
        open_source(str(tmp_path / "empty"))
    assert capfd.readouterr() == ("", "")

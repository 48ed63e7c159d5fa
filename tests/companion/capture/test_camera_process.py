"""Cameras in a separate process: unplugged, hanging, black, killed, and reopened automatically."""

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from tests.support.forked_app import runs
from tests.support.lying_pictures import LIES
from tests.support.mjpeg_camera import NetworkCamera, network_camera, wait_for
from tilekeeper.companion.capture import camera_source
from tilekeeper.companion.capture.camera_source import ProcessSource
from tilekeeper.companion.capture.devices import cameras
from tilekeeper.companion.capture.health import LIVELY_FRAMES, SOON_S, Health
from tilekeeper.companion.capture.source_choice import open_source
from tilekeeper.companion.capture.sources import SourceUnavailable, ThrottledSource

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(1)
TOLD_WITHIN_S = 2.0
# The machine that runs the tests may be busy.
SLACK_S = 3.0


@pytest.fixture
def camera() -> Iterator[NetworkCamera]:
    """A network camera."""
    with network_camera() as camera:
        yield camera


@pytest.fixture
def source(camera: NetworkCamera) -> Iterator[ProcessSource]:
    """A source that watches the camera and has returned a frame."""
    source = open_source(camera.address)
    assert isinstance(source, ProcessSource)
    wait_for(lambda: source.read(1.0) is not None)
    yield source
    source.close()


def until_trouble(source: ProcessSource, says: str) -> float:
    """Read until the source reports the trouble; return the seconds that this took."""
    return wait_for(lambda: source.read(0.05) is None and says in source.trouble)


def until_well(source: ProcessSource) -> None:
    """Read until frames arrive again."""
    wait_for(lambda: source.read(0.1) is not None)
    assert source.trouble == ""


def test_slow_reader_gets_only_the_newest_frame(camera, source):
    assert (source.kind, source.name) == ("stream", camera.address)
    camera.image = np.full((240, 320, 3), (200, 200, 200), np.uint8)
    wait_for(lambda: (frame := source.read(1.0)) is not None and frame.image_bgr.mean() > 180)
    assert source.read(1.0).image_bgr.shape == (240, 320, 3)
    camera.image = np.full((480, 640, 3), (60, 90, 40), np.uint8)
    camera.unplug()
    camera.plug_in()
    wait_for(lambda: (frame := source.read(1.0)) is not None and frame.image_bgr.shape == (480, 640, 3))


def test_unplugged_camera_is_reported_and_reopened_when_it_is_back(camera, source):
    camera.unplug()
    # Either that frames have stopped and it is being reopened, or by then that it can't be reached.
    assert until_trouble(source, "ing again") < TOLD_WITHIN_S + SLACK_S
    camera.plug_in()
    until_well(source)


def test_hanging_camera_is_reported_and_its_process_restarted(camera, source, monkeypatch):
    monkeypatch.setattr("tilekeeper.companion.capture.health.HOPELESS_S", 3.0)
    first = source.pid
    camera.hangs = True
    assert until_trouble(source, "sends no pictures any more") < TOLD_WITHIN_S + SLACK_S
    wait_for(lambda: source.read(0.05) is None and source.pid not in (first, None))
    camera.hangs = False
    until_well(source)


def test_resting_camera_without_new_frames_does_not_count_as_silent(camera, source):
    """Frames may pause for half a second; a camera that stops is reported as soon as one that is not resting."""
    assert isinstance(source, ThrottledSource)
    source.rest(True)
    given_s = time.monotonic()

    def is_heard_of() -> bool:
        nonlocal given_s
        frame = source.read(0.05)
        given_s = given_s if frame is None else frame.time_s
        return source._health._heard_s > given_s + 0.3

    wait_for(is_heard_of)
    camera.hangs = True
    assert until_trouble(source, "sends no pictures any more") < TOLD_WITHIN_S + SLACK_S


def test_noisy_black_frames_at_rest_are_reported(camera, source):
    """A closed lid has noise; a resting camera delivers a frame about once a second, which alone would be too slow."""
    source.rest(True)
    camera.image = np.zeros_like(camera.image)

    def is_black() -> bool:
        frame = source.read(0.05)
        if frame is not None:
            source.rest(True)
        return frame is not None and frame.image_bgr.mean() < 12

    wait_for(is_black)
    assert not source._resting.value
    given = 0

    def is_reported() -> bool:
        nonlocal given
        frame = source.read(0.05)
        given += frame is not None
        return frame is None and "black picture" in source.trouble

    assert wait_for(is_reported) < TOLD_WITHIN_S + SLACK_S
    assert given > 2, "a resting camera delivers at most two frames before the black picture is reported"
    assert source._resting.value, "a dark room is not decoded all night"
    camera.image = np.full_like(camera.image, 90)
    until_well(source)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system can't stop a process")
def test_stopped_or_killed_process_is_replaced(source, monkeypatch):
    monkeypatch.setattr("tilekeeper.companion.capture.health.HOPELESS_S", 3.0)
    first = source.pid
    os.kill(first, signal.SIGSTOP)
    until_trouble(source, "sends no pictures any more")
    until_well(source)
    second = source.pid
    assert second != first
    os.kill(second, signal.SIGKILL)
    wait_for(lambda: source.read(0.1) is not None and source.pid not in (second, None))


def test_black_frame_is_reported(camera, source):
    image = camera.image
    camera.image, camera.noisy = np.zeros_like(image), False
    assert until_trouble(source, "black picture") < TOLD_WITHIN_S + SLACK_S
    camera.image, camera.noisy = image, True
    until_well(source)


def test_frozen_frame_is_reported(camera, source):
    read = 0
    while read < LIVELY_FRAMES + 5:
        read += source.read(1.0) is not None
    camera.noisy = False
    assert until_trouble(source, "keeps sending the same picture") < TOLD_WITHIN_S + SLACK_S
    camera.noisy = True
    until_well(source)


def test_source_that_can_not_be_opened_is_reported_at_once():
    with pytest.raises(SourceUnavailable, match=r"127\.0\.0\.1:9/none can't be opened"):
        open_source("http://127.0.0.1:9/none")


def test_silent_process_is_ended_after_the_timeout(camera, monkeypatch):
    monkeypatch.setattr(camera_source, "OPEN_TIMEOUT_S", 0.01)
    with pytest.raises(SourceUnavailable, match="it does not answer"):
        open_source(camera.address)


def _look_whether_it_rests(resting: ctypes.c_bool) -> None:
    while True:
        assert not resting.value


def test_process_killed_while_it_reads_the_rest_flag_blocks_nothing(source):
    """The app sets the same flag for the next process; an event of `multiprocessing` blocked for ever here."""
    for _ in range(4):
        process = multiprocessing.get_context("spawn").Process(
            target=_look_whether_it_rests, args=(source._resting,), daemon=True
        )
        process.start()
        time.sleep(1.0)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        telling = threading.Thread(target=source.rest, args=(False,), daemon=True)
        telling.start()
        telling.join(timeout=TOLD_WITHIN_S)
        assert not telling.is_alive()


def test_closing_ends_the_process(camera, source):
    pid = source.pid
    source.close()
    source.close()
    assert source.read(0.1) is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def noisy(level: int = 60) -> np.ndarray:
    """Return a picture with the noise of a camera."""
    return RNG.integers(level, level + 8, (48, 64, 3), np.uint8)


def test_source_without_noise_is_not_reported_as_hanging():
    health = Health("stream", 0.0)
    still = noisy()
    assert all(health.push(still, at / 20) == "" for at in range(100))


def test_noisy_camera_with_equal_frames_is_reported_until_a_frame_differs():
    health = Health("camera 0", 0.0)
    for at in range(LIVELY_FRAMES + 1):
        assert health.push(noisy(), at / 20) == ""
    still, start_s = noisy(), 3.0
    assert health.push(still, start_s) == ""
    assert health.push(still, start_s + 0.05) == ""
    assert "same picture" in health.push(still, start_s + 0.05 + SOON_S)
    assert health.push(noisy(), start_s + 2.0) == ""


def test_dark_room_is_not_reported_as_black():
    health = Health("camera 0", 0.0)
    dim = noisy(4)
    dim[20:24, 20:40] = 60
    assert all(health.push(dim + np.uint8(at % 2), at / 10) == "" for at in range(40))


def test_silence_is_reported_soon_and_ends_the_process_later():
    health = Health("camera 0", 0.0)
    assert (health.silence(1.0), health.hopeless(1.0)) == ("", False)
    assert health.silence(1.6) == "camera 0 sends no pictures any more; waiting for it"
    assert health.hopeless(9.0)
    health.started(9.0)
    assert health.silence(9.5) == ""


def test_frame_that_was_not_passed_on_ends_the_silence():
    health = Health("camera 0", 0.0)
    health.hear(1.0)
    assert health.silence(2.4) == ""
    health.hear(float("-inf"))  # a restarted process
    assert health.silence(2.4) == ""
    assert health.silence(2.6) == "camera 0 sends no pictures any more; waiting for it"


def test_camera_with_several_device_files_is_listed_once(tmp_path):
    for number, index, name in ((0, "0", "Face cam"), (1, "1", "Face cam"), (2, "0", "Table cam"), (10, "0", "Far")):
        folder = tmp_path / f"video{number}"
        folder.mkdir()
        (folder / "index").write_text(index)
        (folder / "name").write_text(f"{name}\n")
    (tmp_path / "radio0").mkdir()
    assert [(one.source, one.name) for one in cameras(tmp_path, "linux")] == [
        ("0", "Face cam"),
        ("2", "Table cam"),
        ("10", "Far"),
    ]
    assert cameras(tmp_path / "none", "linux") == ()
    assert [one.source for one in cameras(tmp_path, "win32")] == ["0", "1", "2", "3"]


KILLED_WHILE_IT_WAITS = """
import os, signal, sys
from tilekeeper.companion.capture.source_choice import open_source

if __name__ == "__main__":
    source = open_source(sys.argv[1])
    while source.read(1.0) is None:
        pass
    source._fresh._cond.acquire()
    print(source._process.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_killed_app_leaves_no_camera_process(camera, tmp_path):
    """Also if it held a lock that the camera's process waits for after a frame."""
    script = tmp_path / "app.py"
    script.write_text(KILLED_WHILE_IT_WAITS)
    app = subprocess.run(
        [sys.executable, script, camera.address], capture_output=True, text=True, check=False, timeout=60
    )
    assert app.returncode == -signal.SIGKILL
    wait_for(lambda: not runs(int(app.stdout)))


@pytest.mark.parametrize("lie", ["large JPEG", "second frame header"])
def test_camera_whose_frames_claim_a_size_fills_no_memory(camera, source, lie):
    """The camera's process takes little memory, and its true pictures come again afterwards."""
    camera.lie = LIES[lie]()
    wait_for(lambda: source.read(0.05) is None)
    end_s = time.monotonic() + 3
    peak_kb = 0
    while time.monotonic() < end_s:
        source.read(0.05)
        with suppress(OSError):
            status = Path(f"/proc/{source.pid}/status").read_text()
            peak_kb = max(peak_kb, int(next(line.split()[1] for line in status.splitlines() if "VmHWM" in line)))
    assert 0 < peak_kb < 600_000
    camera.lie = None
    until_well(source)

"""The requested and reported settings of a camera, on each operating system and on the page."""

import cv2
import numpy as np
import pytest

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import PlayedSource
from tests.support.mjpeg_camera import network_camera, wait_for
from tilekeeper.companion.capture import video_capture
from tilekeeper.companion.capture.camera_settings import CameraGives, CameraWishes, prepare
from tilekeeper.companion.capture.source_choice import open_source
from tilekeeper.companion.capture.video_capture import open_camera
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.companion.web.api.extensions import parts

MJPG, YUYV = (float(cv2.VideoWriter.fourcc(*letters)) for letters in ("MJPG", "YUYV"))


class Webcam:
    """A camera as OpenCV hands it over: it has two sizes and takes the nearer one, whatever it is asked for."""

    def __init__(self, *_: object, has_mjpg: bool = True) -> None:
        self.has_mjpg = has_mjpg
        self.set_to: list[tuple[int, float]] = []
        self.says = {cv2.CAP_PROP_FOURCC: YUYV, cv2.CAP_PROP_FPS: 30.0, cv2.CAP_PROP_EXPOSURE: 0.0}

    def isOpened(self) -> bool:  # noqa: N802, OpenCV's name
        return True

    def set(self, prop: int, value: float) -> bool:
        self.set_to.append((prop, value))
        if prop == cv2.CAP_PROP_FRAME_WIDTH:
            value = 1920.0 if value > 1500 else 1280.0
            self.says[cv2.CAP_PROP_FRAME_HEIGHT] = value * 9 / 16
        if prop == cv2.CAP_PROP_FRAME_HEIGHT or (prop == cv2.CAP_PROP_FOURCC and not self.has_mjpg):
            return False
        self.says[prop] = value
        return True

    def get(self, prop: int) -> float:
        return self.says.get(prop, 0.0)

    def grab(self) -> bool:
        return True

    def retrieve(self) -> tuple[bool, np.ndarray]:
        size = round(self.says[cv2.CAP_PROP_FRAME_HEIGHT]), round(self.says[cv2.CAP_PROP_FRAME_WIDTH])
        return True, np.zeros((*size, 3), np.uint8)

    def release(self) -> None:
        pass


def test_reported_settings_are_read_back_from_the_camera():
    webcam = Webcam(has_mjpg=False)
    gives = prepare(webcam, CameraWishes(3840, 2160), "linux")
    assert gives == CameraGives(1920, 1080, mjpg=False, fps=30.0, exposure_s=None)
    assert webcam.set_to[0] == (cv2.CAP_PROP_FOURCC, MJPG)  # which sizes there are depends on it


@pytest.mark.parametrize(
    ("platform", "seconds", "set_to", "given_s"),
    [
        ("linux", None, [(cv2.CAP_PROP_AUTO_EXPOSURE, 3)], None),
        ("linux", 1 / 125, [(cv2.CAP_PROP_AUTO_EXPOSURE, 1), (cv2.CAP_PROP_EXPOSURE, 80)], 0.008),
        ("win32", None, [(cv2.CAP_PROP_AUTO_EXPOSURE, 0.75)], None),
        ("win32", 1 / 125, [(cv2.CAP_PROP_EXPOSURE, -7)], 1 / 128),
        ("darwin", 1 / 125, [], None),
    ],
)
def test_exposure_is_requested_in_each_systems_own_unit(platform, seconds, set_to, given_s):
    webcam = Webcam()
    gives = prepare(webcam, CameraWishes(1920, 1080, exposure_s=seconds), platform)
    assert webcam.set_to[3:] == set_to
    assert gives.exposure_s == (None if given_s is None else pytest.approx(given_s))


def test_settings_are_requested_before_the_first_frame(monkeypatch):
    """Sizes can't be changed once pictures flow: the first one already has the size that was asked for."""
    monkeypatch.setattr(video_capture.cv2, "VideoCapture", Webcam)
    heard = []
    opened = open_camera(0, lambda capture: heard.append(prepare(capture, CameraWishes(1280, 720), "linux")))
    assert opened.read().shape == (720, 1280, 3)
    assert (heard[0].width_px, heard[0].mjpg) == (1280, True)
    opened = open_camera(0, lambda capture: prepare(capture, CameraWishes.of(UserSettings()), "linux"))
    assert opened.read().shape == (1080, 1920, 3)  # full HD if the user sets nothing else


@pytest.mark.slow
def test_source_reopens_with_other_settings():
    """Its process is started anew, and pictures come again by themselves; a stream says nothing of what it gives."""
    with network_camera() as camera:
        source = open_source(camera.address)
        try:
            wait_for(lambda: source.read(1.0) is not None)
            before = source.pid
            source.ask(CameraWishes(1280, 720))
            assert source.pid != before
            wait_for(lambda: source.read(1.0) is not None)
            assert (source.wishes.width_px, source.gives) == (1280, None)
        finally:
            source.close()


class AskedSource(PlayedSource):
    """A played camera that can be asked for other pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.wishes = CameraWishes.of(UserSettings())
        self.gives: CameraGives | None = None

    def ask(self, wishes: CameraWishes) -> None:
        self.wishes = wishes
        self.gives = CameraGives(1280, 720, mjpg=True, fps=None, exposure_s=0.01)


@pytest.mark.slow
def test_settings_from_the_page_are_applied_shown_and_remembered(make_app):
    camera = AskedSource()
    page = EveningClient(app := make_app(camera, watch=False))
    assert page.get("/api/sources")["camera"]["gives"] is None
    said = page.post("/api/camera", width_px=3840, height_px=2160, exposure_s=0.01)["camera"]
    assert (said["asked"]["width_px"], said["gives"]["width_px"]) == (3840, 1280)
    assert page.refused("/api/camera", width_px=3, height_px=2)["code"] == "bad-input"
    # The same camera is asked for the same the next time.
    parts(app).close()
    reopened = AskedSource()
    make_app(reopened, watch=False)
    assert reopened.wishes == CameraWishes(3840, 2160, mjpg=True, exposure_s=0.01)


def test_source_that_is_no_camera_has_no_settings(by_hand):
    assert by_hand.get("/api/sources")["camera"] is None
    said = by_hand.refused("/api/camera", width_px=1280, height_px=720)
    assert "Only a plugged-in camera" in said["error"]

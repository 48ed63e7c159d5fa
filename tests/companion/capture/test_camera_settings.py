"""The requested and reported settings of a camera, on each operating system and on the page."""

import time
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import Player, TunedSource, table_reading
from tests.support.mjpeg_camera import network_camera, wait_for
from tests.support.simulated_camera import SimulatedCamera
from tilekeeper.companion.capture import sources, video_capture
from tilekeeper.companion.capture.camera_controls import ControlState, ControlStates
from tilekeeper.companion.capture.camera_process import Keeper, Orders
from tilekeeper.companion.capture.camera_settings import CameraGives, CameraWishes, prepare
from tilekeeper.companion.capture.source_choice import open_source
from tilekeeper.companion.capture.video_capture import open_camera
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.vision.quality.camera_check import CameraProblem

MJPG, YUYV = (float(cv2.VideoWriter.fourcc(*letters)) for letters in ("MJPG", "YUYV"))


class Webcam:
    """A camera behind OpenCV's interface with two sizes; it uses the nearer one to the requested size."""

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
    assert webcam.set_to[0] == (cv2.CAP_PROP_FOURCC, MJPG)  # the available sizes depend on it


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
    """Sizes can't change once frames flow, so the first frame already has the requested size."""
    monkeypatch.setattr(video_capture.cv2, "VideoCapture", Webcam)
    heard = []
    opened = open_camera(0, lambda capture: heard.append(prepare(capture, CameraWishes(1280, 720), "linux")))
    assert opened.read().shape == (720, 1280, 3)
    assert (heard[0].width_px, heard[0].mjpg) == (1280, True)
    opened = open_camera(0, lambda capture: prepare(capture, CameraWishes.of(UserSettings()), "linux"))
    assert opened.read().shape == (1080, 1920, 3)  # full HD if the user sets nothing else


@pytest.mark.slow
def test_source_reopens_with_other_settings():
    """Its process is restarted, and frames arrive again; a stream reports no settings."""
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


class AskedSource(TunedSource):
    """A camera that accepts other picture settings."""

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
    answer = page.post("/api/camera", width_px=3840, height_px=2160, exposure_s=0.01)["camera"]
    assert (answer["asked"]["width_px"], answer["gives"]["width_px"]) == (3840, 1280)
    assert page.refused("/api/camera", width_px=3, height_px=2)["code"] == "bad-input"
    # The same camera gets the same settings the next time.
    parts(app).close()
    reopened = AskedSource()
    make_app(reopened, watch=False)
    assert reopened.wishes == CameraWishes(3840, 2160, mjpg=True, exposure_s=0.01)


@pytest.mark.slow
def test_user_who_leaves_the_camera_alone_is_obeyed_after_a_change_on_the_page(tables, tmp_path):
    camera = AskedSource()
    user = UserSettings(camera_controls="off")
    app = create_app(Settings(rule_set("large-numbers"), camera, tables, camera.name, tmp_path, user=user))
    try:
        assert not camera.wishes.sets_controls
        EveningClient(app).post("/api/camera", width_px=3840, height_px=2160)
        assert camera.wishes == CameraWishes(3840, 2160, sets_controls=False)
        assert EveningClient(app).get("/api/self-test")["controls"] == []
    finally:
        parts(app).close()


@pytest.mark.slow
def test_self_test_shows_the_controls_and_asks_for_focus_if_it_sees_blur(make_app, tables, monkeypatch):
    camera = AskedSource()
    page = EveningClient(app := make_app(camera))
    camera.controls = ControlStates(ControlState.LOCKED, ControlState.CHOSEN, ControlState.REFUSED)
    answer = page.get("/api/self-test")["controls"]
    assert [(one["control"], one["state"]) for one in answer] == [
        ("focus", "locked"),
        ("exposure", "chosen"),
        ("white-balance", "refused"),
    ]
    assert answer[0]["text"] == "Sharpness (focus): set and locked."
    camera.show(tables.picture(table_reading("R5 K13 | B5 B6 B7")))
    Player(app.test_client()).sees("R5 K13 | B5 B6 B7")
    page.get("/api/self-test")
    assert camera.focus_requests == 0
    blur = CameraProblem("too-blurred", "Too blurred.")
    monkeypatch.setattr("tilekeeper.companion.web.blueprints.cameras.check_camera", lambda *_: (blur,))
    page.get("/api/self-test")
    assert camera.focus_requests == 1
    assert camera.box == (0.0, 0.0, 1.0, 1.0)
    page.post("/api/play-area", corners=[[0.1, 0.2], [0.9, 0.2], [0.8, 0.7]])
    assert camera.box == (0.1, 0.2, 0.9, 0.7)


def test_webcam_is_tuned_by_the_thread_that_reads_it(monkeypatch):
    """Also if nothing moves: its frames then go to the tuner only, and not to the app."""

    class PacedCamera(SimulatedCamera):
        def grab(self) -> bool:
            time.sleep(0.001)  # without this, an hour of its clock would pass between two checks
            return super().grab()

    webcam = PacedCamera(hunts=True)
    monkeypatch.setattr(video_capture.cv2, "VideoCapture", lambda *_: webcam)
    orders = Orders(0, (0.0, 0.0, 1.0, 1.0))
    keeper = Keeper(CameraWishes(640, 480), orders)
    monkeypatch.setattr(sources, "time", SimpleNamespace(monotonic=lambda: webcam.now_s))
    source = sources.LiveSource("camera", "camera 0", lambda: open_camera(0, keeper.prepare), 1.0, keeper.tune)
    try:
        source.rest(True)
        wait_for(lambda: keeper.states == ControlStates(*3 * [ControlState.LOCKED]))
        before = len(webcam.positions)
        webcam.best_focus = 40.0
        end_s = webcam.now_s + 60

        def asks_until_sharp() -> bool:
            orders.focus_requests += 1
            return webcam.now_s > end_s and abs(webcam.lens - webcam.best_focus) <= 10

        wait_for(asks_until_sharp)
        assert len(webcam.positions) > before
        keeper.give_back()
        assert webcam.is_automatic(cv2.CAP_PROP_AUTOFOCUS)
    finally:
        source.close()


def test_camera_that_is_left_alone_is_not_tuned():
    webcam = SimulatedCamera()
    keeper = Keeper(CameraWishes(640, 480, sets_controls=False), Orders())
    keeper.prepare(webcam)
    before = dict(webcam.says)
    assert not keeper.tune(webcam, 1.0)
    keeper.give_back()
    assert (keeper.states, webcam.says) == (None, before)


def test_source_that_is_no_camera_has_no_settings(by_hand):
    assert by_hand.get("/api/sources")["camera"] is None
    answer = by_hand.refused("/api/camera", width_px=1280, height_px=720)
    assert "Only a plugged-in camera" in answer["error"]

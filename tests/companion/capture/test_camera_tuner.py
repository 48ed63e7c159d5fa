"""A simulated webcam is focused and locked, released when the light changes, and left alone if it refuses."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import pytest

from tests.support.simulated_camera import FRAMES_PER_SECOND, SimulatedCamera
from tilekeeper.companion.capture.camera_controls import Control, ControlState, ControlStates, OpenCvControls
from tilekeeper.companion.capture.camera_tuner import LONGEST_SEARCH_S, CameraTuner
from tilekeeper.companion.capture.devices import LINUX_BY_ITSELF
from tilekeeper.vision.arrays import Image

LOCKED, REFUSED, AUTOMATIC, SETTLING = (
    ControlState.LOCKED,
    ControlState.REFUSED,
    ControlState.AUTOMATIC,
    ControlState.SETTLING,
)
ALL_LOCKED = ControlStates(LOCKED, LOCKED, LOCKED)
READY_S = 9.0
"""After this time a camera has settled, is locked and focused."""
LAG_S = 0.5


@dataclass
class Table:
    """A camera and its tuner, which advance frame by frame."""

    camera: SimulatedCamera
    has_chosen_exposure: bool = False

    def __post_init__(self) -> None:
        self.tuner = CameraTuner(OpenCvControls(self.camera, "linux"), self.has_chosen_exposure)
        self.searching_s = 0.0
        self.decoded = 0
        self.is_decoded = False

    def retrieve(self) -> Image | None:
        self.decoded += 1
        return self.camera.retrieve()[1]

    def passes(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(seconds * FRAMES_PER_SECOND)):
            self.camera.grab()
            if self.tuner.push(self, self.camera.now_s):
                self.searching_s += 1 / FRAMES_PER_SECOND

    def blur(self) -> None:
        """Blur is reported, as the watcher and the self-test do."""
        self.tuner.request_focus()

    @property
    def defocus(self) -> float:
        """How far the lens is from its best position."""
        return abs(self.camera.lens - self.camera.best_focus)


def ready(**options) -> Table:
    table = Table(SimulatedCamera(**options))
    table.passes(READY_S)
    return table


@pytest.mark.parametrize("best_focus", [0.0, 20.0, 85.0, 135.0, 190.0, 250.0])
def test_camera_with_hunting_autofocus_is_focused_and_locked(best_focus):
    table = ready(best_focus=best_focus, hunts=True)
    assert table.tuner.states == ALL_LOCKED
    assert table.defocus <= 10
    assert not table.camera.is_automatic(cv2.CAP_PROP_AUTOFOCUS)
    assert 0 < table.searching_s <= LONGEST_SEARCH_S + LAG_S


def test_camera_in_dim_noisy_light_is_focused():
    table = ready(noise_levels=8.0, hunts=True)
    assert table.tuner.states.focus is LOCKED
    assert table.defocus <= 15


def test_lens_that_is_sharp_already_stays_where_it_is():
    table = ready()
    assert table.camera.says[cv2.CAP_PROP_FOCUS] in (135.0, 140.0, 145.0)
    table.camera.best_focus += 5  # too little for a clearly better picture
    before = table.camera.says[cv2.CAP_PROP_FOCUS]
    table.passes(60)
    table.blur()
    table.passes(READY_S)
    assert table.camera.says[cv2.CAP_PROP_FOCUS] == before
    assert table.tuner.states.focus is LOCKED


def test_nothing_is_locked_before_the_exposure_has_settled():
    table = Table(SimulatedCamera(light=4.0))
    table.passes(1.2)
    assert table.camera.is_automatic(cv2.CAP_PROP_AUTO_EXPOSURE)
    table.passes(READY_S)
    assert table.tuner.states == ALL_LOCKED
    assert table.camera.says[cv2.CAP_PROP_EXPOSURE] == pytest.approx(25, rel=0.15)


def test_camera_at_rest_is_looked_at_twice_a_second():
    table = ready()
    table.decoded = 0
    table.passes(10)
    assert table.decoded <= 21


def test_lamp_switched_on_releases_the_lock_until_the_light_has_settled():
    table = ready()
    table.camera.light = 2.0
    table.passes(1.0)
    assert table.tuner.states.exposure is LOCKED
    table.passes(2.5)
    assert table.tuner.states.exposure is SETTLING
    table.passes(6)
    assert table.tuner.states == ALL_LOCKED
    assert table.camera.says[cv2.CAP_PROP_EXPOSURE] == pytest.approx(50, rel=0.15)


def test_warmer_lamp_releases_the_white_balance():
    table = ready()
    table.camera.warmth = 1.4
    table.passes(4)
    assert table.tuner.states.white_balance is SETTLING
    table.passes(6)
    assert table.tuner.states == ALL_LOCKED
    assert table.camera.red_gain == pytest.approx(1 / 1.4, rel=0.1)


def test_hand_over_the_table_releases_nothing():
    table = ready()
    for _ in range(8):
        table.camera.hand_frames = FRAMES_PER_SECOND
        table.passes(1)
        assert table.tuner.states == ALL_LOCKED


def test_short_shadow_releases_nothing():
    table = ready()
    table.camera.light = 0.5
    table.passes(1.2)
    table.camera.light = 1.0
    table.passes(5)
    assert table.tuner.states == ALL_LOCKED


def test_camera_that_jumps_to_an_old_exposure_is_corrected():
    table = ready(forgets_exposure=True)
    assert table.tuner.states.exposure is LOCKED
    assert table.camera.says[cv2.CAP_PROP_EXPOSURE] == pytest.approx(100, rel=0.2)


def test_camera_whose_locked_exposure_can_not_be_corrected_keeps_its_automatic():
    table = ready(forgets_exposure=True, ignores={cv2.CAP_PROP_EXPOSURE})
    assert table.tuner.states == ControlStates(LOCKED, REFUSED, LOCKED)
    assert table.camera.is_automatic(cv2.CAP_PROP_AUTO_EXPOSURE)


@pytest.mark.parametrize(
    ("refuses", "ignores", "states"),
    [
        ([cv2.CAP_PROP_AUTO_WB], [], ControlStates(LOCKED, LOCKED, REFUSED)),
        ([], [cv2.CAP_PROP_AUTO_EXPOSURE], ControlStates(LOCKED, REFUSED, LOCKED)),
        # The lens of most laptops is fixed.
        ([cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS], [], ControlStates(REFUSED, LOCKED, LOCKED)),
        # Autofocus alone: it can only be stopped.
        ([cv2.CAP_PROP_FOCUS], [], ControlStates(LOCKED, LOCKED, LOCKED)),
        # A lens without autofocus.
        ([cv2.CAP_PROP_AUTOFOCUS], [], ControlStates(LOCKED, LOCKED, LOCKED)),
        (
            [cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS, cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_AUTO_WB],
            [],
            ControlStates(REFUSED, REFUSED, REFUSED),
        ),
    ],
)
def test_refused_controls_are_reported_and_the_others_are_set(refuses, ignores, states):
    table = ready(refuses=refuses, ignores=ignores)
    assert table.tuner.states == states
    if cv2.CAP_PROP_FOCUS not in refuses:
        assert table.defocus <= 10


def test_lens_that_ignores_its_positions_is_left_to_the_autofocus():
    table = ready(ignores={cv2.CAP_PROP_FOCUS})
    assert table.tuner.states.focus in (LOCKED, AUTOMATIC)
    assert table.defocus <= 15


def test_blur_starts_a_search_once_nothing_moves():
    table = ready()
    table.passes(60)
    table.camera.best_focus = 40.0  # somebody has moved the camera nearer
    table.searching_s = 0.0
    for _ in range(3):
        table.camera.hand_frames = FRAMES_PER_SECOND
        table.blur()
        table.passes(1)
    assert table.searching_s == 0
    for _ in range(4):
        table.blur()
        table.passes(1)
    table.passes(4)
    assert table.tuner.states.focus is LOCKED
    assert table.defocus <= 10


def test_blur_that_no_search_ends_is_searched_ever_less_often():
    table = ready()
    table.camera.scene = cv2.GaussianBlur(table.camera.scene, (0, 0), 6)  # a dirty lens
    table.searching_s = 0.0
    for _ in range(300):
        table.blur()
        table.passes(1)
    assert table.searching_s <= 5 * (LONGEST_SEARCH_S + LAG_S)


def test_search_that_a_hand_disturbs_begins_again():
    table = Table(SimulatedCamera(hunts=True))
    while not table.searching_s:
        table.passes(0.2)
    table.camera.hand_frames = FRAMES_PER_SECOND
    table.passes(READY_S)
    assert table.tuner.states.focus is LOCKED
    assert table.defocus <= 10


def test_hands_that_never_rest_leave_the_camera_to_its_autofocus():
    table = Table(SimulatedCamera())
    for _ in range(40):
        table.camera.hand_frames = 12
        table.passes(0.5)
    assert table.tuner.states.focus in (AUTOMATIC, SETTLING)
    assert table.defocus <= 40


def test_exposure_chosen_on_the_page_is_not_touched():
    camera = SimulatedCamera()
    camera.set(cv2.CAP_PROP_AUTO_EXPOSURE, 1)
    camera.set(cv2.CAP_PROP_EXPOSURE, 80)
    table = Table(camera, has_chosen_exposure=True)
    table.passes(READY_S)
    assert table.tuner.states == ControlStates(LOCKED, ControlState.CHOSEN, LOCKED)
    assert camera.says[cv2.CAP_PROP_EXPOSURE] == 80


def test_only_the_play_area_counts():
    table = Table(SimulatedCamera())
    table.tuner.look_at((0.0, 0.0, 0.5, 1.0))
    table.passes(READY_S)
    assert table.tuner.states == ALL_LOCKED
    table.camera.scene[:, 170:] = 250  # somebody opens a curtain beside the table
    table.passes(6)
    assert table.tuner.states == ALL_LOCKED


def test_released_camera_adjusts_by_itself_again():
    table = ready()
    table.tuner.release(0.0)
    table.passes(0.1)
    assert table.camera.says[cv2.CAP_PROP_AUTO_EXPOSURE] == LINUX_BY_ITSELF
    assert table.camera.is_automatic(cv2.CAP_PROP_AUTOFOCUS)
    assert table.camera.is_automatic(cv2.CAP_PROP_AUTO_WB)
    frames = table.decoded
    table.passes(1)
    assert table.decoded == frames


def test_windows_exposure_counts_in_powers_of_two():
    camera = SimulatedCamera()
    controls = OpenCvControls(camera, "win32")
    camera.says[cv2.CAP_PROP_EXPOSURE] = -6.0
    assert controls.set_automatic(Control.EXPOSURE, False)
    assert controls.brighten(-1.0)
    assert controls.value(Control.EXPOSURE) == -7.0
    assert not controls.brighten(0.2)


def test_focus_range_of_a_driver_that_does_not_clamp_is_assumed():
    class Strict(SimulatedCamera):
        def set(self, prop: int, value: float) -> bool:
            return not (prop == cv2.CAP_PROP_FOCUS and value > 255) and super().set(prop, value)

    assert OpenCvControls(Strict(), "linux").focus_range() == (0.0, 250.0)

"""Sets a camera's controls while it runs: locks exposure and white balance once settled, and searches the focus.

The thread that owns the camera passes its frames to `push`, which never blocks. A focus search takes about three
seconds. It begins when the camera is opened, and when the app reports blurred frames, but only while nothing moves.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Final, Protocol

from tilekeeper.companion.capture.camera_controls import CameraControls, Control, ControlState, ControlStates
from tilekeeper.companion.capture.focus_search import CLEARLY_BETTER, measure_sharpness, search_focus
from tilekeeper.companion.capture.light import SETTLED_S, STILL_EV, Light, LightEvent, LightLock
from tilekeeper.vision.arrays import Image

SETTLING_EVERY_S: Final = 0.2
"""The interval of measured frames while the light settles, which takes one to two seconds."""
WATCHING_EVERY_S: Final = 0.5
"""The interval of measured frames while the controls are locked; a measurement takes 0.3 ms."""
PATIENCE_S: Final = 0.1
"""A due measurement waits this many seconds for a frame that is decoded anyway, since decoding full HD takes 6 ms."""
LONGEST_SETTLING_S: Final = 6.0
"""The focus search begins after this many seconds even if the light never settles, for example under a flickering
lamp."""
LOCK_CHECK_S: Final = 0.7
"""After this many seconds a frame shows the effect of a lock; webcams take up to 15 frames for a new exposure."""
MAX_JUMP_EV: Final = 0.25
"""A lock may change brightness or colour by at most this many stops; readings stay the same within them."""
EXPOSURE_CORRECTIONS: Final = 3
"""The most corrections of the exposure after a lock, since many webcams jump to an older exposure when locked."""

FEWEST_LAG_FRAMES: Final = 3
"""This many frames after a move of the lens are ignored, since a USB webcam had them in its buffer before."""
MEASURED_FRAMES: Final = 2
"""The lens has stopped if this many frames in a row have about the same sharpness; their mean is the result."""
ALIKE_SHARE: Final = 0.06
"""Two sharpness values that differ by at most this share are about the same: twice a webcam's noise in evening
light."""
MOST_LAG_FRAMES: Final = 12
"""A lens position is measured after this many frames at the latest; slow lenses take a third of a second."""
LONGEST_SEARCH_S: Final = 5.0
"""After this many seconds a search ends with its best position so far, so that slow cameras are not blurred longer."""
SEARCH_STILL_EV: Final = 0.6
"""During a search, a cell whose light changes by more stops than this shows motion; blur alone changed cells by
0.45."""
SEARCH_ATTEMPTS: Final = 3
"""A search that motion has disturbed begins again; after this many searches the camera keeps its autofocus."""

STILL_S: Final = 1.5
"""A focus search begins only if nothing has moved for this many seconds, since somebody may be laying tiles."""
REQUEST_VALID_S: Final = 5.0
"""A request for focus expires after this many seconds; the self-test and the watcher repeat it while frames are
blurred."""
FIRST_PAUSE_S: Final = 20.0
"""The pause after a search; it doubles after each search without improvement, for example with a dirty lens."""
LONGEST_PAUSE_S: Final = 640.0

WHOLE: Final = (0.0, 0.0, 1.0, 1.0)
"""The box of the whole frame: left, top, right and bottom."""


class GrabbedFrame(Protocol):
    """A frame that is not decoded before `retrieve` is called."""

    @property
    def is_decoded(self) -> bool: ...
    def retrieve(self) -> Image | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class _Moment:
    """A measured frame, cropped to the measured box, with its light and time."""

    image_bgr: Image
    light: Light
    now_s: float


class _Moved(Exception):  # noqa: N818, the name says it
    """Something moved during a focus search, so that its measurements can't be compared."""


_Steps = Generator[None, _Moment, None]


class CameraTuner:
    """Sets and locks the controls of one opened camera; one thread calls `push`, any thread the other methods."""

    def __init__(self, controls: CameraControls, has_chosen_exposure: bool = False) -> None:
        """Start with all controls automatic; with `has_chosen_exposure`, a person's exposure is not changed."""
        self._controls = controls
        self._states = ControlStates(exposure=ControlState.CHOSEN if has_chosen_exposure else ControlState.SETTLING)
        self._lock = LightLock()
        self._box = WHOLE
        self._due_s = float("-inf")
        self._requested = False
        self._requested_s = float("-inf")
        self._moved_s = float("-inf")
        self._next_search_s = float("-inf")
        self._pause_s = FIRST_PAUSE_S
        self._newest: _Moment | None = None
        self._ends: tuple[float, float] | None = None
        self._is_searching = False
        self._is_ending = False
        self._has_ended = threading.Event()
        self._steps = self._run()
        next(self._steps)

    @property
    def states(self) -> ControlStates:
        """The current state of each control."""
        return self._states

    def request_focus(self) -> None:
        """Request a focus search because frames are blurred; the search begins once nothing moves."""
        self._requested = True

    def look_at(self, box: tuple[float, float, float, float]) -> None:
        """Measure focus and light only within a box of the frame: left, top, right and bottom, each 0 to 1."""
        self._box = box

    def release(self, timeout_s: float) -> None:
        """Let `push` set all controls to automatic, as other programs expect; wait up to `timeout_s` seconds for it."""
        self._is_ending = True
        self._has_ended.wait(timeout_s)

    def push(self, frame: GrabbedFrame, now_s: float) -> bool:
        """Measure a frame if that is due; return whether every next frame is needed, for a focus search.

        Args:
            frame: the newest frame.
            now_s: the time of the frame, by a monotonic clock.
        """
        if self._is_ending:
            self._give_back()
            return False
        is_patient = not self._is_searching and not frame.is_decoded
        if now_s < self._due_s + (PATIENCE_S if is_patient else 0.0):
            return self._is_searching
        image = frame.retrieve()
        if image is not None:
            part = _cut(image, self._box)
            moment = _Moment(part, Light.measure(part), now_s)
            self._note_motion(moment)
            self._newest = moment
            self._steps.send(moment)
        return self._is_searching

    def _give_back(self) -> None:
        if self._has_ended.is_set():
            return
        for control, state in self._states.items():
            if state in (ControlState.LOCKED, ControlState.SETTLING):
                self._controls.set_automatic(control, True)
        self._has_ended.set()

    def _note_motion(self, moment: _Moment) -> None:
        before = self._newest
        if self._is_searching:
            pass  # blur changes the cells too, so `_measure_at` uses other limits
        elif before is not None and (
            before.image_bgr.shape != moment.image_bgr.shape or moment.light.has_moved(before.light)
        ):
            self._moved_s = moment.now_s
        if self._requested:
            self._requested, self._requested_s = False, moment.now_s

    def _set(self, control: Control, state: ControlState) -> None:
        match control:
            case Control.FOCUS:
                self._states = replace(self._states, focus=state)
            case Control.EXPOSURE:
                self._states = replace(self._states, exposure=state)
            case Control.WHITE_BALANCE:
                self._states = replace(self._states, white_balance=state)

    def _wait(self, seconds: float) -> Generator[None, _Moment, _Moment]:
        """Return the first measured frame that is at least `seconds` later."""
        self._due_s = self._now_s + seconds
        return (yield)

    @property
    def _now_s(self) -> float:
        return float("-inf") if self._newest is None else self._newest.now_s

    # The steps are generators: each `yield` waits for the next measured frame.

    def _run(self) -> _Steps:
        for control in (Control.FOCUS, Control.WHITE_BALANCE):
            self._controls.set_automatic(control, True)
        if self._states.exposure is ControlState.SETTLING:
            self._controls.set_automatic(Control.EXPOSURE, True)
        moment = yield
        end_s = moment.now_s + LONGEST_SETTLING_S
        while not self._lock.is_locked and moment.now_s < end_s:
            yield from self._mind_light(moment)
            moment = yield from self._wait(SETTLING_EVERY_S)
        yield from self._focus()
        while True:
            moment = yield from self._wait(WATCHING_EVERY_S if self._lock.is_locked else SETTLING_EVERY_S)
            yield from self._mind_light(moment)
            if self._is_focus_due(moment.now_s):
                yield from self._focus()

    def _mind_light(self, moment: _Moment) -> _Steps:
        """Lock exposure and white balance once the light has settled, and release them when it has changed."""
        event = self._lock.push(moment.light, moment.now_s)
        if event is LightEvent.LOCK:
            yield from self._lock_light(moment.light)
        elif event is LightEvent.RELEASE:
            for control in self._with_state(ControlState.LOCKED):
                self._controls.set_automatic(control, True)
                self._set(control, ControlState.SETTLING)

    def _with_state(self, state: ControlState) -> list[Control]:
        """Return those of the controls exposure and white balance that are in this state."""
        return [
            control
            for control, control_state in self._states.items()
            if control is not Control.FOCUS and control_state is state
        ]

    def _lock_light(self, before: Light) -> _Steps:
        locked = []
        for control in self._with_state(ControlState.SETTLING):
            if self._controls.set_automatic(control, False):
                locked.append(control)
            else:
                self._refuse(control)
        moment = yield from self._wait(LOCK_CHECK_S)
        for _ in range(EXPOSURE_CORRECTIONS if Control.EXPOSURE in locked else 0):
            jump_ev = moment.light.brighter_ev(before)
            if abs(jump_ev) <= MAX_JUMP_EV or not self._controls.brighten(-jump_ev):
                break
            moment = yield from self._wait(LOCK_CHECK_S)
        if Control.EXPOSURE in locked and abs(moment.light.brighter_ev(before)) > MAX_JUMP_EV:
            locked.remove(Control.EXPOSURE)
            self._refuse(Control.EXPOSURE)
            moment = yield from self._wait(SETTLED_S)  # until it is as bright as before
        if Control.WHITE_BALANCE in locked and moment.light.colour_ev(before) > MAX_JUMP_EV:
            locked.remove(Control.WHITE_BALANCE)
            self._refuse(Control.WHITE_BALANCE)
        for control in locked:
            self._set(control, ControlState.LOCKED)
        self._lock.keep(moment.light, moment.now_s)

    def _refuse(self, control: Control) -> None:
        """Leave a control automatic from now on, since the camera does not keep a fixed value."""
        self._controls.set_automatic(control, True)
        self._set(control, ControlState.REFUSED)

    def _is_focus_due(self, now_s: float) -> bool:
        return (
            self._states.focus is not ControlState.REFUSED
            and now_s - self._requested_s <= REQUEST_VALID_S
            and now_s - self._moved_s >= STILL_S
            and now_s >= self._next_search_s
        )

    def _focus(self) -> _Steps:
        """Stop the autofocus and move the lens to its sharpest position; if there is none, use the autofocus again."""
        self._set(Control.FOCUS, ControlState.SETTLING)
        has_autofocus = self._controls.set_automatic(Control.FOCUS, False)
        start = self._controls.value(Control.FOCUS)
        self._ends = self._ends or self._controls.focus_range()
        if self._ends is None:
            self._set(Control.FOCUS, ControlState.LOCKED if has_autofocus else ControlState.REFUSED)
            return
        if start is None or not self._ends[0] <= start <= self._ends[1]:
            start = sum(self._ends) / 2
        try:
            found = yield from self._search_while_still(start, self._ends)
            otherwise = ControlState.REFUSED
        except _Moved:
            found, otherwise = None, ControlState.LOCKED
        self._controls.set_value(Control.FOCUS, start if found is None else found)
        if found is not None:
            self._set(Control.FOCUS, ControlState.LOCKED)
        else:
            self._controls.set_automatic(Control.FOCUS, True)
            self._set(Control.FOCUS, ControlState.AUTOMATIC if has_autofocus else otherwise)
        has_improved = found is not None and found != start
        self._pause_s = FIRST_PAUSE_S if has_improved else min(LONGEST_PAUSE_S, 2 * self._pause_s)
        self._next_search_s = self._now_s + self._pause_s

    def _search_while_still(self, start: float, ends: tuple[float, float]) -> Generator[None, _Moment, float | None]:
        """Return the sharpest lens position; None if the lens has no effect on the sharpness.

        Raises:
            _Moved: if something moved in each of `SEARCH_ATTEMPTS` searches.
        """
        for attempts_left in reversed(range(SEARCH_ATTEMPTS)):
            self._is_searching = True
            try:
                return (yield from self._search(start, ends))
            except _Moved:
                self._controls.set_value(Control.FOCUS, start)
                if not attempts_left:
                    raise
            finally:
                self._is_searching = False
            while self._now_s - self._moved_s < STILL_S:
                yield from self._wait(SETTLING_EVERY_S)
        return None

    def _search(self, start: float, ends: tuple[float, float]) -> Generator[None, _Moment, float | None]:
        """Return the sharpest lens position; None if the lens has no effect. Raises `_Moved` if something moves."""
        search, begun = search_focus(start, *ends), self._newest
        assert begun is not None  # a search begins after a frame
        position, sharpness = next(search), dict[float, float]()
        while self._now_s - begun.now_s < LONGEST_SEARCH_S:
            measured = sharpness[position] = yield from self._measure_at(position, begun)
            try:
                position = search.send(measured)
            except StopIteration as end:
                found: float = end.value
                return found if _differs(sharpness) else None
        best = max(sharpness, key=sharpness.__getitem__)
        return best if sharpness[best] >= CLEARLY_BETTER * sharpness[start] else start

    def _measure_at(self, position: float, begun: _Moment) -> Generator[None, _Moment, float]:
        """Move the lens, wait until it stops, and return the sharpness. Raises `_Moved` if something else moves."""
        if self._controls.set_value(Control.FOCUS, position) is None:
            return 0.0
        recent: list[float] = []
        moment = begun
        while len(recent) < MOST_LAG_FRAMES:
            before, moment = moment, (yield from self._wait(0.0))
            self._expect_still(moment, begun, SEARCH_STILL_EV)
            recent.append(measure_sharpness(moment.image_bgr))
            last = recent[-MEASURED_FRAMES:]
            if len(recent) >= FEWEST_LAG_FRAMES + MEASURED_FRAMES and max(last) <= (1 + ALIKE_SHARE) * min(last):
                break
        self._expect_still(moment, before, STILL_EV)  # the lens has arrived
        return sum(recent[-MEASURED_FRAMES:]) / MEASURED_FRAMES

    def _expect_still(self, moment: _Moment, before: _Moment, still_ev: float) -> None:
        has_size = moment.image_bgr.shape == before.image_bgr.shape
        if not has_size or moment.light.has_moved(before.light, still_ev):
            self._moved_s = moment.now_s
            raise _Moved


def _differs(sharpness: dict[float, float]) -> bool:
    """Return whether moving the lens changes the sharpness; some cameras accept positions and ignore them."""
    return max(sharpness.values()) >= CLEARLY_BETTER * min(sharpness.values())


def _cut(image_bgr: Image, box: tuple[float, float, float, float]) -> Image:
    height_px, width_px = image_bgr.shape[:2]
    left, right = (round(share * width_px) for share in (box[0], box[2]))
    top, bottom = (round(share * height_px) for share in (box[1], box[3]))
    return image_bgr[top:bottom, left:right]

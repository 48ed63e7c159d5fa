"""The camera's controls in sentences: which the app has set and locked, and which the camera refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from tilekeeper.companion.capture.camera_controls import Control, ControlState, ControlStates
from tilekeeper.engine.language import gettext


@dataclass(frozen=True, slots=True)
class ControlLine:
    """One control of the camera; `text` is a sentence such as "Sharpness (focus): set and locked."."""

    control: Control
    state: ControlState
    text: str


def describe_controls(states: ControlStates | None) -> Iterator[ControlLine]:
    """Yield a line for each control; none if the app does not set the controls."""
    for control, state in () if states is None else states.items():
        text = gettext("{control}: {state}.", control=_name(control), state=_describe(state))
        yield ControlLine(control, state, text)


def _name(control: Control) -> str:
    match control:
        case Control.FOCUS:
            return gettext("Sharpness (focus)")
        case Control.EXPOSURE:
            return gettext("Brightness (exposure)")
        case Control.WHITE_BALANCE:
            return gettext("Colours (white balance)")
    assert_never(control)


def _describe(state: ControlState) -> str:
    match state:
        case ControlState.SETTLING:
            return gettext("the app is setting this now")
        case ControlState.LOCKED:
            return gettext("set and locked")
        case ControlState.AUTOMATIC:
            return gettext("the camera does this by itself")
        case ControlState.REFUSED:
            return gettext("this camera does not allow it")
        case ControlState.CHOSEN:
            return gettext("you chose this")
    assert_never(state)

"""Advice on the position of camera and lamp, for the problems that the camera check finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.vision import types as kinds
from tilekeeper.vision.quality.camera_check import NO_TILES, CameraProblem, Edge, cut_edges, hands_nearer, is_too_near
from tilekeeper.vision.types import TableReading

MANY_HANDS = 6
"""From this many hands (as a measure of distance) on, the advice gives no number."""


@dataclass(frozen=True, slots=True)
class Advice:
    """One piece of advice, shown with a drawing.

    Attributes:
        move: the name of the drawing: `nearer`, `farther`, an edge of the picture towards which the camera must move,
            `more-lamp`, `less-lamp`, `whiter-lamp`, `still`, `clear` or `tiles`.
        text: the advice in a few words.
    """

    move: str
    text: str


def advice_on(found: CameraProblem, reading: TableReading | None) -> Advice | None:
    """Return the advice on a problem; None if there is none for its kind."""
    match found.code:
        case kinds.TOO_DARK:
            return Advice("more-lamp", gettext("It is too dark: bring more light."))
        case kinds.GLARE:
            return Advice("less-lamp", gettext("Too bright here: turn the lamp away, or move it aside."))
        case kinds.RED_AND_ORANGE:
            return Advice("whiter-lamp", gettext("Use a whiter lamp."))
        case kinds.TOO_BLURRED:
            return Advice("still", gettext("The picture is blurred: hold the camera still until it is sharp."))
        case kinds.IN_THE_WAY:
            return Advice("clear", gettext("Take away whatever covers the tiles."))
        case kinds.TOO_SMALL:
            return _nearer(1 if reading is None else hands_nearer(reading))
        case kinds.CUT_OFF:
            return _aside(cut_edges(found.boxes))
    return Advice("tiles", gettext("Spread a few tiles over the whole play area.")) if found.code == NO_TILES else None


def all_advice(found: tuple[CameraProblem, ...], reading: TableReading | None) -> Iterator[Advice]:
    """Yield the advice on each problem that has one, in the order of the problems."""
    for problem in found:
        advice = advice_on(problem, reading)
        if advice is not None:
            yield advice


def _nearer(hands: int) -> Advice:
    if hands == 0:  # only the far tiles are too small, so the camera looks along the table
        return Advice("farther", gettext("The camera is too low: put it higher, above the middle of the table."))
    if hands >= MANY_HANDS:
        return Advice("nearer", gettext("The camera is much too far away: move it lower."))
    return Advice(
        "nearer",
        ngettext(
            "The camera is too far away: move it {count} hand width lower.",
            "The camera is too far away: move it {count} hand widths lower.",
            hands,
        ),
    )


def _aside(edges: set[Edge]) -> Advice:
    if is_too_near(edges) or not edges:
        return Advice("farther", gettext("The camera is too close: move it a hand width higher."))
    edge = min(edges)
    match edge:
        case Edge.LEFT:
            return Advice(edge, gettext("Move the camera to the left: tiles are cut off there."))
        case Edge.RIGHT:
            return Advice(edge, gettext("Move the camera to the right: tiles are cut off there."))
        case Edge.TOP:
            return Advice(edge, gettext("Move the camera towards the top of the picture: tiles are cut off there."))
        case Edge.BOTTOM:
            return Advice(edge, gettext("Move the camera towards the bottom of the picture: tiles are cut off there."))

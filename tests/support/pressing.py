"""Checks that all buttons of a page can be pressed, and that its letters are large enough to read."""

from pathlib import Path

from playwright.sync_api import Page

# WCAG 2.2 asks for 24 px (target size, minimum); during a turn fingers are in a hurry.
LEAST_PX, LEAST_AT_A_TURN_PX = 24, 56
LETTERS_PX = {"least": 13, "smallest": 12}
"""The least size of the font: in general, and on screens with a side below 360 px."""

FAULTS = Path(__file__).with_suffix(".js").read_text("utf-8").partition("\n")[2]


def pressing_faults(page: Page, at_a_turn: bool) -> list[str]:
    """Return the buttons that can't be pressed and the texts with too small letters; empty if all is well.

    Args:
        page: the page; if a dialog is open, only that is checked, since it covers the rest.
        at_a_turn: whether a turn is played: then nothing may scroll, and buttons must be larger.
    """
    least = LEAST_AT_A_TURN_PX if at_a_turn else LEAST_PX
    return page.evaluate(FAULTS, {"least": least, "letters": LETTERS_PX, "still": at_a_turn})

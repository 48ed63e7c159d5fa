"""Whether everything on a page that can be pressed can be pressed: nothing lies on it, cuts it, or is too small."""

from pathlib import Path

from playwright.sync_api import Page

# WCAG 2.2 asks for 24 (target size, minimum); during a turn a finger hits in a hurry.
LEAST_PX, LEAST_AT_A_TURN_PX = 24, 56

FAULTS = Path(__file__).with_suffix(".js").read_text("utf-8").partition("\n")[2]


def pressing_faults(page: Page, at_a_turn: bool) -> list[str]:
    """What can't be pressed on a page as it is, each in a few words; empty where all is well.

    Args:
        page: the page; where a dialog is open only that is looked at, since nothing else can be pressed then.
        at_a_turn: whether a turn is played: then nothing may scroll, and all is larger.
    """
    return page.evaluate(FAULTS, {"least": LEAST_AT_A_TURN_PX if at_a_turn else LEAST_PX, "still": at_a_turn})

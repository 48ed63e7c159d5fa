"""Time from Done to the verdict on the page of a real browser, with a camera stream at full frame rate."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks.companion.app_process import AppFailed, AppProcess
from tests.benchmarks.companion.evening_on_air import EveningOnAir

if TYPE_CHECKING:  # Playwright is there for tests and measuring only
    from playwright.sync_api import Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
TABLET = {"width": 1180, "height": 820}
VERDICT_TIMEOUT_MS = 60_000

WATCH = """() => {
  const card = document.getElementById("verdict");
  let pressed = 0, before = null, painted = null;
  document.getElementById("done").addEventListener("click", () => {
    pressed = performance.now();
    before = card.innerHTML;
    window.verdict = new Promise((resolve) => { painted = resolve; });
  }, { capture: true });
  new MutationObserver(() => {
    if (painted === null || card.innerHTML === before) return;
    before = null; // from the first change on any verdict is a new one
    if (!["legal", "illegal", "unsure"].includes(card.dataset.kind)) return;
    const tell = painted;
    painted = null;
    requestAnimationFrame(() => setTimeout(() => tell([pressed, performance.now(), performance.timeOrigin])));
  }).observe(card, { childList: true, subtree: true, attributes: true });
}"""
"""Records when Done is pressed and when a new verdict was painted, both by the page's clock."""
VERDICT = """(timeout_ms) => Promise.race([
  window.verdict, new Promise((_, fail) => setTimeout(() => fail(new Error("no verdict came")), timeout_ms)),
])"""


class NoBrowser(Exception):  # noqa: N818, the name says it
    """There is no browser; the message says what to install."""


@contextmanager
def browser_page(app: AppProcess, path: str = "", *arguments: str) -> Iterator[Page]:
    """Open a page of an app in a headless browser of the host with additional arguments.

    Raises:
        NoBrowser: if Playwright or Chromium is missing.
        AppFailed: if the page does not reach an expected state.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise NoBrowser("Playwright is not installed; `pip install playwright` brings it") from None
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        raise NoBrowser("Chromium is not installed; on Debian: sudo apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*ARGUMENTS, *arguments])
        try:
            page = browser.new_page(viewport=TABLET)
            app.let_in(page.context)
            page.goto(f"{app.address}{path}")
            yield page
        except Error as error:
            raise AppFailed(f"the page failed: {error.message.splitlines()[0]}") from error
        finally:
            browser.close()


def time_verdicts(evening: EveningOnAir, turns: int, on_progress: Callable[[int], None]) -> dict[str, Any]:
    """Press Done in turns on a still table, and in as many turns with a leaving hand.

    Returns milliseconds to the painted verdict: from the press on a still table, and from the last image of the hand if
    Done was pressed before.
    """
    still_ms: list[float] = []
    leaving_ms: list[float] = []
    verdicts: list[str] = []
    with browser_page(evening.app) as page:
        watch_done(page)
        for turn in range(2 * turns):
            # the previous verdict fills the page for two seconds and would take the click
            page.locator("#splash").wait_for(state="hidden")
            number = evening.reading_number
            hand_gone_s = evening.lay_next()
            if turn % 2 == 0:
                hand_gone_s()
                evening.wait_until_read(number)
                pressed_ms, painted_ms, _ = press_done(page)
                still_ms.append(painted_ms - pressed_ms)
            else:
                evening.app.until(lambda state: not state["settled"])
                _, painted_ms, begun_ms = press_done(page)
                leaving_ms.append(begun_ms + painted_ms - 1000 * hand_gone_s())
            verdicts.append(evening.note_verdict())
            on_progress(1)
    return {
        **figures_of_still(still_ms),
        "leaving_turns": len(leaving_ms),
        "leaving_p50_ms": float(np.percentile(leaving_ms, 50)),
        "leaving_p95_ms": float(np.percentile(leaving_ms, 95)),
        "said": {kind: verdicts.count(kind) for kind in sorted(set(verdicts))},
    }


def figures_of_still(still_ms: Sequence[float]) -> dict[str, Any]:
    """Return the figures of the times from the press to the painted verdict on a still table."""
    return {
        "still_turns": len(still_ms),
        "still_p50_ms": float(np.percentile(still_ms, 50)),
        "still_p95_ms": float(np.percentile(still_ms, 95)),
    }


def watch_done(page: Page) -> None:
    """Start to record when Done is pressed on a page, and when a verdict is painted."""
    page.locator("#done:enabled").wait_for()
    page.evaluate(WATCH)


def press_done(page: Page) -> tuple[float, float, float]:
    """Press Done and wait for the verdict; return the times of the press, the painting and the clock's start, in ms.

    The first two are by the page's clock, the last counts from 1970.
    """
    page.locator("#done").click()
    return tuple(page.evaluate(VERDICT, VERDICT_TIMEOUT_MS))

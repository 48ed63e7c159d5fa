"""Each screen in each state: all buttons can be pressed, a turn neither scrolls nor jumps, axe-core finds nothing."""

from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.support.accessibility import AXE, LOOK, TAGS
from tests.support.browsing import QUIET
from tests.support.pressing import pressing_faults
from tests.support.screens import Screen
from tests.support.stage import Stage
from tests.support.theatre import UNPAINTED, Theatre, resize, see

Sizes = tuple[tuple[int, int], ...]
SMALLEST, PHONE, TABLET = (320, 568), (390, 844), (1024, 768)
OTHERS = (
    *((768, 1024), (1920, 1080), PHONE, (1180, 820)),
    *((568, 320), (844, 390)),  # phones in landscape
)
MOST_SHIFT = 0.05
# Layout shifts without user input, as browsers count them.
COUNT_SHIFTS = """
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""


def shift_of(page: Page, stage: Stage, screen: Screen) -> float:
    """Return by how much the page has moved since it was opened, without what somebody's press has moved.

    A press counts for half a second. A busy machine may be slower once, but not twice.
    """
    shift = page.evaluate("window.shift")
    if shift >= MOST_SHIFT and screen.then is None:
        for reopened in see([page], stage, screen):
            reopened.wait_for_timeout(150)
            shift = min(shift, reopened.evaluate("window.shift"))
    return shift


@pytest.mark.parametrize("others", [2, pytest.param(len(OTHERS), marks=pytest.mark.long)])
@pytest.mark.timeout(900)
def test_every_screen(tmp_path: Path, serve: Callable, browser, repository, others: int):
    """On a tablet in English, and on a dark and a small phone in German and Finnish in turn.

    The tablet has two sizes, and as many of the `OTHERS`: two in turn, since each costs a layout, or all of them.
    """
    axe = repository / AXE
    if not axe.is_file():
        pytest.skip("axe-core is not installed; `make scripts` does it, where Node.js is")
    faults: list[str] = []

    def opened(size: tuple[int, int], **options: str) -> Page:
        # The page's content security policy would block the test's script.
        viewport = {"width": size[0], "height": size[1]}
        context = browser.new_context(viewport=viewport, bypass_csp=True, **QUIET, **options)
        context.add_init_script(COUNT_SHIFTS)
        context.add_init_script(path=axe)
        return context.new_page()

    def look_at(page: Page, stage: Stage, screen: Screen, size: tuple[int, int], sizes: Sizes) -> None:
        faults.extend(f"{screen.name}: {fault}" for fault in page.evaluate(LOOK, TAGS))
        shift = shift_of(page, stage, screen)
        # On a phone the verdict may grow, since it fills the screen.
        if shift >= MOST_SHIFT and (screen.then is None or size == TABLET):
            faults.append(f"{screen.name}: layout shift {shift:.3f}")
        page.evaluate(UNPAINTED)
        for width, height in sizes:
            resize(page, width, height)
            found = dict.fromkeys(pressing_faults(page, screen.kind == "turn"))
            faults.extend(f"{screen.name} at {width} x {height}: {fault}" for fault in found)
        page.set_viewport_size({"width": size[0], "height": size[1]})

    tablet = opened(TABLET, color_scheme="light")
    phones = cycle([opened(PHONE, color_scheme="dark", locale=locale) for locale in ("de-DE", "fi-FI")])
    in_turn = cycle(OTHERS)
    for (stage, screen), phone in zip(Theatre(tmp_path, serve).screens(), phones, strict=False):
        sizes = SMALLEST, *islice(in_turn, others), TABLET
        looks = {tablet: (TABLET, sizes), phone: (PHONE, (SMALLEST,))}
        for page in see(list(looks), stage, screen):
            look_at(page, stage, screen, *looks[page])
    assert not faults, "\n".join(faults)

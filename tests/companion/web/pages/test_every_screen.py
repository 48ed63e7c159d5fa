"""Each screen in each state: buttons can be pressed, a turn neither scrolls nor jumps, axe-core finds nothing.

All words of a screen can be translated, too.
"""

from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.support.accessibility import AXE, LOOK, TAGS
from tests.support.browsing import QUIET
from tests.support.marked_english import marked_english, read_marked
from tests.support.pressing import pressing_faults
from tests.support.screens import Screen
from tests.support.stage import Stage
from tests.support.theatre import UNPAINTED, Theatre, resize, see, speak

Size = tuple[int, int]
SMALLEST, PHONE, TABLET = (320, 568), (390, 844), (1024, 768)
OTHERS = (
    *((768, 1024), (1920, 1080), PHONE, (1180, 820)),
    SMALLEST,  # the phone shows it for each screen in German or Finnish, whose words are longer
    *((568, 320), (844, 390)),  # phones in landscape
)
LANGUAGES = "de", "fi"
LEAST_MARKED_TEXTS = 1000
MOST_SHIFT = 0.05
# Layout shifts before the first input. Browsers leave out only those of the next half second, in which a busy machine
# may not have answered the input.
COUNT_SHIFTS = """
  window.shift = 0;
  let input_ms = Infinity;
  for (const kind of ["pointerdown", "keydown", "input"])
    addEventListener(kind, ({ timeStamp }) => { input_ms = Math.min(input_ms, timeStamp); }, { capture: true });
  new PerformanceObserver((list) => {
    for (const { startTime, value } of list.getEntries()) if (startTime < input_ms) window.shift += value;
  }).observe({ type: "layout-shift", buffered: true });
"""


def shift_of(page: Page, stage: Stage, screen: Screen) -> float:
    """Return by how much the page has moved until its first input.

    A busy machine may be slower once, but not twice.
    """
    shift = page.evaluate("window.shift")
    if shift >= MOST_SHIFT and screen.then is None:
        for reopened in see([page], stage, screen):
            reopened.wait_for_timeout(150)
            shift = min(shift, reopened.evaluate("window.shift"))
    return shift


def pressing_faults_at(page: Page, screen: Screen, sizes: tuple[Size, ...]) -> Iterator[str]:
    """Yield what can't be pressed on the page in each size; in the end it has its own size again."""
    own_size = page.viewport_size
    page.evaluate(UNPAINTED)
    for width, height in sizes:
        if {"width": width, "height": height} != page.viewport_size:  # another size costs a layout
            resize(page, width, height)
        for fault in dict.fromkeys(pressing_faults(page, screen.kind == "turn")):
            yield f"at {width} x {height}: {fault}"
    if own_size is not None:
        page.set_viewport_size(own_size)


@pytest.mark.parametrize("others", [1, pytest.param(len(OTHERS), marks=pytest.mark.long)])
@pytest.mark.timeout(900)
def test_every_screen(tmp_path: Path, serve: Callable, browser: Browser, repository: Path, others: int):
    """On a tablet in English, and on a dark and small phone in German and Finnish in turn.

    The tablet has its own size, and as many of the `OTHERS`: one in turn, since each costs a layout, or all of them.
    """
    axe = repository / AXE
    if not axe.is_file():
        pytest.skip("axe-core is not installed; `make scripts` does it, where Node.js is")
    faults: list[str] = []

    def opened(size: Size, color_scheme: str, locale: str) -> Page:
        # The page's content security policy would block the test's script.
        looks = {"color_scheme": color_scheme, "locale": locale, "bypass_csp": True}
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **QUIET, **looks)
        context.add_init_script(COUNT_SHIFTS)
        context.add_init_script(path=axe)
        return context.new_page()

    def look_at(page: Page, stage: Stage, screen: Screen, sizes: tuple[Size, ...]) -> None:
        faults.extend(f"{screen.name}: {fault}" for fault in page.evaluate(LOOK, TAGS))
        shift = shift_of(page, stage, screen)
        # On a phone the verdict may grow, since it fills the screen.
        if shift >= MOST_SHIFT and (screen.then is None or page is tablet):
            faults.append(f"{screen.name}: layout shift {shift:.3f}")
        faults.extend(f"{screen.name} {fault}" for fault in pressing_faults_at(page, screen, sizes))

    tablet, phone = opened(TABLET, "light", "en-GB"), opened(SMALLEST, "dark", "de-DE")
    other_sizes, languages = cycle(OTHERS), cycle(LANGUAGES)
    marked_texts = 0
    with marked_english(tmp_path / "languages"):
        for stage, screen in Theatre(tmp_path, serve).screens():
            speak(phone, stage, next(languages))
            for page in see([tablet, phone], stage, screen):
                if page is phone:
                    look_at(page, stage, screen, (SMALLEST,))
                    continue
                marked, unmarked = read_marked(page)
                marked_texts += marked
                faults += [f"{screen.name} has words that can't be translated: {words}" for words in unmarked]
                look_at(page, stage, screen, (TABLET, *islice(other_sizes, others)))
    assert not faults, "\n".join(faults)
    assert marked_texts > LEAST_MARKED_TEXTS

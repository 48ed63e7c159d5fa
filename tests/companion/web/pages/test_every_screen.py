"""Every screen in every state: all of it can be pressed, nothing of a turn scrolls or jumps, axe-core finds nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.support.pressing import pressing_faults
from tests.support.screens import Screen, Stage, Theatre, see

SIZES = (
    *((320, 568), (320, 640), (768, 1024), (1024, 768), (1280, 800), (1920, 1080)),
    *((568, 320), (844, 390)),  # phones held sideways
    (390, 844),
)
PHONE, TABLET = {"width": 390, "height": 844}, {"width": 1024, "height": 768}
MOST_SHIFT = 0.05
AXE = "companion/web/tooling/node_modules/axe-core/axe.min.js"
TAGS = [*(f"wcag{version}{level}" for version in ("2", "21", "22") for level in ("a", "aa")), "best-practice"]

# What moved without anybody having touched the page, as browsers count it.
COUNT_SHIFTS = """
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""
LOOK = """async (tags) => {
  const rules = { "label-content-name-mismatch": { enabled: true } };
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("axe-core does not end")), 30000));
  const { violations } = await Promise.race([axe.run(document, { runOnly: tags, rules, preload: false }), late]);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}"""


@pytest.fixture
def theatre(tmp_path: Path, serve: Callable) -> Theatre:
    """The evenings on which all screens are seen."""
    return Theatre(tmp_path, serve)


@pytest.mark.timeout(600)
def test_all_that_can_be_pressed_is_whole_free_and_large_on_every_screen(theatre, browser):
    faults: list[str] = []
    page = browser.new_page(service_workers="block")
    for stage, screen in theatre.screens():
        page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
        see(page, stage, screen)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(60)
            found = pressing_faults(page, screen.kind == "turn")
            faults += [f"{screen.name} at {width} x {height}: {fault}" for fault in dict.fromkeys(found)]
    assert not faults, "\n".join(faults)


@pytest.mark.timeout(600)
def test_nothing_jumps_and_axe_finds_nothing_on_any_screen(theatre, browser, repository):
    axe = repository / AXE
    if not axe.is_file():
        pytest.skip("axe-core is not installed; `make scripts` does it, where Node.js is")
    faults: list[str] = []
    pages: list[Page] = []
    for size, scheme in ((TABLET, "light"), (PHONE, "dark")):
        # The page's own policy lets no script of a test in.
        context = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True, service_workers="block")
        context.add_init_script(COUNT_SHIFTS)
        pages.append(context.new_page())

    def look_at(page: Page, stage: Stage, screen: Screen) -> None:
        see(page, stage, screen)
        page.wait_for_timeout(150)
        shift = page.evaluate("window.shift")
        if shift >= MOST_SHIFT:
            faults.append(f"{screen.name}: layout shift {shift:.3f}")
        page.evaluate(axe.read_text("utf-8"))
        faults.extend(f"{screen.name}: {fault}" for fault in page.evaluate(LOOK, TAGS))

    for stage, screen in theatre.screens():
        # What happens while a page is open happens once only.
        for page in pages[:1] if screen.seen else pages:
            look_at(page, stage, screen)
    assert not faults, "\n".join(faults)

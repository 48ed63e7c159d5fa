"""German and Finnish fit each screen at each size; only `make check-long` runs this."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.browsing import QUIET
from tests.support.pressing import pressing_faults
from tests.support.theatre import UNPAINTED, Theatre, resize, see

SMALLEST = {"width": 320, "height": 568}
SIZES = (320, 568), (390, 844), (768, 1024), (1024, 768), (1180, 820), (1920, 1080)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_german_and_finnish_fit_every_screen_at_every_size(tmp_path: Path, serve: Callable, browser: Browser):
    """`test_every_screen` shows all sizes in English, and each screen in only one of the two on phones."""
    contexts = [browser.new_context(locale=locale, viewport=SMALLEST, **QUIET) for locale in ("de-DE", "fi-FI")]
    for context in contexts:
        context.add_init_script(UNPAINTED)
    phones = [context.new_page() for context in contexts]
    faults: list[str] = []
    for stage, screen in Theatre(tmp_path, serve).screens():
        for page, language in zip(see(phones, stage, screen), ("de", "fi"), strict=True):
            page.evaluate(UNPAINTED)
            for width, height in SIZES:
                resize(page, width, height)
                found = dict.fromkeys(pressing_faults(page, screen.kind == "turn"))
                faults += [f"{screen.name} in {language} at {width} x {height}: {fault}" for fault in found]
            page.set_viewport_size(SMALLEST)
    assert not faults, "\n".join(faults)

"""The app's icons, drawn from `companion/web/static/icon.svg` by Chromium: `python -m tests.support.icons`."""

import base64
import shutil
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

STATIC = Path(__file__).parents[2] / "companion" / "web" / "static"
SIZES = {"icon-192.png": 192, "icon-512.png": 512}
WHOLE = {"icon-whole-512.png": 512}
"""To be cut to any shape by whoever shows it: the drawing stays within the middle four fifths, the ground goes on.
Apple, which fills what is clear with black, takes this one."""
GROUND = "#22574a"


def drawn(browser: Browser, name: str) -> bytes:
    """An icon as a PNG."""
    size = (SIZES | WHOLE)[name]
    drawing = base64.b64encode((STATIC / "icon.svg").read_bytes()).decode()
    inset = size // 10 if name in WHOLE else 0
    ground = GROUND if name in WHOLE else "transparent"
    page = browser.new_page(viewport={"width": size, "height": size})
    page.set_content(
        f"<style>html,body{{margin:0;background:{ground}}}img{{display:block;padding:{inset}px;"
        f'width:{size - 2 * inset}px}}</style><img src="data:image/svg+xml;base64,{drawing}">'
    )
    page.locator("img").evaluate("image => image.decode()")
    picture = page.screenshot(omit_background=True)
    page.close()
    return picture


def main() -> None:
    """Draw all of them anew."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in SIZES | WHOLE:
            (STATIC / name).write_bytes(drawn(browser, name))
        browser.close()


if __name__ == "__main__":
    main()

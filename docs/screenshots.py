"""Makes the pictures of the page in docs/: `python docs/screenshots.py --photos ../shared/photos/images`.

It runs `tilekeeper run` on the real photos with the networks that ship, and drives Chromium through some of them.
"""

import argparse
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

from tests.benchmarks.companion.app_process import running_app
from tilekeeper.vision.sources.camera import sorted_photos

DOCS = Path(__file__).parent
OFFLINE = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
LONGEST_MS = 20_000
# The stamp on the verdict comes down, and the picture is put in place once it is decoded.
SETTLE_MS = 800
QUALITY = 82


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture of the page: the file to write, the photo to show and the screen to show it on."""

    file: str
    photo: str
    width_px: int
    height_px: int
    scheme: Literal["light", "dark"]


SHOTS = (
    Shot("page.png", "rummy4-8.jpg", 1180, 820, "light"),
    Shot("page-dark.jpg", "rummy-20.jpg", 1180, 820, "dark"),
    Shot("page-fault.jpg", "rummy-36.jpg", 1180, 820, "light"),
    Shot("page-scatter.jpg", "rummy2-10.jpg", 1180, 820, "light"),
    Shot("page-rug.jpg", "rummy4-30.jpg", 1180, 820, "dark"),
    Shot("page-phone.jpg", "rummy-20.jpg", 390, 844, "light"),
    Shot("page-phone-dark.jpg", "rummy4-8.jpg", 390, 844, "dark"),
)


def main() -> int:
    """Make all pictures."""
    args = options(__doc__)
    with running_app("--source", str(args.photos)) as app, browsing(args.chromium) as browser:
        address = app.address
        for shot in SHOTS:
            context = browser.new_context(
                viewport={"width": shot.width_px, "height": shot.height_px}, color_scheme=shot.scheme
            )
            page = context.new_page()
            page.goto(address)
            _go_to(page, address, args.photos, shot.photo)
            take(page, args.out / shot.file)
            print(f"{shot.file}: {shot.photo}, {page.locator('#headline').inner_text()}")
            context.close()
    return 0


def _go_to(page: Page, address: str, photos: Path, photo: str) -> None:
    """Step to a photo of the folder and wait until it is shown, read and judged."""
    names = [path.name for path in sorted_photos(photos)]
    if photo not in names:
        raise SystemExit(f"there is no {photo} in {photos}")
    state = page.request.get(f"{address}api/state").json()
    page.request.post(f"{address}api/step", data={"by": names.index(photo) - state["source"]["index"]})
    page.locator("#photo-name", has_text=photo).wait_for(timeout=LONGEST_MS)
    page.locator(".overlay:not(.stale)").wait_for(timeout=LONGEST_MS)
    page.wait_for_timeout(SETTLE_MS)


def take(page: Page, path: Path) -> None:
    """Take a picture of a page, as PNG or JPEG as the file is called."""
    if path.suffix == ".jpg":
        page.screenshot(path=path, type="jpeg", quality=QUALITY)
    else:
        page.screenshot(path=path)


def options(about: str | None) -> argparse.Namespace:
    """What the command line of every such program says: `photos`, `chromium`, `out`; ends it without Chromium."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=Path, required=True, help="the folder of real photos")
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="the browser to drive")
    parser.add_argument("--out", type=Path, default=DOCS, help="where the pictures go (default: docs/)")
    args = parser.parse_args()
    if args.chromium is None:
        raise SystemExit("Chromium is not installed; apt-get install chromium")
    return args


@contextmanager
def browsing(chromium: str) -> Iterator[Browser]:
    """Run Chromium without a window, and end it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(OFFLINE))
        yield browser
        browser.close()


if __name__ == "__main__":
    sys.exit(main())

"""Takes the pictures of the pages: `python -m docs.screenshots`; `--photos FOLDER` adds the picture of a real photo.

It plays two evenings, one by hand and one in front of a camera that sees rendered tables. It takes every screen in
every state in Chromium: on a tablet in both directions and on a phone, light and dark, in every language. docs/ gets
the few pictures that its pages show. All pictures and a contact sheet of each size go to another folder (`--all`).
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from tests.benchmarks.companion.app_process import running_app
from tests.support.browsing import OFFLINE, Serving
from tests.support.theatre import Theatre, see
from tilekeeper.companion.capture.sources import sorted_photos
from tilekeeper.companion.languages import DEFAULT_LANGUAGE, LANGUAGES

DOCS = Path(__file__).parent
ALL = Path("var/screens")
LONGEST_MS = 20_000
# The stamp on the verdict comes down, and the picture is put in place once it is decoded.
SETTLE_MS = 800
# What is resized is laid out anew, and small sizes are worked out after that.
LAID_OUT_MS = 200
QUALITY, SHEET_QUALITY = 78, 70
SHEET_WIDTH_PX, GAP_PX, LABEL_PX = 1920, 8, 22
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@dataclass(frozen=True, slots=True)
class Size:
    """A size of screen, with how many of its pictures lie side by side on a contact sheet."""

    name: str
    width_px: int
    height_px: int
    columns: int


SIZES = (Size("tablet", 1024, 768, 6), Size("upright", 768, 1024, 8), Size("phone", 390, 844, 12))
# The pictures of docs/evening.md: screen, size, and the name in the file.
IN_THE_GUIDE = (
    ("set-up", "tablet", "setup"),
    ("turn-camera", "tablet", "turn"),
    ("question", "tablet", "question"),
    ("two-faults", "tablet", "fault"),
    ("failed", "tablet", "way-back"),
    ("final", "tablet", "score"),
    ("legal", "phone", "legal"),
    ("entry", "phone", "by-hand"),
    ("private-page", "phone", "private"),
)
# The picture of README.md: a page that shows a real photo.
PHOTO, PHOTO_FILE, PHOTO_PAGE_PX = "rummy-28.jpg", "page.jpg", (1180, 820)


def main() -> int:
    """Make all pictures."""
    args = _options()
    with tempfile.TemporaryDirectory() as folder, _browsing(args.chromium) as browser:
        for language in args.languages:
            single = args.all / language
            single.mkdir(parents=True, exist_ok=True)
            played = Path(folder) / language
            played.mkdir()
            names = _take_screens(browser, played, single, language)
            for size in SIZES:
                for scheme in SCHEMES:
                    sheet = args.all / f"screens-{size.name}-{scheme}-{language}.jpg"
                    _write(sheet, _contact_sheet(size, scheme, names, single), SHEET_QUALITY)
                    print(f"{sheet}: {len(names)} screens, {sheet.stat().st_size // 1000} kB")
        if DEFAULT_LANGUAGE in args.languages:
            for screen, size_name, name in IN_THE_GUIDE:
                picture = cv2.imread(str(args.all / DEFAULT_LANGUAGE / f"{screen}-{size_name}-light.png"))
                _write(args.out / f"evening-{name}-{size_name}.jpg", picture, QUALITY)
        if args.photos is not None:
            _take_photo(browser, args.photos, args.out / PHOTO_FILE)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=Path, help="the folder of real photos, for the picture of README.md")
    parser.add_argument("--languages", nargs="+", choices=[*LANGUAGES], default=[*LANGUAGES], help="default: all")
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="the browser to drive")
    parser.add_argument("--out", type=Path, default=DOCS, help="where the pictures of the pages go (docs/)")
    parser.add_argument("--all", type=Path, default=ALL, help="where every picture goes (default: %(default)s)")
    args = parser.parse_args()
    if args.chromium is None:
        raise SystemExit("Chromium is not installed; apt-get install chromium")
    return args


@contextmanager
def _browsing(chromium: str) -> Iterator[Browser]:
    """Run Chromium without a window, and end it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(OFFLINE))
        yield browser
        browser.close()


def _take_screens(browser: Browser, folder: Path, single: Path, language: str) -> list[str]:
    """Take every screen on every size, light and dark; return their names in the order of the evening."""
    names: list[str] = []
    serving = Serving()
    page = browser.new_context(locale=language, service_workers="block").new_page()
    try:
        for stage, screen in Theatre(folder, serving).screens():
            _resize(page, SIZES[0])
            next(see([page], stage, screen))
            for size in SIZES:
                _resize(page, size)
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)
                    page.wait_for_timeout(LAID_OUT_MS)
                    page.screenshot(path=single / f"{screen.name}-{size.name}-{scheme}.png")
            names.append(screen.name)
            print(screen.name)
    finally:
        serving.stop()
    return names


def _resize(page: Page, size: Size) -> None:
    page.set_viewport_size({"width": size.width_px, "height": size.height_px})


def _contact_sheet(size: Size, scheme: str, names: list[str], single: Path) -> np.ndarray:
    """Return all screens of one size side by side, small, each with its name: (H, W, 3) uint8."""
    width_px = (SHEET_WIDTH_PX - GAP_PX) // size.columns - GAP_PX
    height_px = round(width_px * size.height_px / size.width_px)
    rows = -(-len(names) // size.columns)
    step_x, step_y = width_px + GAP_PX, height_px + LABEL_PX + GAP_PX
    sheet = np.full((rows * step_y + GAP_PX, SHEET_WIDTH_PX, 3), 28, np.uint8)
    for place, name in enumerate(names):
        picture = cv2.imread(str(single / f"{name}-{size.name}-{scheme}.png"))
        small = cv2.resize(picture, (width_px, height_px), interpolation=cv2.INTER_AREA)
        row, column = divmod(place, size.columns)
        x, y = GAP_PX + column * step_x, GAP_PX + row * step_y
        label = (x + 2, y + LABEL_PX - 8)
        cv2.putText(sheet, name, label, cv2.FONT_HERSHEY_SIMPLEX, 0.42, (225, 225, 225), 1, cv2.LINE_AA)
        sheet[y + LABEL_PX : y + LABEL_PX + height_px, x : x + width_px] = small
    return sheet


def _write(path: Path, image_bgr: np.ndarray, quality: int) -> None:
    cv2.imwrite(str(path), image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])


def _take_photo(browser: Browser, photos: Path, out: Path) -> None:
    """Take the page with one of the real photos, read by the shipped networks."""
    width_px, height_px = PHOTO_PAGE_PX
    with running_app("--source", str(photos)) as app:
        page = browser.new_context(viewport={"width": width_px, "height": height_px}, color_scheme="light").new_page()
        page.goto(app.address)
        _go_to(page, app.address, photos, PHOTO)
        page.screenshot(path=out, type="jpeg", quality=QUALITY)
        print(f"{out.name}: {PHOTO}, {page.locator('#headline').inner_text()}")
        page.context.close()


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


if __name__ == "__main__":
    sys.exit(main())

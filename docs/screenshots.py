"""Makes the pictures of the pages: `python -m docs.screenshots`, and with `--photos FOLDER` those of real photos too.

It plays two evenings, one by hand and one before a camera that sees rendered tables, and takes every screen in every
state in Chromium: on a tablet lying, on one held upright and on a phone, light and dark, in every language. A contact
sheet of each goes into docs/, the single pictures into a folder of their own (`--all`), but for those that
docs/evening.md shows.
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
from tilekeeper.companion.languages import DEFAULT_LANGUAGE, LANGUAGES
from tilekeeper.vision.sources.camera import sorted_photos

DOCS = Path(__file__).parent
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
# What docs/evening.md shows, by the names of the screens: each on a tablet and on a phone.
IN_THE_GUIDE = {
    "first-practice": "first",
    "set-up": "setup",
    "set-up-camera": "camera",
    "lots-half": "lots",
    "deal": "deal",
    "turn-camera": "turn",
    "standing": "begun",
    "legal": "legal",
    "not-legal-splash": "splash",
    "two-faults": "fault",
    "question": "question",
    "failed": "way-back",
    "entry": "by-hand",
    "correct": "correct",
    "private-page": "private",
    "menu": "menu",
    "rules": "rules",
    "racks": "racks",
    "rack": "rack",
    "final": "score",
    "after-the-evening": "after",
    "past-evenings": "past",
    "history": "history",
    "youngest": "youngest",
}


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture of the page of photos: the file to write, the photo to show and the screen to show it on."""

    file: str
    photo: str
    width_px: int
    height_px: int
    scheme: Literal["light", "dark"]


SHOTS = (
    Shot("page.png", "rummy-28.jpg", 1180, 820, "light"),
    Shot("page-dark.jpg", "rummy-20.jpg", 1180, 820, "dark"),
    Shot("page-fault.jpg", "rummy-36.jpg", 1180, 820, "light"),
    Shot("page-scatter.jpg", "rummy2-10.jpg", 1180, 820, "light"),
    Shot("page-rug.jpg", "rummy4-30.jpg", 1180, 820, "dark"),
    Shot("page-phone.jpg", "rummy-20.jpg", 390, 844, "light"),
    Shot("page-phone-dark.jpg", "rummy-36.jpg", 390, 844, "dark"),
)


def main() -> int:
    """Make all pictures."""
    args = _options()
    with tempfile.TemporaryDirectory() as folder, _browsing(args.chromium) as browser:
        for language in args.languages:
            every = (args.all or Path(folder) / "all") / language
            every.mkdir(parents=True, exist_ok=True)
            played = Path(folder) / language
            played.mkdir()
            names = _take_screens(browser, played, every, language)
            of_language = "" if language == DEFAULT_LANGUAGE else f"-{language}"
            for size in SIZES:
                for scheme in SCHEMES:
                    sheet = args.out / f"screens-{size.name}-{scheme}{of_language}.jpg"
                    _write(sheet, _contact_sheet(size, scheme, names, every), SHEET_QUALITY)
                    print(f"{sheet.name}: {len(names)} screens, {sheet.stat().st_size // 1000} kB")
        every = (args.all or Path(folder) / "all") / DEFAULT_LANGUAGE
        for name, called in IN_THE_GUIDE.items() if DEFAULT_LANGUAGE in args.languages else ():
            for size in (SIZES[0], SIZES[-1]):
                picture = cv2.imread(str(every / f"{name}-{size.name}-light.png"))
                _write(args.out / f"evening-{called}-{size.name}.jpg", picture, QUALITY)
        if args.photos is not None:
            _take_photos(browser, args.photos, args.out)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=Path, help="the folder of real photos, for the pictures of the page of photos")
    parser.add_argument("--languages", nargs="+", choices=[*LANGUAGES], default=[*LANGUAGES], help="default: all")
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="the browser to drive")
    parser.add_argument("--out", type=Path, default=DOCS, help="where sheets and the guide's pictures go (docs/)")
    parser.add_argument("--all", type=Path, help="where each single picture goes; else they are thrown away")
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


def _take_screens(browser: Browser, folder: Path, every: Path, language: str) -> list[str]:
    """Take every screen on every size, light and dark; returns their names in the order in which people see them."""
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
                    page.screenshot(path=every / f"{screen.name}-{size.name}-{scheme}.png")
            names.append(screen.name)
            print(screen.name)
    finally:
        serving.stop()
    return names


def _resize(page: Page, size: Size) -> None:
    page.set_viewport_size({"width": size.width_px, "height": size.height_px})


def _contact_sheet(size: Size, scheme: str, names: list[str], every: Path) -> np.ndarray:
    """All screens on one size side by side, small, each with its name: (H, W, 3) uint8."""
    width_px = (SHEET_WIDTH_PX - GAP_PX) // size.columns - GAP_PX
    height_px = round(width_px * size.height_px / size.width_px)
    rows = -(-len(names) // size.columns)
    step_x, step_y = width_px + GAP_PX, height_px + LABEL_PX + GAP_PX
    sheet = np.full((rows * step_y + GAP_PX, SHEET_WIDTH_PX, 3), 28, np.uint8)
    for place, name in enumerate(names):
        picture = cv2.imread(str(every / f"{name}-{size.name}-{scheme}.png"))
        small = cv2.resize(picture, (width_px, height_px), interpolation=cv2.INTER_AREA)
        row, column = divmod(place, size.columns)
        x, y = GAP_PX + column * step_x, GAP_PX + row * step_y
        label = (x + 2, y + LABEL_PX - 8)
        cv2.putText(sheet, name, label, cv2.FONT_HERSHEY_SIMPLEX, 0.42, (225, 225, 225), 1, cv2.LINE_AA)
        sheet[y + LABEL_PX : y + LABEL_PX + height_px, x : x + width_px] = small
    return sheet


def _write(path: Path, image_bgr: np.ndarray, quality: int) -> None:
    cv2.imwrite(str(path), image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])


def _take_photos(browser: Browser, photos: Path, out: Path) -> None:
    """Take the page of photos on some of the real ones, read by the networks that ship."""
    with running_app("--source", str(photos)) as app:
        for shot in SHOTS:
            size = {"width": shot.width_px, "height": shot.height_px}
            context = browser.new_context(viewport=size, color_scheme=shot.scheme)
            page = context.new_page()
            page.goto(app.address)
            _go_to(page, app.address, photos, shot.photo)
            if shot.file.endswith(".jpg"):
                page.screenshot(path=out / shot.file, type="jpeg", quality=QUALITY)
            else:
                page.screenshot(path=out / shot.file)
            print(f"{shot.file}: {shot.photo}, {page.locator('#headline').inner_text()}")
            context.close()


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

"""Makes the pictures of an evening in docs/: `python docs/screenshots_evening.py --photos ../shared/photos/images`.

It runs `tilekeeper run` on real photos with the networks that ship, plays a little of an evening on them through the
API, and takes every screen in Chromium, on a tablet and on a phone.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page
from screenshots import LONGEST_MS, SETTLE_MS, browsing, options, take

from tests.benchmarks.companion.app_process import running_app

LEGAL, FAULTY = "rummy-20.jpg", "rummy4-8.jpg"
PLAYERS = ("Ada", "Bo", "Cleo", "Dan & Eve")


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen on which every page is taken: what its pictures are called after, its size, and its colours."""

    name: str
    width_px: int
    height_px: int
    scheme: str


SCREENS = (Screen("tablet", 1180, 820, "light"), Screen("phone", 390, 844, "dark"))


class Evening:
    """An evening that is played through the API, and the pages that show it."""

    def __init__(self, browser: Browser, address: str, out: Path) -> None:
        """Open a page on each screen."""
        self._address, self._out = address, out
        self._pages: list[tuple[Screen, Page]] = []
        for screen in SCREENS:
            size = {"width": screen.width_px, "height": screen.height_px}
            context = browser.new_context(viewport=size, color_scheme=screen.scheme)
            self._pages.append((screen, context.new_page()))

    def state(self) -> dict[str, Any]:
        """The state as it is."""
        return self._pages[0][1].request.get(f"{self._address}api/state").json()

    def post(self, path: str, **body: object) -> None:
        """Press a button of the app; ends the program where it is refused."""
        answer = self._pages[0][1].request.post(f"{self._address}api/{path}", data=body)
        if not answer.ok:
            raise SystemExit(f"{path}: {answer.text()}")

    def act(self, what: str, **body: object) -> None:
        """Press a button of the evening."""
        self.post(f"evening/{what}", revision=self.state()["evening"]["revision"], **body)

    def show(self, photo: str) -> None:
        """Lay a photo before the camera and wait until it is read."""
        page = self._pages[0][1]
        while True:
            state = self.state()
            if state["settled"] and state["picture"] and state["picture"]["name"] == photo and state["reading"]:
                return
            if state["settled"]:
                self.post("step", by=1)
            page.wait_for_timeout(200)

    def take(self, name: str, path: str = "", before: Callable[[Page], object] = lambda page: None) -> None:
        """Take a page on every screen; `before` presses what leads there."""
        for screen, page in self._pages:
            page.goto(f"{self._address}{path}")
            page.wait_for_timeout(SETTLE_MS)
            before(page)
            page.wait_for_timeout(SETTLE_MS)
            file = f"evening-{name}-{screen.name}.jpg"
            take(page, self._out / file)
            print(file)


def main() -> int:
    """Make all pictures."""
    args = options(__doc__)
    with tempfile.TemporaryDirectory() as folder, browsing(args.chromium) as browser:
        photos = Path(folder) / "game-night"
        photos.mkdir()
        for photo in (LEGAL, FAULTY):
            shutil.copy(args.photos / photo, photos)
        with running_app("--source", str(photos)) as app:
            _play(Evening(browser, app.address, args.out))
    return 0


def _play(evening: Evening) -> None:
    def names(page: Page) -> None:
        for seat, name in enumerate(PLAYERS):
            page.get_by_label(f"Seat {seat + 1}").fill(name)
        page.locator("h2").first.click()
        page.evaluate("scrollTo(0, 0)")

    evening.take("setup", "setup", names)
    evening.take("camera", "setup#camera", lambda page: page.get_by_role("button", name="Test the picture").click())
    seats = [{"people": name.split(" & ")} for name in PLAYERS]
    evening.post("evenings", seats=seats, edition="large-numbers", rounds=3, settings={"timer": "strict"})
    evening.take("lots", before=_draw_lots)
    evening.act("starter", player=0, overruled=True)
    evening.take("deal")
    evening.act("deal")
    evening.act("opened", player=0)
    evening.act("resume")
    evening.show(LEGAL)
    evening.act("table")
    evening.take("begun", before=_how_it_stands)
    evening.act("undo")
    evening.act("done")
    evening.take("legal")
    evening.show(FAULTY)
    # Bo, who has not opened, has laid a tile to the longest meld that lay there.
    melds = evening.state()["reading"]["table"].split(" | ")
    longest = max(range(len(melds)), key=lambda at: len(melds[at].split()))
    melds[longest] = melds[longest].rpartition(" ")[0]
    evening.act("table", table=" | ".join(melds))
    evening.act("done")
    evening.take("fault", before=lambda page: page.locator(".fault").first.wait_for(timeout=LONGEST_MS))
    evening.act("stand")
    evening.take("way-back")
    evening.act("undo", steps=1)
    evening.take("by-hand", before=lambda page: page.locator("#by-hand").click())
    evening.take("correct", before=lambda page: page.locator(".overlay .spot .edge").first.dispatch_event("click"))
    evening.take("menu", before=lambda page: page.locator("#open-menu").click())
    evening.act("rack-count", player=1, tiles=0)
    evening.act("rack", player=0, tiles="R1 R2 J K9")
    evening.take("racks")
    evening.take("rack", before=lambda page: page.get_by_role("button", name="Show the rack").first.click())
    evening.act("rack", player=2, tiles="O3 O8 K12")
    evening.act("rack", player=3, tiles="B13")
    for winner, left in ((0, ("K2", "O11 R8", "B4")), (3, ("J", "O1 O2", "R10 R12"))):
        evening.act("starter", player=winner, overruled=True)
        evening.act("deal")
        evening.act("rack-count", player=winner, tiles=0)
        losers = [seat for seat in range(len(PLAYERS)) if seat != winner]
        for seat, tiles in zip(losers, left, strict=True):
            evening.act("rack", player=seat, tiles=tiles)
    evening.take("score")
    evening.take("history", before=_open_history)
    evening.post(
        "evenings", seats=[{"people": ["Mia"]}, {"people": ["Tom"]}], edition="junior", first_acquaintance=True
    )
    evening.act("point", tile="R5")
    evening.act("find", player=1, tile="R6")
    evening.take("youngest")


def _how_it_stands(page: Page) -> None:
    page.locator("#open-menu").click()
    page.get_by_role("button", name="How the game stands").click()


def _open_history(page: Page) -> None:
    page.locator("#open-history").click()
    page.locator(".history-item").first.wait_for(timeout=LONGEST_MS)


def _draw_lots(page: Page) -> None:
    pad = page.locator(".pad")
    for ink, name in (("black", "black 9"), ("red", "red 12")):
        tab = pad.locator(f".pad-tab.ink-{ink}")
        if tab.is_visible():
            tab.click()
        pad.get_by_role("button", name=name, exact=True).click()


if __name__ == "__main__":
    sys.exit(main())

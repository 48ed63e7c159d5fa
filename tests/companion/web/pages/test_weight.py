"""A page loads few compressed files, and no file twice."""

import pytest
from playwright.sync_api import Page

from tests.support.browsing import TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import Player, table_reading

MOST_REQUESTS = 25
MOST_BYTES = 100_000
MOST_UNTIL_PAINTED_MS = 300
MOST_OF_A_BARE_PAGE_MS = 80
MOST_LOADS = 6
# The time from the request to the first visible content (first contentful paint).
PAINTED_MS = """() => new Promise((seen) => {
  const look = () => {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    paint ? seen(paint.startTime) : setTimeout(look, 20);
  };
  look();
})"""


class Traffic:
    """The requests of a page with their bytes on the network, without pictures of the camera."""

    def __init__(self, page: Page) -> None:
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        self._addresses: dict[str, str] = {}
        self.bytes: dict[str, float] = {}
        self.cached: set[str] = set()
        session.on("Network.responseReceived", self._answered)
        session.on("Network.requestServedFromCache", lambda event: self.cached.add(event["requestId"]))
        session.on("Network.loadingFinished", self._finished)

    def _answered(self, event: dict) -> None:
        self._addresses[event["requestId"]] = event["response"]["url"]
        if event["response"].get("fromDiskCache"):
            self.cached.add(event["requestId"])

    def _finished(self, event: dict) -> None:
        if event["requestId"] not in self.cached:
            self.bytes[self._addresses.get(event["requestId"], "?")] = event["encodedDataLength"]

    @property
    def without_pictures(self) -> dict[str, float]:
        """Return the bytes of each address, without pictures."""
        return {address: size for address, size in self.bytes.items() if "/picture/" not in address}


@pytest.mark.parametrize("path", ["", "setup"])
def test_page_loads_little_data_and_no_file_twice(path, app, camera, tables, serve, open_page):
    EveningClient(app).deal("Ada", "Bo", "Cleo", "Dan")
    camera.show(tables.picture(table_reading("R3 R4 R5 | K8 B8 O8")))
    Player(app.test_client()).sees("R3 R4 R5 | K8 B8 O8")
    address = serve(app)
    page = open_page("about:blank", TABLET, locale="de-DE")  # the language with the longest sentences

    def load() -> dict[str, float]:
        traffic = Traffic(page)
        page.goto(f"{address}{path}")
        if not path:
            EveningPage(page, address).is_on("Ada")
        page.wait_for_timeout(500)
        return traffic.without_pictures

    first, second = load(), load()
    print(f"/{path}: {len(first)} requests, {sum(first.values()) / 1000:.0f} kB; again {len(second)}")
    assert 4 <= len(first) <= MOST_REQUESTS, first
    assert sum(first.values()) <= MOST_BYTES, first
    assert [one for one in second if "/assets/" in one] == []


@pytest.mark.parametrize("path", ["", "setup"])
def test_page_paints_at_once(path, app, serve, open_page):
    """The first time without a cache, and again; more tries on a busy machine are fair, since noise only adds time."""
    EveningClient(app).deal("Ada", "Bo", "Cleo", "Dan")
    address = serve(app)
    first: list[float] = []
    second: list[float] = []
    bare: list[float] = []  # for comparison, a page that loads nothing
    while len(first) < MOST_LOADS and not (first and max(min(first), min(second)) < MOST_UNTIL_PAINTED_MS):
        page = open_page("about:blank", TABLET)
        for times_ms, where in ((first, f"{address}{path}"), (second, f"{address}{path}"), (bare, f"{address}offline")):
            page.goto(where)
            times_ms.append(page.evaluate(PAINTED_MS))
        page.context.close()
    print(f"/{path}: first paint after {min(first):.0f} ms, again {min(second):.0f} ms, of {len(first)}")
    print(f"a bare page after {min(bare):.0f} ms")
    if min(first) >= MOST_UNTIL_PAINTED_MS and min(bare) > MOST_OF_A_BARE_PAGE_MS:
        pytest.skip("the machine is too busy to tell")
    assert min(first) < MOST_UNTIL_PAINTED_MS
    assert min(second) < MOST_UNTIL_PAINTED_MS

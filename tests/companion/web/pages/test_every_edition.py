"""A round of every edition by clicking, with and without a camera, on two tablets and three phones at one table."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import cycle

import pytest
from playwright.sync_api import expect

from tests.support.browsing import PHONE, SIDEWAYS, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import MarkedTables, PlayedSource, Player, table_reading
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.text.names import edition_words
from tilekeeper.engine.rules.editions import RULE_SETS

UPRIGHT, SMALLEST = {"width": 768, "height": 1024}, {"width": 320, "height": 568}
NAMES = ("Ada", "Bo", "Cleo")
WORDS = {"R": "red", "K": "black", "B": "blue"}

pytestmark = pytest.mark.long


class Table:
    """A table at which tiles are laid: before the camera, or on the pad."""

    def __init__(self, client: EveningClient, camera: PlayedSource | None, tables: MarkedTables) -> None:
        self.client, self.camera, self.tables = client, camera, tables

    def lay(self, page: EveningPage, table: str) -> None:
        """Lay a table whose last set is new, and press Done."""
        if self.camera is None:
            page.lay([f"{WORDS[tile[0]]} {tile[1:]}" for tile in table.split(" | ")[-1].split()])
            return
        self._show(table)
        page.press("Done", exact=True)

    def restore(self, page: EveningPage, table: str) -> None:
        """Put everything back after a failed turn."""
        if self.camera is not None:
            self._show(table)
            expect(page.page.locator(".back-state")).to_have_text("It looks as it should.")
        page.press("All back" if self.camera is None else "Go on", exact=True)

    def _show(self, table: str) -> None:
        assert self.camera is not None
        self.camera.show(self.tables.picture(table_reading(table)))
        Player(self.client.http).sees(table)


def all_are_on(devices: Sequence[EveningPage], name: str) -> None:
    for device in devices:
        device.is_on(name)


@pytest.mark.parametrize("with_camera", [True, False], ids=["camera", "by hand"])
@pytest.mark.parametrize("edition", [*RULE_SETS])
def test_round_is_played_on_five_devices_in_turn(make_app, camera, tables, serve, open_page, edition, with_camera):
    app = make_app(camera) if with_camera else make_app(NoSource(), watch=False)
    if with_camera:
        camera.show(tables.picture(table_reading("")))
    address = serve(app)
    client = EveningClient(app)
    table = Table(client, camera if with_camera else None, tables)
    first = EveningPage(open_page(f"{address}setup", UPRIGHT), address)
    first.set_up(
        *NAMES, choices=[edition_words(edition), "1"][: 1 if edition == "junior" else 2], racks_may_show=with_camera
    )
    others = [EveningPage(open_page(address, size), address) for size in (PHONE, SMALL_TABLET, SIDEWAYS, SMALLEST)]
    devices = (first, *others)
    next_device = partial(next, cycle([*others, first]))

    next_device().begins("Ada")
    opening = "R1 R2 R3" if edition == "junior" else "R10 R11 R12 R13"
    table.lay(next_device(), opening)
    all_are_on(devices, "Bo")
    # A wrong turn is taken back.
    table.lay(next_device(), f"{opening} | K1 K2")
    for device in devices:
        device.hears("Not allowed")
    next_device().page.get_by_role("button", name=re.compile("^Take it back")).click()
    expect(next_device().page.locator("#panel h2")).to_have_text("This turn does not count")
    table.restore(next_device(), opening)
    all_are_on(devices, "Cleo")
    next_device().press("Pay and draw" if edition == "junior" else "Draw", exact=True)
    all_are_on(devices, "Ada")
    next_device().rummikub()
    for name in ("Bo", "Cleo"):
        device = next_device()
        if edition == "junior":
            device.page.locator(".rack-card", has_text=name).get_by_role("button", name="Count").click()
            device.press("Save")
        else:
            device.show_rack(name, "black 5", "joker")
    for device in devices:
        expect(device.page.locator("#panel h2")).to_have_text(re.compile("^Ada wins"))
    if edition == "junior":
        next_device().press("End the evening here")
        for device in devices:
            expect(device.page.locator("#panel h2")).to_have_text(re.compile("^Ada wins the evening"))

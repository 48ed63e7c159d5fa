"""Two rounds of every edition by clicking, with and without a camera, on two tablets and three phones at one table."""

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
IN_SHORT = {("cards", False), ("large-numbers", True)}
"""The evenings that every run of the tests plays: one by hand, one before a camera."""
EVENINGS = [
    pytest.param(
        edition,
        with_camera,
        id=f"{edition} {'before a camera' if with_camera else 'by hand'}",
        marks=() if (edition, with_camera) in IN_SHORT else pytest.mark.long,
    )
    for edition in RULE_SETS
    for with_camera in (True, False)
]


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

    def clear(self) -> None:
        """Take all tiles off the table."""
        self._show("")

    def _show(self, table: str) -> None:
        assert self.camera is not None
        self.camera.show(self.tables.picture(table_reading(table)))
        Player(self.client.http).sees(table)


class Rounds:
    """Rounds of three players; each step is taken on the next device, and then all devices show it."""

    def __init__(self, edition: str, devices: Sequence[EveningPage], table: Table) -> None:
        self.devices, self.table = devices, table
        self.is_junior = edition == "junior"
        self.opening = "R1 R2 R3" if self.is_junior else "R10 R11 R12 R13"
        self.next_device = partial(next, cycle([*devices[1:], devices[0]]))

    def play(self, *names: str) -> None:
        """Play a round: an opening, a wrong turn that is taken back, a draw, and the first player's empty rack."""
        self.table.lay(self.next_device(), self.opening)
        self.all_are_on(names[1])
        self.table.lay(self.next_device(), f"{self.opening} | K1 K2")
        for device in self.devices:
            device.hears("Not allowed")
        self.next_device().page.get_by_role("button", name=re.compile("^Take it back")).click()
        expect(self.next_device().page.locator("#panel h2")).to_have_text("This turn does not count")
        self.table.restore(self.next_device(), self.opening)
        self.all_are_on(names[2])
        self.next_device().press("Pay and draw" if self.is_junior else "Draw", exact=True)
        self.all_are_on(names[0])
        self.next_device().rummikub()
        for name in names[1:]:
            self._count(name)

    def all_are_on(self, name: str) -> None:
        """Wait until it is the player's turn on all devices."""
        for device in self.devices:
            device.is_on(name)

    def all_show(self, headline: str) -> None:
        """Wait until the panels of all devices have a headline that begins with these words."""
        for device in self.devices:
            expect(device.page.locator("#panel h2")).to_have_text(re.compile(f"^{headline}"))

    def _count(self, name: str) -> None:
        device = self.next_device()
        if self.is_junior:
            device.page.locator(".rack-card", has_text=name).get_by_role("button", name="Count").click()
            device.press("Save")
        else:
            device.show_rack(name, "black 5", "joker")


@pytest.mark.parametrize(("edition", "with_camera"), EVENINGS)
def test_two_rounds_are_played_on_five_devices_in_turn(
    make_app, camera, tables, serve, open_page, edition, with_camera
):
    """The first device is held upright before a camera, and on its side by hand; both kinds look on."""
    app = make_app(camera) if with_camera else make_app(NoSource(), watch=False)
    if with_camera:
        camera.show(tables.picture(table_reading("")))
    address = serve(app)
    table = Table(EveningClient(app), camera if with_camera else None, tables)
    sizes = (UPRIGHT, PHONE, SMALL_TABLET, SIDEWAYS, SMALLEST)
    if not with_camera:
        sizes = (SMALL_TABLET, SIDEWAYS, UPRIGHT, PHONE, SMALLEST)
    first = EveningPage(open_page(f"{address}setup", sizes[0]), address)
    first.set_up(*NAMES, choices=[edition_words(edition)], racks_may_show=with_camera)
    rounds = Rounds(edition, (first, *(EveningPage(open_page(address, size), address) for size in sizes[1:])), table)

    rounds.next_device().begins("Ada")
    rounds.play("Ada", "Bo", "Cleo")
    rounds.all_show("Ada wins")
    if with_camera:
        table.clear()
    rounds.next_device().press("Next round")
    rounds.next_device().begins("Bo")
    rounds.play("Bo", "Cleo", "Ada")
    rounds.all_show("Bo wins")
    rounds.next_device().press("End the evening here")
    rounds.all_show(".* the evening|.*evening is over|Ada and")

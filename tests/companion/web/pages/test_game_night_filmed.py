"""A game of two rounds in front of a network camera, played in a real browser."""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.film import Film
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import table_reading
from tests.support.rendered_tables import RenderedTables
from tilekeeper.companion.capture.source_choice import choose_source
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set

RUN = "R1 R2 R3"
GROUP = "K10 B10 O10"
RED_RUN_BROKEN = "R1 R2 R3 R5 R4"
LONG_RUNS = "R1 R2 R3 R4 R5 R6 R7 R8 | B3 B4 B5 B6 B7 B8 B9 B10"
DOUBTFUL = "K11 B11 O11"
GAP_S = 4.0  # the app takes a longer step of the clock for sleep


class Clock:
    """A monotonic clock that the test can run faster."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead_s

    def run(self, seconds: float) -> None:
        """Let time pass in steps too short for sleep."""
        for _ in range(round(seconds / GAP_S)):
            self.ahead_s += GAP_S
            time.sleep(0.3)


class Table:
    """The filmed table, and the app that watches it."""

    def __init__(self, film: Film, tables: RenderedTables, app: Flask, clock: Clock) -> None:
        self.film, self.tables, self.app, self.clock = film, tables, app, clock

    def lay(self, notation: str, **doubts: object) -> None:
        """Lay tiles with a hand, and wait until the app has read them."""
        self.film.show(self.tables.hand())
        self.film.wait_until_shown()
        self.film.show(self.tables.table(notation, **doubts))
        wanted = str(table_reading(notation) and notation)
        end_s = time.monotonic() + 30
        while time.monotonic() < end_s:
            snapshot = parts(self.app).session.state.snapshot
            if snapshot.settled and snapshot.reading is not None and self._reads(notation):
                return
            time.sleep(0.05)
        raise AssertionError(f"the app still does not see {wanted}")

    def _reads(self, notation: str) -> bool:
        client = self.app.test_client()
        return client.get("/api/state").get_json()["reading"]["table"] == notation


@pytest.fixture(scope="module")
def tables() -> RenderedTables:
    """The rendered table."""
    return RenderedTables()


@pytest.fixture
def table(ffmpeg_path: str, tables: RenderedTables, tmp_path: Path, serve: Callable) -> Iterator[tuple[Table, str]]:
    """An app that watches the film through OpenCV, like any network camera."""
    film = Film(tables.table(""))
    clock = Clock()
    try:
        source = choose_source(film.address).source
        rules = rule_set("large-numbers")
        app = create_app(
            Settings(rules, source, tables, "film", tmp_path, user=UserSettings(still_after_s=0.3), now=clock)
        )
        parts(app).start()
        yield Table(film, tables, app, clock), serve(app)
        serve.stop()
    finally:
        film.close()


def test_two_rounds_with_four_players_on_a_filmed_table(table, open_page, tmp_path):  # noqa: PLR0915, an evening
    filmed, address = table
    page: Page = open_page(f"{address}setup", SMALL_TABLET)
    evening = EveningPage(page, address)
    evening.set_up("Ada", "Bo", "Cleo", "Dan", choices=["2", "Strict"], racks_may_show=True)

    # Lots decide who begins, and the deal is explained; the clock stands until it is started.
    evening.keys("black 13", "red 5", "blue 9", "orange 2")
    evening.press("Save")
    expect(page.locator("#panel h2")).to_have_text("Ada begins")
    expect(page.locator(".how")).to_contain_text("everybody has 14 tiles")
    evening.press("All have their tiles")
    evening.is_on("Ada")
    expect(page.locator("#clock")).to_have_attribute("data-running", "false")
    evening.press("Start", exact=True)
    expect(page.locator("#clock")).to_have_attribute("data-running", "true")

    # An opening below the required points: they are counted live, and the verdict has the missing points.
    filmed.lay(RUN)
    expect(page.locator("#opening")).to_contain_text("6 of 30")
    page.keyboard.press("Space")
    evening.hears("Not allowed")
    expect(page.locator(".fault")).to_contain_text("24 are missing")
    expect(page.locator(".overlay .hull.faulty")).to_have_count(1)
    filmed.lay(f"{RUN} | {GROUP}")
    expect(page.locator("#opening")).to_contain_text("36 points")
    evening.press("Done", exact=True)
    evening.hears("Allowed")
    evening.is_on("Bo")

    # A drawn tile, undone and drawn again.
    evening.press("Draw", exact=True)
    evening.is_on("Cleo")
    evening.undo()
    evening.is_on("Bo")
    evening.press("Draw", exact=True)
    evening.is_on("Cleo")
    expect(page.locator(".seat", has_text="Bo")).to_contain_text("15")

    # Time runs out in the middle of a turn; the way back is drawn and checked, and the penalty noted.
    filmed.lay(f"{RUN} | {GROUP} | B1 B2")
    filmed.clock.run(64)
    expect(page.locator("#panel h2")).to_have_text("Time is up, Cleo")
    expect(page.locator(".moves li")).to_have_count(2)
    expect(page.locator(".map-tile")).to_have_count(6)
    expect(page.locator(".overlay .spot.moving")).to_have_count(2)
    # While the moves are numbered, the sets are not.
    expect(page.locator(".overlay .badge.step")).to_have_count(2)
    expect(page.locator(".overlay .badge:not(.step)")).to_have_count(0)
    evening.press("All back")
    expect(page.locator("dialog")).to_contain_text("Not back in place yet")
    page.keyboard.press("Escape")
    filmed.lay(f"{RUN} | {GROUP}")
    expect(page.locator(".back-state")).to_have_text("It looks as it should.")
    evening.press("Go on", exact=True)
    evening.is_on("Dan")
    expect(page.locator(".seat", has_text="Cleo")).to_contain_text("17")

    # A doubtful tile that decides the verdict is asked about with its picture.
    filmed.lay(f"{RUN} | {GROUP} | {DOUBTFUL}", doubts={(2, 2): "black-11"})
    page.keyboard.press("Space")
    evening.hears("Not sure")
    crop = page.locator(".question img")
    expect(crop).to_have_js_property("complete", value=True)
    assert crop.evaluate("image => image.naturalWidth") > 0
    expect(page.locator("#clock")).to_have_attribute("data-running", "false")
    page.locator(".choice", has_text="orange 11").click()
    evening.hears("Allowed")
    evening.is_on("Ada")

    # An illegal turn is named and outlined, with the smallest fix; then the players overrule the judge.
    filmed.lay(f"{RED_RUN_BROKEN} | {GROUP} | {DOUBTFUL}", doubts={(2, 2): "black-11"})
    page.keyboard.press("Space")
    evening.hears("Not allowed")
    expect(page.locator(".fault").get_by_label("red 5").first).to_be_visible()
    expect(page.locator(".fix li")).not_to_have_count(0)
    expect(page.locator(".overlay .faulty").first).to_be_visible()
    expect(page.locator(".overlay .badge:not(.step)")).not_to_have_count(0)
    expect(page.locator(".overlay .badge.step")).to_have_count(0)  # the card has no room for the moves
    evening.more("Change decision")
    page.get_by_label("Reason").fill("Grandma always plays it so")
    evening.press("It counts")
    evening.is_on("Bo")
    page.locator("#open-history").click()
    expect(page.locator(".history-item.overruled")).to_contain_text("Grandma always plays it so")
    page.locator(".thumbs").last.click()
    expect(page.locator(".shots img")).to_have_count(2)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")

    # The round ends: one rack is scanned by the camera, one photographed with a phone, one entered by taps.
    evening.rummikub()
    table_text = f"{RED_RUN_BROKEN} | {GROUP} | {DOUBTFUL}"
    filmed.lay(f"{table_text} | R7 K4 J")
    evening.open_rack("Ada")
    evening.press("Scan with the table camera")
    expect(page.locator("dialog .pick")).to_have_count(3)
    expect(page.locator(".rack-sum")).to_contain_text("41 points")
    # Each tile can be corrected: the black 4 was a black 3.
    page.locator("dialog .pick").nth(1).click()
    evening.keys("black 3")
    expect(page.locator(".rack-sum")).to_contain_text("40 points")
    evening.give_rack()

    phone = EveningPage(open_page(address, PHONE), address)
    rack = tmp_path / "rack.jpg"
    cv2.imwrite(str(rack), filmed.tables.table("O1 O2 | B13"))
    phone.open_rack("Cleo")
    phone.page.get_by_label("Picture of the rack").set_input_files(rack)
    expect(phone.page.locator("dialog .pick")).to_have_count(3)
    phone.give_rack()
    evening.show_rack("Dan", "red 9", "joker")
    assert evening.totals() == ["−40", "+95", "−16", "−39"]
    expect(page.locator(".check")).to_have_text("All points add up to 0.")
    expect(page.locator(".chart polyline")).to_have_count(4)

    # The second round, to the final score.
    filmed.lay("")
    evening.press("Next round")
    evening.begins("Ada")
    evening.press("Start", exact=True)
    # More tiles are on the table than a rack holds: the app offers to continue from there.
    filmed.lay(LONG_RUNS)
    evening.hears("Has the game begun already?")
    evening.press("Go on from this table")
    evening.press("Use the table as it is now")
    evening.press("Save")
    evening.hears("Lay your tiles")
    filmed.lay(f"{LONG_RUNS} | {GROUP}")
    page.keyboard.press("Space")
    evening.is_on("Bo")
    evening.rummikub()
    for name, tile in (("Ada", "red 1"), ("Cleo", "blue 2"), ("Dan", "black 3")):
        evening.show_rack(name, tile)
    expect(page.locator("#panel h2")).to_have_text("Bo wins the evening")
    assert evening.totals() == ["−41", "+101", "−18", "−42"]
    page.locator("#open-sheet").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="The whole game as a file").click()
    assert re.search(r"\.jsonl$", download.value.suggested_filename)

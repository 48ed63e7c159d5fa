"""After a game night: the score, sharing it, a replay of the turns, and the standings."""

import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.past_evenings import evening, keep, keep_many
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.game_night.played_turns import played_turns
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.web.api.extensions import parts

LONG = ("Bartholomäus-Maximilian", "Wilhelmine Charlotte", "Ödön", "Ann & Sofia")
FOUR = 5
"""The seed of a game night of four players."""


@pytest.fixture
def app(make_app):
    return make_app(NoSource(), watch=False)


def store_of(app):
    return parts(app).game_nights.database


def keep_with_pictures(app, id_: str = "filmed", records: int | None = None):
    """Store a game night, or its first `records`, with a picture of every turn, each brighter than the one before."""
    whole = evening(0, rounds=1)
    recorded = whole if records is None else RecordedGame.replay(whole.records[:records])
    keep(store_of(app), id_, recorded, with_result=records is None)
    turns = list(played_turns(recorded))
    for at, turn in enumerate(turns):
        image = np.full((120, 160, 3), 40 + at, np.uint8)
        parts(app).game_nights.pictures.keep(id_, turn.record.note.picture, cv2.imencode(".jpg", image)[1].tobytes())
    return recorded, turns


def in_sight(page: Page, selector: str) -> bool:
    """Return whether an element is completely visible and not covered, without scrolling."""
    return page.locator(selector).evaluate(
        """(element) => {
          const box = element.getBoundingClientRect();
          return [0.1, 0.9].every((share) => {
            const over = document.elementFromPoint(box.left + box.width * share, box.bottom - 4);
            return element.contains(over);
          });
        }"""
    )


def test_totals_are_visible_at_the_end_of_the_game_night(app, serve, open_page):
    keep(store_of(app), "a", evening(FOUR, 10, LONG))
    EveningClient(app).post("/api/evenings/open", id="a")
    page = open_page(serve(app), SMALL_TABLET)
    expect(page.locator(".podium li")).to_have_count(3)
    expect(page.locator(".score tbody tr")).to_have_count(10)
    assert in_sight(page, ".score tfoot tr")
    expect(page.locator("#undo")).to_be_enabled()
    assert page.locator("#undoes").inner_text()
    page.get_by_role("link", name="Send the score sheet").click()
    expect(page.locator(".sheet-picture img")).to_be_visible()


def test_score_sheet_can_be_shared_as_a_picture(app, serve, open_page, tmp_path):
    recorded = evening(FOUR, 10, LONG)
    keep(store_of(app), "a", recorded)
    page = open_page(f"{serve(app)}evenings/a", PHONE, locale="fi")
    shown = page.locator(".sheet-picture img")
    expect(shown).to_have_attribute("alt", re.compile(re.escape(LONG[3])))
    with page.expect_download() as download:
        page.locator(".sheet-picture a[download]").click()
    assert download.value.suggested_filename == f"tilekeeper-{recorded.records[0].note.at[:10]}.png"
    path = Path(tmp_path, "sheet.png")
    download.value.save_as(path)
    image = cv2.imread(str(path))
    assert image is not None
    height, width = image.shape[:2]
    assert (str(width), str(height)) == (shown.get_attribute("width"), shown.get_attribute("height"))
    assert width == 1080
    # The light theme on every tablet, with nothing beyond the edges.
    assert image[400, 5].min() > 220
    for column in image[400:, 4], image[400:, -5]:
        assert np.ptp(column.astype(int), axis=0).max() < 12
    # A mark in each player's colour, in the list and above the column.
    for ink in ((12, 65, 194), (196, 86, 18), (74, 114, 20), (140, 42, 123)):
        assert (np.abs(image.astype(int) - ink).max(axis=2) < 6).sum() > 600


def test_tablet_with_a_share_dialog_uses_it(app, serve, open_page):
    keep(store_of(app), "a", evening(1))
    page = open_page("about:blank", PHONE)
    page.add_init_script(
        """
        navigator.canShare = ({ files }) => files?.length === 1;
        Object.defineProperty(navigator, "clipboard", { value: undefined });  // as on plain http
        document.execCommand = (name) => { window.copied = [name, document.activeElement.value]; return true; };
        navigator.share = async ({ files }) => { window.shared = [files[0].name, files[0].type, files[0].size]; };
        """
    )
    page.goto(f"{serve(app)}evenings/a")
    page.locator(".sheet-picture").get_by_role("button", name="Send").click()
    name, kind, size = page.evaluate("window.shared")
    assert (name[-4:], kind) == (".png", "image/png")
    assert size > 10_000
    page.locator(".lines-part").get_by_role("button", name="Copy").click()
    expect(page.locator("#toast")).to_contain_text("Copied")
    command, text = page.evaluate("window.copied")
    assert command == "copy"
    assert text == page.locator(".pasted").text_content()
    assert {"🟩", "⬜", "🏆"} <= set(text)
    link = page.get_by_role("link", name="Open in BG Stats").get_attribute("href")
    assert link.startswith("bgstats://app.bgstatsapp.com/createPlay.html?data=%7B")


def test_turns_can_be_watched_one_after_another(app, serve, open_page):
    recorded, turns = keep_with_pictures(app)
    page = open_page(f"{serve(app)}evenings/filmed", SMALL_TABLET)
    caption, picture = page.locator(".time-lapse figcaption"), page.locator(".time-lapse img")
    first, second = (recorded.state.players[turn.player] for turn in turns[:2])
    expect(caption).to_contain_text(f"{first}Round 1, turn 1")
    page.get_by_role("button", name="Next turn").click()
    expect(caption).to_contain_text(f"{second}Round 1, turn 2")
    expect(picture).to_have_attribute("src", re.compile(f"/{turns[1].record.note.picture}.jpg$"))
    legal = next(at for at, turn in enumerate(turns) if turn.legal)
    page.locator(".slider").fill(str(legal))
    expect(caption).to_contain_text("The turn counts.")
    expect(caption.locator(".tile")).to_have_count(len(turns[legal].placed))
    page.locator(".slider").fill(str(len(turns) - 3))
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".slider")).to_have_value(str(len(turns) - 1))
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    # Also with the keyboard.
    page.locator(".slider").focus()
    page.keyboard.press("Home")
    expect(caption).to_contain_text("turn 1:")


def test_film_is_made_and_saved(app, serve, open_page, tmp_path):
    _, turns = keep_with_pictures(app, records=20)
    page = open_page(f"{serve(app)}evenings/filmed", PHONE)
    page.get_by_role("button", name="Make a film to share").click()
    expect(page.locator(".film [role=status]")).to_contain_text("The film is ready", timeout=60_000)
    with page.expect_download() as download:
        page.locator(".film a[download]").click()
    path = Path(tmp_path, "film.gif")
    download.value.save_as(path)
    assert download.value.suggested_filename.endswith(".gif")
    read, film = cv2.imreadanimation(str(path))
    assert read
    assert len(turns) > 5
    assert len(film.frames) == len(turns) + 2


def test_past_game_nights_and_standings_are_listed(app, serve, open_page):
    keep_many(store_of(app), 25)
    keep(store_of(app), "gone", evening(2), with_result=False)
    with store_of(app).engine.begin() as connection:
        connection.exec_driver_sql("UPDATE records SET event = 'x' WHERE evening = 'gone' AND place = 0")
    page = open_page(f"{serve(app)}evenings", SMALL_TABLET)
    expect(page.locator(".standings li").first).to_contain_text("Evenings won")
    page.locator(".standings .who").first.click()
    expect(page.locator(".numbers")).to_contain_text("Longest streak")
    expect(page.locator(".rivals tbody tr").first).to_be_visible()
    page.get_by_role("button", name="Owl").click()
    expect(page.get_by_role("button", name="Owl")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#title .badge svg")).to_be_visible()
    page.get_by_role("link", name="Past evenings").click()
    expect(page.locator(".standings .badge")).to_have_count(1)
    expect(page.locator(".evening-card")).to_have_count(20)
    expect(page.locator(".evening-card").first).to_contain_text("damaged from its first entry")
    page.get_by_role("button", name="Show all 26 evenings").click()
    expect(page.locator(".evening-card")).to_have_count(26)
    page.locator(".evening-card").nth(1).click()
    expect(page.locator(".sheet-picture img")).to_be_visible()
    expect(page.locator(".score tfoot")).to_be_visible()
    page.go_back()
    page.locator(".evening-card").first.click()
    expect(page.locator("#after")).to_contain_text("The score of this evening can't be read.")


def test_two_names_of_one_person_are_joined_on_the_page_and_offered_in_the_set_up(app, serve, open_page):
    for seed, name in enumerate(("Ann", "Anna")):
        keep(store_of(app), f"{seed}", evening(FOUR + 6 * seed, 1, (name, *LONG[1:])))
    address = serve(app)
    page = open_page(f"{address}player?name=Anna", PHONE)
    page.get_by_role("button", name="Is the same person").click()
    page.get_by_role("button", name="Join them").click()
    expect(page.locator(".other-names")).to_contain_text("Ann")
    expect(page.locator(".evening-card")).to_have_count(2)
    expect(page.locator(".profile .hint")).to_contain_text("nobody can be joined")
    # Two taps before the first answer both count.
    page.evaluate("for (const group of document.querySelectorAll('.signs')) group.querySelector('button').click()")
    expect(page.locator(".sign[aria-pressed='true']")).to_have_count(2)
    profile = EveningClient(app).get("/api/players/record?name=Anna")["profile"]
    assert (profile["colour"], profile["animal"], profile["others"]) == (0, "fox", ["Ann"])
    page.goto(f"{address}setup")
    expect(page.locator("#known-names option[value='Anna']")).to_be_attached()
    expect(page.locator("#known-names option[value='Ann']")).to_have_count(0)


def test_past_game_night_can_be_continued(app, serve, open_page):
    client = EveningClient(app)
    client.deal("Ada", "Bo")
    client.act("draw")
    first = client.evening["id"]
    client.deal("Cleo", "Dan")
    page = open_page(f"{serve(app)}evenings/{first}", SMALL_TABLET)
    expect(page.locator("#facts")).to_contain_text("Standard box")
    expect(page.locator("#facts")).not_to_contain_text("round")
    page.get_by_role("button", name="Go on with this evening").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Another evening is in progress now")
    dialog.get_by_role("button", name="Go on with this evening").click()
    expect(page.locator("#whose .name")).to_have_text("Bo")
    assert client.evening["id"] == first


def test_page_without_past_game_nights_says_so(app, serve, open_page):
    address = serve(app)
    page = open_page(f"{address}evenings", PHONE)
    expect(page.locator(".nothing")).to_contain_text("No evening is saved yet")

"""The sounds and speech of a tablet, and its wake lock; the calls of the browser's API are recorded."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.watched_game_night import Clock
from tilekeeper.companion.capture.no_source import NoSource

TICK_HERTZ, OVER_HERTZ = 1760, 988
TAKE_DOWN = """
window.said = []; window.tones = []; window.locks = [];
const voice = {
  getVoices: () => window.voices ?? [{}],
  speak: (words) => said.push([words.lang, words.text]),
  cancel: () => said.push(["", "hush"]),
};
Object.defineProperty(window, "speechSynthesis", { value: voice });
const gain = { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect: () => gain };
window.AudioContext = class {
  state = "running";
  currentTime = 0;
  resume() {}
  createGain() { return gain; }
  createOscillator() {
    const frequency = {};
    return { frequency, connect: () => gain, start: () => tones.push(frequency.value), stop() {} };
  }
};
Object.defineProperty(navigator, "wakeLock", { value: { request: async (kind) => {
  const lock = { kind, released: false };
  locks.push(lock);
  return lock;
} } });
"""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(make_app, clock) -> EveningClient:
    """A round of two players by hand, with a clock moved by the test."""
    client = EveningClient(make_app(NoSource(), watch=False, now=clock))
    client.deal("Ada", "Bo")
    return client


@pytest.fixture
def page(client, serve, open_page) -> Page:
    """A page that records speech, tones and wake lock requests."""
    page = open_page("about:blank", SMALL_TABLET)
    page.add_init_script(TAKE_DOWN)
    page.goto(serve(client.http.application))
    EveningPage(page, "").is_on("Ada")
    page.locator("#whose").click()  # browsers allow sound only after a touch
    return page


def tones_of_the_end(page: Page, client: EveningClient, clock: Clock, left_s: float) -> list[int]:
    """Return the tones during the last seconds of a turn."""
    client.act("resume")
    limit_s = client.evening["clock"]["limit_s"]
    clock.now_s += limit_s - left_s
    page.reload()
    page.locator("#whose").click()
    expect(page.locator("#clock")).to_have_attribute("data-kind", "over")
    return page.evaluate("tones")


def test_last_seconds_tick_and_the_end_rings(page, client, clock) -> None:
    tones = tones_of_the_end(page, client, clock, 3.9)
    assert 2 <= tones.count(TICK_HERTZ) <= 3
    assert tones.count(OVER_HERTZ) == 2
    assert tones.index(OVER_HERTZ) > max(at for at, tone in enumerate(tones) if tone == TICK_HERTZ)


def test_short_turn_rings_without_ticking(page, client, clock) -> None:
    client.begin("Ada", "Bo", house=["turn.limit_s=20"])
    client.act("starter", player=0, overruled=True)
    client.act("deal")
    tones = tones_of_the_end(page, client, clock, 2.9)
    assert (tones.count(TICK_HERTZ), tones.count(OVER_HERTZ)) == (0, 2)


def test_ticking_is_turned_off_for_one_tablet_only(page, client, clock, open_page) -> None:
    settings(page, "Play a ticking sound in the last ten seconds")
    tones = tones_of_the_end(page, client, clock, 2.9)
    assert (tones.count(TICK_HERTZ), tones.count(OVER_HERTZ)) == (0, 2)
    other = open_page(page.url, PHONE)
    other.locator("#open-menu").click()
    EveningPage(other, "").press("Settings")
    expect(other.get_by_role("switch", name="Play a ticking sound in the last ten seconds")).to_be_checked()


def test_size_of_the_text_and_large_decisions_are_set_for_one_tablet(page, client) -> None:
    def letters_px() -> float:
        return page.locator("#details").evaluate("one => parseFloat(getComputedStyle(one).fontSize)")

    before_px = letters_px()
    settings(page, "Very large")
    assert letters_px() == pytest.approx(1.3 * before_px)
    settings(page, "Show each decision in large letters")
    page.reload()
    EveningPage(page, "").is_on("Ada")
    assert letters_px() == pytest.approx(1.3 * before_px)
    client.act("done", table="R3 R4 R5")
    EveningPage(page, "").hears("Not allowed")
    expect(page.locator("#splash")).to_be_hidden()


def test_names_and_verdicts_are_spoken_once_turned_on(page, client) -> None:
    """Speech is off at first, and in the language of the page; a verdict cancels waiting sentences."""
    client.act("draw")
    EveningPage(page, "").is_on("Bo")
    assert page.evaluate("said.filter(([lang]) => lang)") == []
    settings(page, "Read names and decisions aloud")
    page.evaluate("said.length = 0")
    client.act("draw")
    EveningPage(page, "").is_on("Ada")
    client.act("done", table="R3 R4 R5")
    EveningPage(page, "").hears("Not allowed")
    page.wait_for_function("said.length >= 3")
    sentences = page.evaluate("said")
    assert sentences[0] == ["en", "Ada, it is your turn."]
    assert sentences[1] == ["", "hush"]
    assert sentences[2][0] == "en"
    assert "Not allowed" in sentences[2][1]
    assert "These count 12 points" in sentences[2][1]
    settings(page, "Read names and decisions aloud")
    page.evaluate("said.length = 0")
    client.act("stand")
    client.act("restored")
    EveningPage(page, "").is_on("Bo")
    assert page.evaluate("said.filter(([lang]) => lang)") == []


def test_table_is_told_by_a_button_and_a_key_and_stopped_by_the_same(page, client) -> None:
    """Also while the voice is off, since somebody asked for it; the level of detail is a setting of the tablet."""
    client.act("done", table="R10 R11 R12 | K8 B8 O8")
    EveningPage(page, "").is_on("Bo")
    page.evaluate("said.length = 0")
    page.locator("#tell-table").click()
    page.wait_for_function("() => said.some(([, text]) => text === 'Set 1: red 10 to 12.')")
    assert page.evaluate("said[0]") == ["", ""]  # at the tap itself, since tablets allow speech only there
    page.evaluate("said.length = 0; speechSynthesis.speaking = true")
    page.keyboard.press("t")
    assert page.evaluate("said") == [["", "hush"]]
    page.evaluate("speechSynthesis.speaking = false")
    settings(page, "Everything")
    page.keyboard.press("t")
    page.wait_for_function("() => said.some(([, text]) => text === 'Set 1: red 10, red 11 and red 12.')")
    page.locator("#done").click()
    page.locator("dialog[open]").wait_for()
    page.evaluate("said.length = 0")
    page.keyboard.press("t")  # a dialog has its own keys
    assert page.evaluate("said") == []
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.evaluate("window.voices = []")  # a computer without a voice shows the words
    page.locator("#tell-table").click()
    expect(page.get_by_role("dialog")).to_contain_text("Set 1: red 10, red 11 and red 12.")


def test_wake_lock_is_requested_again_when_the_page_comes_back(page) -> None:
    page.wait_for_function("locks.length === 1")
    assert page.evaluate("locks[0].kind") == "screen"
    come_back = "document.dispatchEvent(new Event('visibilitychange'))"
    page.evaluate(come_back)
    assert page.evaluate("locks.length") == 1  # the lock still holds
    page.evaluate("locks[0].released = true")  # as browsers do when the page is hidden
    page.evaluate(come_back)
    page.wait_for_function("locks.length === 2")
    expect(page.locator("#notice")).to_be_hidden()


def test_browser_without_wake_lock_shows_advice(client, serve, open_page) -> None:
    """Browsers hide it on plain HTTP; the advice is shown before the turns begin, until it was read."""
    client.begin("Ada", "Bo")
    page = open_page("about:blank", PHONE)
    page.add_init_script("Object.defineProperty(navigator, 'wakeLock', { value: undefined })")
    page.goto(serve(client.http.application))
    notice = page.locator("#notice")
    expect(notice).to_contain_text("let the screen stay on while you play")
    notice.get_by_role("button", name="Do not show this again").click()
    expect(notice).to_be_hidden()
    page.reload()
    page.locator(".lot").first.wait_for()
    expect(notice).to_be_hidden()


def settings(page: Page, switch: str) -> None:
    """Press a switch of the settings."""
    page.locator("#open-menu").click()
    EveningPage(page, "").press("Settings")
    page.locator("dialog label", has_text=switch).click()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)


def test_running_clock_changes_the_page_once_a_second_and_animates_nothing_over_time(page, client, clock) -> None:
    """A page that is painted 60 times a second costs a fifth of a processor core."""
    client.act("resume")
    expect(page.locator("#clock")).to_have_attribute("data-running", "true")
    count = """() => new Promise((done) => {
      let changes = 0;
      const observer = new MutationObserver(() => { changes += 1; });
      observer.observe(document.getElementById("clock"), { attributes: true, childList: true, subtree: true });
      setTimeout(() => done(changes), 1500);
    })"""
    assert 1 <= page.evaluate(count) <= 2
    clock.now_s += 70
    client.act("pause")
    client.act("resume")
    page.emulate_media(reduced_motion="no-preference")
    expect(page.locator("#clock")).to_have_attribute("data-kind", "over")
    assert 1 <= page.evaluate(count) <= 2
    assert page.evaluate("document.getAnimations().filter((one) => one.playState === 'running').length") == 0

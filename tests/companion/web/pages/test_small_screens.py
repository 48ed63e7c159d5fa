"""A small phone shows whole faults of a turn, and the pad with the entry, in full."""

from playwright.sync_api import Page, expect

from tests.support.browsing import SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.screens import FOURTEEN_MELDS
from tests.support.theatre import resize

SMALLEST, SMALL, SIDEWAYS = ({"width": w, "height": h} for w, h in ((320, 568), (320, 640), (568, 320)))
UPRIGHT = {"width": 768, "height": 1024}
LIES = "R3 R4 R5 | K8 B8 O8"
# The words that go on in a second line.
BROKEN_WORDS = """all => all.filter((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
}).map((one) => one.innerText)"""
PAD_IS_WHOLE = """() => {
  const body = document.querySelector(".dialog-body");
  const place = body.getBoundingClientRect();
  const keys = [...body.querySelectorAll(".pad button")].filter((key) => key.checkVisibility());
  const boxes = keys.map((key) => key.getBoundingClientRect());
  return boxes.length > 13 && boxes.every((box) => box.top >= place.top - 1 && box.bottom <= place.bottom + 1);
}"""


def test_ribbon_shows_whole_faults_and_counts_the_others(by_hand, serve, open_page) -> None:
    by_hand.deal("Ada", "Bo")
    by_hand.act("opened", player=0, opened=True)
    by_hand.act("table", table=LIES)
    by_hand.act("done", table=f"{LIES} | R7 R8 R11 | K12 K13")
    address = serve(by_hand.http.application)
    for locale in ("en-GB", "de-DE", "fi-FI"):
        page = open_page(address, SMALLEST, locale=locale)
        faults = page.locator("#more .fault:visible")
        for size in (SMALLEST, SMALL, SMALL_TABLET):
            resize(page, **size)
            expect(faults.first).to_be_visible()
            hidden = 2 - faults.count()
            assert hidden == 0 or size is not SMALL_TABLET
            expect(page.locator("#all-about")).to_have_attribute("data-hidden", str(hidden > 0).lower())
            ribbon = page.locator("#verdict").bounding_box()
            for fault in faults.all():
                box = fault.bounding_box()
                assert box["height"] >= 55.5
                assert box["y"] + box["height"] <= ribbon["y"] + ribbon["height"]
        if locale == "de-DE":
            german = page
    # Three long faults stand closer, so that all are shown where there is room.
    by_hand.act("done", table=f"{LIES} | R7 R8 R11 | K12 K13 | B1 B2 B4 | O1 O2 O4")
    resize(german, **UPRIGHT)
    expect(german.locator("#more .fault:visible")).to_have_count(4)
    expect(german.locator("#all-about")).to_have_attribute("data-hidden", "false")


def test_pad_is_fully_visible_below_the_entry(by_hand, serve, open_page) -> None:
    page = entering(by_hand, serve, open_page, SMALLEST)
    for size in (SMALLEST, SMALL):
        resize(page, **size)
        assert page.evaluate(PAD_IS_WHOLE)
        assert page.locator("dialog .rows").bounding_box()["height"] >= 88
    for tile in ("black 13", "joker"):
        page.locator("dialog").get_by_role("button", name=tile, exact=True).click()
    expect(page.locator("dialog .pick")).to_have_count(2)


def test_large_table_is_fully_visible_while_it_is_entered(by_hand, serve, open_page) -> None:
    """Fourteen melds and the place for a new one are above the whole pad."""
    by_hand.deal("Ada", "Bo")
    by_hand.act("table", table=FOURTEEN_MELDS)
    page = open_page(serve(by_hand.http.application), SMALL_TABLET)
    page.locator("#done").click()
    rows = page.locator("dialog .rows")
    expect(rows.locator(".entry-row")).to_have_count(14)
    for size in (SMALL_TABLET, UPRIGHT):
        resize(page, **size)
        expect(rows.get_by_role("button", name="New set")).to_be_in_viewport(ratio=1)
        assert rows.evaluate("(one) => one.scrollHeight <= one.clientHeight + 1")
        assert page.evaluate(PAD_IS_WHOLE)


def test_phone_in_landscape_shows_the_pad_beside_the_entry(by_hand, serve, open_page) -> None:
    page = entering(by_hand, serve, open_page, SIDEWAYS)
    rows, pad = (page.locator(f"dialog {part}").bounding_box() for part in (".rows", ".pad"))
    assert rows["x"] + rows["width"] <= pad["x"]
    page.locator("dialog").get_by_role("button", name="black 13", exact=True).click()
    expect(page.locator("dialog .pick")).to_be_in_viewport()


def test_joker_has_its_own_row_if_the_last_row_is_full(by_hand, serve, open_page) -> None:
    """The junior edition has ten numbers, which fill two rows of the pad."""
    by_hand.post("/api/evenings", seats=[{"people": ["Ada"]}, {"people": ["Bo"]}], edition="junior")
    by_hand.act("starter", player=0, overruled=True)
    by_hand.act("deal")
    page = open_page(serve(by_hand.http.application), SMALLEST)
    page.locator("#done").click()
    last, joker = (
        page.locator("dialog").get_by_role("button", name=name, exact=True).bounding_box()
        for name in ("black 10", "joker")
    )
    assert joker["y"] >= last["y"] + last["height"]


def entering(by_hand: EveningClient, serve, open_page, size: dict) -> Page:
    """Return a page on which a table is being entered."""
    by_hand.deal("Ada", "Bo")
    page = open_page(serve(by_hand.http.application), size)
    page.locator("#done").click()
    expect(page.locator("dialog .pad")).to_be_visible()
    return page


def test_names_of_eleven_letters_do_not_break_inside(by_hand, serve, open_page) -> None:
    """In the draw for the first player, and in the head-to-head of a player's page."""
    names = ("Maximiliane", "Christopher", "Alexandrine", "Bartholomew")
    by_hand.begin(*names)
    address = serve(by_hand.http.application)
    page = open_page(address, SMALLEST, locale="de-DE")
    shown = page.locator(".lot > b")
    expect(shown).to_have_text(list(names))
    for size in (SMALLEST, UPRIGHT):
        resize(page, **size)
        assert shown.evaluate_all(BROKEN_WORDS) == []
    by_hand.act("starter", player=0, overruled=True)
    by_hand.act("deal")
    by_hand.act("rack-count", player=0, tiles=0)
    for seat in (1, 2, 3):
        by_hand.act("rack-points", player=seat, points=100)
    by_hand.act("end")
    page.goto(f"{address}player?name=Christopher")
    expect(page.locator(".rivals a")).to_have_count(3)
    resize(page, **SMALLEST)
    assert page.locator(".rivals a").evaluate_all(BROKEN_WORDS) == []

"""Organiser, arbiter and projector pages in a real browser: buttons work, and changes appear on open pages."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.accessibility import AXE, LOOK, TAGS
from tests.support.club_hall import LONG_NAMES, hall, large_hall, plan, serving, table_of
from tests.support.club_tables import play_round
from tests.support.pressing import pressing_faults
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.hub import Hub

pytestmark = pytest.mark.slow

PAGES = ("", "projector", "arbiter", "desk", "results", "sign-in", "t/{table}")
SCREENS = (
    ("de", "light", 320, 568, PAGES, ()),
    ("fi", "dark", 390, 844, ("", "arbiter", "desk"), ("", "arbiter")),
    ("fi", "light", 568, 320, ("arbiter",), ()),
    ("de", "light", 768, 1024, ("arbiter", "desk"), ()),
    ("en", "light", 1024, 768, PAGES, ("projector", "desk", "sign-in")),
    ("de", "dark", 1920, 1080, ("projector", "desk"), ()),
)
"""Language, colour scheme, width, height, path, and the selectors of the elements that axe-core checks as well.

`{table}` is the table of the player whose long name has no space to break at.
"""
WHOLE = """() => {
  const list = document.querySelector(".club-pages").getBoundingClientRect();
  const cards = [...document.querySelectorAll(".club-table")];
  const tables = cards.map((one) => [one.dataset.table, one.getBoundingClientRect()]);
  const seen = tables.filter(([, box]) => box.bottom > list.top + 1 && box.top < list.bottom - 1);
  const whole = seen.filter(([, box]) => box.top >= list.top - 1 && box.bottom <= list.bottom + 1);
  return { whole: whole.map(([name]) => name), cut: seen.filter((one) => !whole.includes(one)).map(([name]) => name) };
}"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page on which any browser error fails the test."""
    mistakes: list[str] = []
    context = browser.new_context(viewport={"width": 1024, "height": 768}, locale="en")
    opened = context.new_page()
    opened.on("pageerror", lambda error: mistakes.append(str(error)))
    yield opened
    context.close()
    assert mistakes == []


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    """A hub in its second round."""
    return hall(Database(f"sqlite:///{tmp_path}/club.sqlite3"))


def test_organiser_sets_up_and_starts_a_night(page: Page, tmp_path: Path) -> None:
    """The organiser imports a list with a doubled name, corrects it, chooses settings, pairs, starts and pauses."""
    hub = Hub(Database(f"sqlite:///{tmp_path}/club.sqlite3"))
    names = tmp_path / "names.csv"
    with serving(hub) as address:
        page.goto(f"{address}desk")
        expect(page.get_by_role("button", name="Pair round 1")).to_be_disabled()
        names.write_text("name\nAda\nBo\nCleo\nAda\n")
        page.get_by_label("A list (CSV)").set_input_files(names)
        expect(page.locator(".club-preview")).to_contain_text("Line 5: Ada is already in line 2. Nobody was added.")
        names.write_text("name;club\nAda;Nord\nBo;\nCleo;\n")
        with page.expect_file_chooser() as chooser:
            page.get_by_label("A list (CSV)").click()
        chooser.value.set_files(names)
        expect(page.get_by_text("3 players will be entered:")).to_be_visible()
        expect(page.get_by_text("Ada · Nord")).to_be_visible()
        page.get_by_label("First line").select_option("is a player")
        expect(page.get_by_text("4 players will be entered:")).to_be_visible()
        page.get_by_label("First line").select_option("has the headings")
        expect(page.get_by_text("3 players will be entered:")).to_be_visible()
        page.get_by_role("button", name="Read the list").click()
        expect(page.get_by_role("heading", name="3 players")).to_be_visible()
        page.get_by_label("Name", exact=True).fill("Dan")
        page.get_by_role("button", name="Enter", exact=True).click()
        expect(page.get_by_role("heading", name="4 players")).to_be_visible()
        page.get_by_label("Name of the evening").fill("Cup")
        page.get_by_label("Rounds", exact=True).fill("2")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("heading", name="Cup")).to_be_visible()
        page.get_by_role("button", name="Pair round 1").click()
        expect(page.get_by_text("Round 1 of 2")).to_be_visible()
        page.get_by_role("button", name="Start the round").click()
        page.get_by_role("button", name="Pause all tables").click()
        expect(page.get_by_role("button", name="Go on at all tables")).to_be_visible()
        page.locator(".club-points summary").click()
        for player, points in zip(page.locator(".club-enter .field").all(), ("10", "-3", "-3", "-4"), strict=True):
            player.fill(points)
        page.get_by_role("button", name="Enter points by hand").click()
        expect(page.get_by_role("button", name="Pair round 2")).to_be_visible()


def test_entry_of_one_organiser_appears_for_the_other(browser: Browser, page: Page, hub: Hub) -> None:
    """An entry of one organiser appears on the other's page at once; a press on an outdated form is refused."""
    other = browser.new_context(locale="en").new_page()
    with serving(hub) as address:
        page.goto(f"{address}desk")
        other.goto(f"{address}desk")
        other.get_by_label("Name", exact=True).fill("Neuling")
        other.get_by_role("button", name="Enter", exact=True).click()
        expect(page.get_by_text("Neuling")).to_be_visible()
        page.get_by_label("Name of the evening").fill("Other")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("alert")).to_contain_text("Somebody else has changed something")
        other.context.close()


def test_arbiter_decides_a_dispute(page: Page, hub: Hub) -> None:
    """The arbiter sees pictures and reasons, writes a comment and decides; then the queue is empty."""
    with serving(hub) as address:
        page.goto(f"{address}arbiter")
        picture = page.get_by_role("img", name="The table before the turn")
        expect(picture).to_be_visible()
        assert picture.evaluate("image => image.naturalWidth") == 640
        expect(page.get_by_text("Sarjat: »muodostuu kolmesta")).to_be_visible()
        about = page.get_by_role("article").get_by_label("What it is about")
        about.focus()
        about.select_option("toppled tiles")
        hub.desk.add_player(plan(hub.database), "Ny")  # an update must not reset the choice
        page.wait_for_timeout(500)
        expect(about).to_have_value("toppled")
        about.select_option("the turn")
        why = page.get_by_role("article").get_by_label("Why? Everybody can read it.")
        why.fill("seen by all")
        hub.desk.add_player(plan(hub.database), "Neu")  # an update must not clear the text being typed
        page.wait_for_timeout(500)
        expect(why).to_have_value("seen by all")
        why.press("Enter")  # a decision needs its button
        page.get_by_role("button", name="+1:00").click()
        expect(page.get_by_text("Nobody is calling.")).to_be_visible()
        expect(page.get_by_text("1:00 more – Organiser: seen by all")).to_be_visible()
        # What the arbiter sees without a raised hand has its own buttons.
        page.get_by_text("Toppled tiles, questions of other players").click()
        incident = page.locator("[data-post='/api/rulings/incidents']")
        incident.get_by_label("Player", exact=True).fill("Pekka Laine")
        incident.get_by_label("What it is about").select_option("questions or remarks of other players")
        incident.get_by_label("Why? Everybody can read it.").fill("named a tile")
        incident.get_by_role("button", name="Warn").click()
        expect(page.get_by_text("Warnings and penalties so far: Pekka Laine (1 warning)")).to_be_visible()
        page.get_by_text("Decisions of the referees").click()
        expect(page.get_by_text("Pekka Laine is warned (warning 1). (named a tile) – Organiser")).to_be_visible()


def test_projector_shows_new_results_and_reconnects(page: Page, hub: Hub) -> None:
    """The projector shows new results by itself and reconnects after the hub was down."""
    with serving(hub) as address:
        page.goto(f"{address}projector")
        expect(page.locator('[data-table="3"] .won')).to_have_count(0)
        # The clocks of the tables go on without news; the last seconds are red.
        expect(page.locator(".club-face.short").first).to_be_visible()
        expect(page.locator('[data-table="2"] .club-face.last')).to_be_visible(timeout=8000)
        hub.intake.take(play_round(hub.database, 2)[0])
        expect(page.locator('[data-table="3"] .won')).to_have_count(1)
        expect(page.get_by_text("The round is over")).to_be_visible()


def test_fifty_tables_and_long_names_fit_every_screen(browser: Browser, tmp_path: Path, repository: Path) -> None:
    """On phone, tablet and projector nothing is wider than the screen, and every button is whole and uncovered.

    axe-core finds nothing on phone and tablet, in light and dark.
    """
    axe, faults = repository / AXE, []
    database = Database(f"sqlite:///{tmp_path}/club.sqlite3")
    with serving(large_hall(database)) as address:
        table = table_of(database, LONG_NAMES[1])
        for language, scheme, width, height, pages, looked_at in SCREENS:
            size = {"width": width, "height": height}
            # The page's content security policy would block the test's script.
            context = browser.new_context(viewport=size, locale=language, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
            opened = context.new_page()
            for path in pages:
                opened.goto(address + path.format(table=table))
                found = list(dict.fromkeys(pressing_faults(opened, False)))
                if path in looked_at and axe.is_file():
                    opened.evaluate(axe.read_text("utf-8"))
                    found += opened.evaluate(LOOK, TAGS)
                faults += [f"{path or 'hall'} in {language} at {width} x {height}: {fault}" for fault in found]
            context.close()
    assert not faults, "\n".join(faults)


def test_projector_shows_whole_tables_only(page: Page, tmp_path: Path) -> None:
    """A table that would be cut off moves to the next page; the pages turn until every table was shown."""
    with serving(large_hall(Database(f"sqlite:///{tmp_path}/club.sqlite3"))) as address:
        page.clock.install()
        page.goto(f"{address}projector")
        shown_tables: set[str] = set()
        for _ in range(14):
            shown = page.evaluate(WHOLE)
            assert shown["cut"] == []
            shown_tables |= set(shown["whole"])
            page.clock.run_for(8000)
        assert len(shown_tables) == 51

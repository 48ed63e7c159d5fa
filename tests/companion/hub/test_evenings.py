"""The organiser's whole evening in each ready-made format, in a real browser.

What the browser shows for the first time is pressed; further results are entered at the desk without the browser.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.club_desk import seated
from tests.support.club_hall import plan, serving
from tilekeeper.companion.hub.check import check_event
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.rounds import read_tournament
from tilekeeper.companion.hub.schema import HallRow
from tilekeeper.companion.hub.settings import Role
from tilekeeper.companion.tournament.words import criterion_words

pytestmark = pytest.mark.slow

NAMES = ("Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hanna", "Ida")


@dataclass(frozen=True)
class Evening:
    """What the page shows of a format."""

    title: str
    says: str
    """A sentence that tells the format in words."""
    columns: tuple[str, ...]
    """The first criteria of the standings."""
    tables: int
    """The tables of eight players."""
    games: int


CLUB = Evening("Club evening", "The box decides what counts", ("Points", "Won"), 2, 1)
GERMAN = Evening("German style", "4 games in each round", ("Placement points", "Points"), 2, 4)
MSO = Evening("Mind Sports Olympiad style", "2 players at each table", ("Won", "Direct encounter"), 4, 1)
LEAGUE = Evening("League evening", "Only the best 9 games of each player count", ("Points", "Won"), 2, 3)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page on which any browser error fails the test."""
    mistakes: list[str] = []
    context = browser.new_context(viewport={"width": 1024, "height": 900}, locale="en")
    opened = context.new_page()
    opened.on("pageerror", lambda error: mistakes.append(str(error)))
    yield opened
    context.close()
    assert mistakes == []


@pytest.mark.parametrize(
    "evening",
    [GERMAN, *(pytest.param(one, marks=pytest.mark.long) for one in (CLUB, MSO, LEAGUE))],
    ids=lambda evening: evening.title,
)
def test_organiser_runs_an_evening(page: Page, tmp_path: Path, evening: Evening) -> None:
    """Settings, an asked bye, a corrected pairing and result, a penalty, late players, a withdrawal, a tie by lot."""
    hub = Hub(Database(f"sqlite:///{tmp_path}/club.sqlite3"))
    with hub.database.writing() as session:
        session.get_one(HallRow, 1).seed = 1  # so that each run has the same pairings and lots
    hub.desk.import_players(0, "\n".join(["name", *NAMES]).encode())
    with serving(hub) as address:
        page.goto(f"{address}desk")
        choose_format(page, evening)
        wait_for_plan(page, hub)
        rule(page, "A player will be away", "Save", player="Ida", round="1")
        page.get_by_role("button", name="Pair round 1").click()
        expect(tables(page)).to_have_count(evening.tables)
        correct_the_pairing(page)
        page.get_by_role("button", name="Start the round").click()
        expect(page.get_by_role("button", name="Pause all tables")).to_be_visible()
        winner = enter_and_correct_a_result(page, evening)
        enter_results(hub, 1)
        wait_for_plan(page, hub)
        rule(page, "Penalty", "Take the points away", player=winner, points="1", why="late after the break")
        enter_player(page, "Late", 10)
        page.get_by_role("button", name="Bo leaves").click()
        expect(page.get_by_role("button", name="Bo is back")).to_be_visible()
        play_on(hub)
        wait_for_plan(page, hub)
        for count, name in ((11, "Xaver"), (12, "Yrsa")):  # both come for the last round, so they are equal in all
            enter_player(page, name, count)
        correct_what_was_typed_before(page, hub)
        draw_lots(page, evening)
        page.goto(f"{address}results")
        expect(page.locator("tbody tr")).to_have_count(12)
        expect(page.locator("thead th")).to_have_text(["Place", "Name", *criteria_of(hub)])
        page.get_by_text("Decisions of the referees").click()
        for words in (
            "Ida does not play in round 1: half bye",
            "changed places",
            "loses 1 points",
            "Round 1, table 1: the result is now",
            "Cleo is now called Cleo Holm.",
            "late after the break",
        ):
            expect(page.locator(".club-journal")).to_contain_text(words)
        check_the_end(page, hub)


def choose_format(page: Page, evening: Evening) -> None:
    """Read what the format means, save it, and add the referee's decision as the last tie-break."""
    page.get_by_text("What these settings mean").click()
    expect(page.locator(".club-formats")).to_contain_text(evening.says)
    page.get_by_label("Ready-made settings").select_option(evening.title)
    page.get_by_role("button", name="Save").last.click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_label("Games in each round")).to_have_value(str(evening.games))  # the form is filled anew
    if evening is CLUB:  # it has no criteria of its own
        page.get_by_label("What counts first").select_option("Points")
        page.locator(".club-ties select").first.select_option("Won")
    page.locator(".club-ties select").last.select_option("Decision of the referee")
    with page.expect_response("**/api/settings"):
        page.get_by_role("button", name="Save").last.click()


def correct_the_pairing(page: Page) -> None:
    """Drag the first player of table 1 onto the first of table 2; that it is done is read on the page."""
    seats = [tables(page).nth(table).locator("[data-seat]").first for table in (0, 1)]
    one, other = (seat.inner_text() for seat in seats)
    seats[0].drag_to(seats[1])
    expect(tables(page).nth(0)).to_contain_text(other)
    expect(tables(page).nth(1)).to_contain_text(one)
    with page.expect_response("**/api/settings") as saved:  # the page knows of its own change
        page.get_by_role("button", name="Save").last.click()
    assert saved.value.ok


def enter_and_correct_a_result(page: Page, evening: Evening) -> str:
    """Type a result that does not add up, then the right one, then correct the winner; return the winner's name."""
    table = tables(page).first
    table.locator("summary").click()
    expect(table.locator(".club-game")).to_have_count(evening.games)
    type_points(table, evening, winner=0, wrong=1)
    expect(page.get_by_role("alert")).to_contain_text("Game 1 does not add up: plus and minus differ by +1.")
    expect(table.locator("input[name=points]").nth(1)).to_have_value("-10")
    type_points(table, evening, winner=0)
    expect(table).to_contain_text("entered by Organiser")
    type_points(table, evening, winner=1)
    name = table.locator(".club-game label:not(.club-tick)").nth(1).inner_text().strip()
    expect(table.locator("summary")).to_contain_text(f"{name} +")
    return name


def type_points(table: Locator, evening: Evening, winner: int, wrong: int = 0) -> None:
    """Let one seat win all games by 10 points from each other player; `wrong` points too many in the first game."""
    fields = table.locator("input[name=points]").all()
    players = len(fields) // evening.games
    for place, field in enumerate(fields):
        points = 10 * (players - 1) if place % players == winner else -10
        field.fill(str(points + (wrong if place == winner else 0)))
    table.get_by_role("button", name="Enter points by hand").click()


def enter_results(hub: Hub, number: int) -> None:
    """Enter the results of all tables of a round that have none, without the browser."""
    with hub.database.reading() as session:
        games = read_tournament(session).settings.format.games
    for seating in seated(hub.database, number):
        if seating.games is None:
            count = len(seating.players)
            points = [str(10 * (count - 1)), *["-10"] * (count - 1)] * games
            hub.desk.enter_points(plan(hub.database), number, seating.table, points, "Olga")


def play_on(hub: Hub) -> None:
    """Play the rounds up to the last one without the browser; late and withdrawn players are as they should be."""
    with hub.database.reading() as session:
        last = read_tournament(session).count_rounds
    for number in range(2, last + 1):
        hub.desk.pair(plan(hub.database), "Olga")
        hub.desk.turn_clock(number, "start", "Olga", Role.ORGANISER)
        enter_results(hub, number)
    with hub.database.reading() as session:
        tournament = read_tournament(session)
    ids = {row.name: str(row.id) for row in tournament.players}
    for number, paired in enumerate(tournament.record.rounds[1:], start=2):
        assert ids["Late"] in paired.players, number
        assert ids["Bo"] not in paired.players, number


def correct_what_was_typed_before(page: Page, hub: Hub) -> None:
    """Correct a result of round 1 and a name; both forms begin with what is stored, so that nothing else changes."""
    hub.rulings.describe(plan(hub.database), hub.rulings.player_named("Cleo"), "Nord", "", 120)
    wait_for_plan(page, hub)
    details = page.locator(".club-rulings details", has=page.get_by_text("Correct a result of an earlier round"))
    details.locator("summary").click()
    details.locator("[name=round]").first.fill("1")
    details.locator("[name=table]").first.fill("1")
    details.get_by_role("button", name="Show the points").click()
    points = details.locator("input[name=points]")
    expect(points.nth(1)).not_to_have_value("")
    stored = [points.nth(seat).input_value() for seat in (0, 1)]
    points.nth(0).fill(stored[1])
    points.nth(1).fill(stored[0])
    details.get_by_role("button", name="Enter points by hand").click()
    expect(points).to_have_count(0)
    rule(page, "Name, club, category and time of a player", "Save", player="Cleo", name="Cleo Holm")
    with hub.database.reading() as session:
        (row,) = (row for row in read_tournament(session).players if row.name == "Cleo Holm")
        assert (row.club, row.category, row.more_s) == ("Nord", "", 120)


def draw_lots(page: Page, evening: Evening) -> None:
    """Decide the tie of the two last players by lot: by the button, or by the format's own lot."""
    if evening is GERMAN:
        return
    rule(page, "Decide a tie", "Draw lots", player="Xaver")


def check_the_end(page: Page, hub: Hub) -> None:
    """Nobody shares a place with another of the two last players, the page says why, and the check finds nothing."""
    with hub.database.reading() as session:
        assert list(check_event(session)) == []
        tournament = read_tournament(session)
        names = {str(row.id): row.name for row in tournament.players}
        places = {names[line.player]: line.place for line in tournament.standings}
    assert places["Xaver"] != places["Yrsa"]
    first, second = sorted(("Xaver", "Yrsa"), key=places.__getitem__)
    line = page.locator("tbody tr", has=page.get_by_role("rowheader", name=re.compile(f"^{first}")))
    by_lot = "Lot" in page.locator("thead").inner_text()
    expect(line).to_contain_text(f"ahead on: {'Lot' if by_lot else 'Decision of the referee'}")
    if not by_lot:
        expect(page.locator(".club-journal")).to_contain_text(f"{first}, {second}.")
        expect(page.locator(".club-journal")).to_contain_text("Lots were drawn for place")


def wait_for_plan(page: Page, hub: Hub) -> None:
    """Wait until the page shows what was done without it; until then its buttons are refused as outdated."""
    expect(page.locator("#part [data-plan]").first).to_have_attribute("data-plan", str(plan(hub.database)))


def criteria_of(hub: Hub) -> list[str]:
    """Return the names of the criteria as the page shows them."""
    with hub.database.reading() as session:
        return [criterion_words(one) for one in read_tournament(session).settings.ranking.criteria]


def enter_player(page: Page, name: str, count: int) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.get_by_role("heading", name=f"{count} players")).to_be_visible()


def rule(page: Page, title: str, button: str, **fields: str) -> None:
    """Fill one of the forms of rulings, and press its button."""
    details = page.locator(".club-rulings details", has=page.get_by_text(title, exact=True))
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    form = details.locator("form", has=page.get_by_role("button", name=button))
    for name, value in fields.items():
        form.locator(f"[name={name}]").fill(value)
    form.get_by_role("button", name=button).click()
    expect(form.locator("input").first).to_have_value("")  # the form is emptied once the hub has answered


def tables(page: Page) -> Locator:
    """Return the tables of the organiser's page."""
    return page.locator(".club-points > li")

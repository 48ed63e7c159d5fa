"""A game night on the page in a browser, with the names of its buttons in one place."""

import re
from collections.abc import Sequence

from playwright.sync_api import Locator, Page, expect

from tilekeeper.engine.rules.editions import RULE_SETS


class EveningPage:
    """A page on which a game night is set up and played; each method does what a person would do."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address

    def set_up(self, *names: str, choices: Sequence[str] = (), racks_may_show: bool = False) -> None:
        """Enter names, make choices by their labels, and begin; `racks_may_show` if no play area is stored."""
        self.page.goto(f"{self.address}setup")
        expect(self.page.locator("#editions label")).to_have_count(len(RULE_SETS))
        for seat, name in enumerate(names):
            self.page.get_by_label(f"Seat {seat + 1}").fill(name)
        for choice in choices:
            words = self.page.locator("label :not([aria-hidden] *)").filter(
                has_text=re.compile(f"^{re.escape(choice)}")
            )
            words.and_(self.page.locator("b, span:not(:has(b))")).first.click()
        self.press("Start", exact=True)
        if racks_may_show:
            self.press("No rack in the picture: start")
        self.page.wait_for_url(self.address)

    def press(self, name: str, exact: bool = False) -> None:
        """Press the button with a name."""
        self.page.get_by_role("button", name=name, exact=exact).and_(self.page.locator(":visible")).first.click()

    def keys(self, *names: str) -> None:
        """Press keys of the tile pad by the names of their tiles: `red 7`, `joker`."""
        pad = self.page.locator(".pad:visible")
        for name in names:
            ink = name.partition(" ")[0]
            tab = pad.locator(f".pad-tab.ink-{ink}")
            if name != "joker" and tab.is_visible():
                tab.click()
            pad.get_by_role("button", name=name, exact=True).click()

    def begins(self, name: str) -> None:
        """Choose the player who begins, and deal."""
        self.page.locator(".choose-seats").get_by_role("button", name=name, exact=True).click()
        self.page.get_by_role("button", name=re.compile("All have their (tiles|cards)")).click()
        self.is_on(name)

    def is_on(self, name: str) -> None:
        """Wait until it is the player's turn."""
        expect(self.page.locator("#whose .name")).to_have_text(name)

    def hears(self, headline: str) -> None:
        """Wait for a verdict with a headline."""
        expect(self.page.locator("#headline")).to_have_text(headline)

    def lay(self, *rows: Sequence[str]) -> None:
        """Enter new melds by hand and press Done."""
        self.press("Done", exact=True)
        for row in rows:
            self.page.get_by_role("button", name="New set").click()
            self.keys(*row)
        self.page.locator("dialog").get_by_role("button", name="Done", exact=True).click()
        expect(self.page.locator("dialog")).to_have_count(0)

    def more(self, name: str) -> None:
        """Press a button behind "More"."""
        self.page.locator("#more-ways").click()
        self.page.locator("dialog").get_by_role("button", name=name).click()

    def undo(self) -> None:
        """Undo the last step."""
        self.page.locator("#undo").click()

    def open_rack(self, name: str) -> None:
        """Open the entry of a player's rack at the end of a round, unless it is open already."""
        if not self._rack_entry(name).is_visible():
            self.page.keyboard.press("Escape")  # closes the entry of the next rack
            self.page.locator(".rack-card", has_text=name).get_by_role(
                "button", name=re.compile("^Tap the (tiles|cards)")
            ).click()
        expect(self._rack_entry(name)).to_be_visible()

    def show_rack(self, name: str, *tiles: str) -> None:
        """Enter a player's rack on the pad."""
        self.open_rack(name)
        self.keys(*tiles)
        self.give_rack()

    def give_rack(self) -> None:
        """Save the tiles, even if the app expects another number."""
        entry = self.page.get_by_role("dialog").get_attribute("aria-label")
        self.press("Save")
        if self.page.get_by_role("button", name="Save anyway").count():
            self.press("Save anyway")
        expect(self._rack_entry(str(entry).partition("'s ")[0])).to_have_count(0)

    def _rack_entry(self, name: str) -> Locator:
        return self.page.get_by_role("dialog", name=re.compile(f"^{re.escape(name)}'s (rack|hand)$"))

    def rummikub(self) -> None:
        """Report that the rack of the player in turn is empty."""
        name = self.page.locator("#whose .name").inner_text()
        self.press("Rummikub!")
        self.page.locator("dialog").get_by_role("button", name=name, exact=True).click()
        self.press("End the round")
        expect(self.page.locator("#panel h2")).to_contain_text("Rummikub!")
        self.page.keyboard.press("Shift")  # any key sends the winner's moment away

    def totals(self) -> list[str]:
        """Return the totals on the score sheet."""
        expect(self.page.locator(".score tfoot td").first).to_be_visible()
        return self.page.locator(".score tfoot td").all_text_contents()

"""The rules of the edition are one tap away on each page, with drawn examples."""

import pytest
from flask import Flask
from playwright.sync_api import expect

from tests.support.browsing import PHONE, TABLET
from tests.support.known_tables import PlayedPhotos, table_reading

EDITIONS = ("large-numbers", "finnish", "travel", "junior", "cards")


@pytest.mark.parametrize("edition", EDITIONS)
def test_each_example_shows_the_judges_decision(by_hand, edition) -> None:
    rules = by_hand.get(f"/api/rules?edition={edition}")
    examples = [example for chapter in rules["chapters"] for example in chapter["examples"]]
    assert len(examples) >= 8
    for example in examples:
        assert bool(example["why"]) is not example["legal"]
        assert example["placed"] or not example["legal"]
    assert by_hand.http.get("/api/rules?edition=chess").status_code == 400


def test_stars_are_those_that_the_junior_rulebook_prints(by_hand, serve, open_page) -> None:
    """4 for a new run, 3 for three tiles added, 7 for both; a tile that replaces a joker earns none."""
    seats = [{"people": ["Mia"]}, {"people": ["Tom"]}]
    by_hand.post("/api/evenings", seats=seats, edition="junior")
    page = open_page(serve(by_hand.http.application), PHONE)
    page.locator("#open-menu").click()
    page.locator(".menu-line", has_text="The rules").click()
    printed = page.locator(".chapter[open] .example .stars")
    expect(printed).to_have_text(["4 stars", "3 stars", "7 stars"])
    page.locator("summary", has_text="Jokers").click()
    expect(page.locator(".chapter[open]").last.locator(".example").first.locator(".stars")).to_have_text("0 stars")
    assert all(
        example["stars"] is None
        for chapter in by_hand.get("/api/rules?edition=travel")["chapters"]
        for example in chapter["examples"]
    )


def test_rules_show_the_house_rules_of_the_game_night(by_hand, serve, open_page) -> None:
    """With 12 points to open, the example of a too low opening is legal, and shown as legal."""
    seats = [{"people": ["Ada"]}, {"people": ["Bo"]}]
    by_hand.post("/api/evenings", seats=seats, edition="large-numbers", house=["opening.minimum_points=12"])
    page = open_page(serve(by_hand.http.application), PHONE)
    page.locator("#open-menu").click()
    page.locator(".menu-line", has_text="The rules").click()
    dialog = page.get_by_role("dialog", name="The rules: Standard box")
    expect(dialog).to_contain_text("With your house rules.")
    dialog.locator("summary", has_text="The opening: your first sets").click()
    expect(dialog).to_contain_text("count at least 12 points")
    opening = dialog.locator(".chapter[open]").last.locator(".example")
    expect(opening).to_have_count(3)
    verdicts = [one.get_attribute("data-legal") for one in opening.all()]
    assert verdicts == ["true", "true", "false"]
    names = (
        opening.nth(2)
        .locator(".example-step")
        .nth(1)
        .locator(".tile")
        .evaluate_all("tiles => tiles.map((tile) => tile.ariaLabel)")
    )
    assert sorted(names) == ["blue 7", "red 10", "red 11", "red 12"]


def test_rules_of_the_chosen_box_can_be_read_before_the_game_night(hand_app: Flask, serve, open_page) -> None:
    page = open_page(f"{serve(hand_app)}setup", PHONE)
    page.locator("#editions label", has_text="Junior box").click()
    page.locator("#open-rules").click()
    expect(page.get_by_role("dialog", name="The rules: Junior box")).to_contain_text("Collect the most stars")


def test_page_of_photos_has_the_rules_in_its_head(serve, make_app, tables, open_page) -> None:
    address = serve(make_app(PlayedPhotos([tables.picture(table_reading("R3 R4 R5"))])))
    for size in (PHONE, TABLET):
        page = open_page(address, size)
        expect(page.locator("#headline")).not_to_have_text("Tilekeeper is starting")
        page.locator("#open-rules").click()
        page.locator("summary", has_text="Changing sets on the table").click()
        expect(page.locator(".example:visible")).to_have_count(7)

"""A table in a hall, on its page: one press calls the arbiter, and without a connection the game goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, Serving
from tests.support.game_night_client import EveningClient
from tests.support.mosquitto import free_port
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.broker import Link
from tilekeeper.companion.messaging.local import LocalBroker
from tilekeeper.companion.messaging.topics import TableName

pytestmark = pytest.mark.slow


@pytest.fixture
def far_app(make_app: Callable[..., Flask]) -> Flask:
    """A table whose hub does not answer."""
    address = HallAddress.parse(f"http://127.0.0.1:{free_port()}/club")
    return make_app(NoSource(), hall=Link(TableName("club", "7"), LocalBroker(address, "7", "key")))


def test_button_calls_the_arbiter(far_app: Flask, serve: Serving, open_page: Callable[..., Page]) -> None:
    """One press stops the clock and shows the call; on a phone it is in the menu; the game goes on meanwhile."""
    by_hand = EveningClient(far_app)
    by_hand.deal("Ada", "Bo")
    by_hand.act("resume")
    page = open_page(serve(far_app))
    notice = page.locator("#notice")
    expect(notice).to_contain_text("No connection to the tournament. Play on")
    page.locator("#draw").click()
    expect(page.locator("#whose")).to_contain_text("Bo")
    call = page.get_by_role("button", name="Referee")
    call.click()
    expect(notice).to_have_text("The referee was called.")
    expect(call).to_be_hidden()
    assert not by_hand.evening["clock"]["running"]
    page.locator("#draw").click()
    expect(page.locator("#whose")).to_contain_text("Ada")


def test_phone_calls_the_arbiter_from_the_menu(far_app: Flask, serve: Serving, open_page: Callable[..., Page]) -> None:
    """A phone has no room for another button."""
    by_hand = EveningClient(far_app)
    by_hand.deal("Ada", "Bo")
    page = open_page(serve(far_app), PHONE)
    expect(page.get_by_role("button", name="Referee")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Call the referee").click()
    expect(page.locator("#notice")).to_have_text("The referee was called.")
    assert by_hand.state["hall"]["called"]


def test_table_without_a_hall_has_no_button_for_the_arbiter(
    hand_app: Flask, serve: Serving, open_page: Callable[..., Page]
) -> None:
    EveningClient(hand_app).deal("Ada", "Bo")
    page = open_page(serve(hand_app))
    expect(page.locator("#draw")).to_be_visible()
    expect(page.locator("#call")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("button", name="Call the referee")).to_have_count(0)

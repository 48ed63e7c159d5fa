"""Each tablet has its own language, also in one game night."""

from __future__ import annotations

import json

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.languages import LANGUAGES
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.languages import COOKIE

WRONG = "R3 R4 R6 | K7 B7 O7 R7"


@pytest.fixture
def evening(hand_app: Flask) -> EveningClient:
    """A game night with an illegal first turn."""
    by_hand = EveningClient(hand_app)
    by_hand.deal("Ada", "Bo")
    by_hand.act("opened", player=0, opened=True)
    by_hand.act("done", table=WRONG)
    return by_hand


@pytest.fixture
def tablet(hand_app: Flask) -> FlaskClient:
    """A tablet without a chosen language."""
    return hand_app.test_client()


@pytest.mark.parametrize(
    ("asks_for", "language", "says"),
    [
        ("de-AT,de;q=0.9,en;q=0.5", "de", "Wer spielt?"),
        ("fi", "fi", "Ketkä pelaavat?"),
        ("sv, fi;q=0.4", "fi", "Ketkä pelaavat?"),
        ("sv", "en", "Who plays?"),
    ],
)
def test_page_has_the_language_that_the_browser_prefers(tablet, asks_for, language, says):
    html = tablet.get("/setup", headers={"Accept-Language": asks_for}).get_data(as_text=True)
    assert f'<html lang="{language}"' in html
    assert says in html


def test_chosen_language_is_remembered(tablet):
    """The choice is a URL that redirects back to the page with its query, and it is stored."""
    chosen = tablet.get("/setup?language=fi&seats=4", headers={"Accept-Language": "de"})
    assert (chosen.status_code, chosen.headers["Location"]) == (302, "/setup?seats=4")
    assert tablet.get_cookie(COOKIE).value == "fi"
    assert "Ketkä pelaavat?" in tablet.get("/setup", headers={"Accept-Language": "de"}).get_data(as_text=True)
    tablet.get("/setup?language=en")
    assert "Who plays?" in tablet.get("/setup", headers={"Accept-Language": "de"}).get_data(as_text=True)


def test_unknown_language_is_ignored(tablet):
    answer = tablet.get("/setup?language=sv")
    assert answer.status_code == 200
    assert "Who plays?" in answer.get_data(as_text=True)


def test_one_game_night_is_shown_in_three_languages_at_once(evening, tablet):
    """Verdict, history and undo are in each tablet's language; codes and tiles are equal."""
    states = {language: tablet.get(f"/api/state?language={language}").get_json() for language in LANGUAGES}
    headlines = {language: state["verdict"]["headline"] for language, state in states.items()}
    assert headlines == {"en": "Not allowed", "de": "Nicht gültig", "fi": "Ei sallittu"}
    faults = {language: state["verdict"]["faults"] for language, state in states.items()}
    assert (
        faults["en"][0]["text"]
        == "Red 3, red 4 and red 6: not a run, because red 4 and red 6 do not follow each other."
    )
    assert (
        faults["de"][0]["text"] == "Rot 3, Rot 4 und Rot 6: keine Reihe, weil Rot 4 und Rot 6 nicht aufeinanderfolgen."
    )
    assert faults["fi"][0]["text"].startswith("Punainen 3, punainen 4 ja punainen 6: ei suora")
    assert len({fault[0]["code"] for fault in faults.values()}) == 1
    for fault in faults.values():
        drawn = ["".join(tile["text"] for tile in part["tiles"]) for part in fault[0]["parts"] if part["tiles"]]
        assert drawn == ["R3R4R6", "R4", "R6"]
    histories = {
        language: tablet.get(f"/api/evening/history?language={language}").get_json()["items"] for language in LANGUAGES
    }
    assert len({json.dumps([item["kind"] for item in items]) for items in histories.values()}) == 1
    assert len({items[0]["text"] for items in histories.values()}) == len(LANGUAGES)


def test_stream_has_the_language_of_its_tablet(evening, hand_app):
    streams = parts(hand_app).streams
    headlines = {}
    for language in LANGUAGES:
        stream = streams.open(language, lambda: True)
        assert stream is not None
        events = iter(stream)
        next(events)
        headlines[language] = json.loads(next(events).decode().partition("data: ")[2])["verdict"]["headline"]
        stream.close()
    assert headlines == {"en": "Not allowed", "de": "Nicht gültig", "fi": "Ei sallittu"}


def test_state_text_is_made_once_for_each_language(evening, hand_app):
    feed = parts(hand_app).feed
    evening.act("pause")
    german, finnish = feed.newest("de"), feed.newest("fi")
    assert feed.newest("de") is german
    assert feed.newest("fi") is finnish
    assert german.text != finnish.text


def test_refusal_has_the_language_of_the_tablet(evening, tablet):
    refused = tablet.get("/picture/9.jpg", headers={"Accept-Language": "de"}).get_json()
    assert (refused["code"], refused["error"]) == ("not-found", "Dieses Bild ist weg.")
    refused = tablet.get("/picture/9.jpg").get_json()
    assert refused["error"] == "That picture is gone."

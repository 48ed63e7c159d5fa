"""End to end with real photos, a real stream, the shipped networks, the judge, and a real browser."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.benchmarks.companion.jpeg_stream import JpegStream
from tests.support.app_process import running
from tests.support.judged_turns import JudgedTurns

PHOTO, TILES = "rummy-20.jpg", 13


@pytest.fixture(scope="module", autouse=True)
def shipped_networks(repository: Path) -> None:
    """These tests are about the networks in models/."""
    if not (repository / "models" / "manifest.json").is_file():
        pytest.skip("the networks are not in models/; train and export them")


@pytest.fixture(scope="module")
def labels(photos_folder: Path) -> list[str]:
    """The labels on the photo, from its annotation."""
    photos = json.loads((photos_folder / "photos.json").read_text())["photos"]
    found = next(photo for photo in photos if photo["file"] == PHOTO)
    assert len(found["tiles"]) == TILES
    return sorted(tile["label"] for tile in found["tiles"])


@pytest.fixture(scope="module")
def stream(ffmpeg_path: str, photos_folder: Path) -> Iterator[str]:
    """The address of an MJPEG stream of the photo, like that of a phone's camera app."""
    serving = JpegStream(lambda _: (photos_folder / "images" / PHOTO).read_bytes(), 8)
    yield serving.address
    serving.close()


def test_real_photo_is_read_and_judged_on_the_page(
    photos_folder: Path, browser: Browser, tmp_path: Path, labels: list[str]
) -> None:
    """The page shows every tile of the photo and the verdict."""
    shutil.copy(photos_folder / "images" / PHOTO, tmp_path)
    with running("--source", str(tmp_path), module="tilekeeper") as app:
        page = browser.new_page(viewport={"width": 1180, "height": 820})
        app.let_in(page.context)
        page.goto(app.address)
        expect(page.locator(".overlay .spot")).to_have_count(TILES, timeout=20_000)
        expect(page.get_by_role("heading", name="All is right")).to_be_visible()
        page.close()
        assert sorted(tile["label"] for tile in app.state["reading"]["tiles"]) == labels


def test_turn_in_a_real_stream_is_read_and_judged(stream, labels):
    with running("--source", stream, module="tilekeeper") as app:
        state = app.until(lambda state: state["settled"] and state["reading"] and state["reading"]["judged"])
        assert sorted(tile["label"] for tile in state["reading"]["tiles"]) == labels
        turns = JudgedTurns(app.post, lambda: app.state)
        turns.begin()
        verdict = turns.done()["verdict"]
        assert [fault["code"] for fault in verdict["faults"]] == ["nothing-placed"]

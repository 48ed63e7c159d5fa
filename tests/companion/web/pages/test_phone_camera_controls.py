"""The phone's page sets its camera: focus, exposure and white balance, and photos at full resolution."""

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from tests.support.browsing import LONGEST_MS, PHONE, Browsers
from tests.support.game_night_client import EveningClient
from tests.support.known_tables import table_reading
from tests.support.mjpeg_camera import wait_for
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.web.api.extensions import parts

pytestmark = pytest.mark.slow

BEST_M = 0.8
SIMULATED_CAMERA = """
// A camera that is sharp at BEST_M metres, with a light that can be changed; `applied` records the constraints.
window.room = { light: 1, refuses: REFUSES, applied: [], settings: { focusMode: "continuous",
  exposureMode: "continuous", whiteBalanceMode: "continuous", focusDistance: 3, exposureTime: 100 } };
const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 480 });
const context = canvas.getContext("2d");
const pattern = Object.assign(document.createElement("canvas"), { width: 640, height: 480 });
const ink = pattern.getContext("2d");
ink.fillStyle = "#70654a";
ink.fillRect(0, 0, 640, 480);
for (let x = 10; x < 640; x += 40) for (let y = 10; y < 480; y += 50) {
  ink.fillStyle = "#d0d0c4";
  ink.fillRect(x, y, 28, 38);
  ink.fillStyle = "#222";
  ink.fillText(String((x * y) % 13), x + 8, y + 24);
}
ink.fillStyle = "#000";
ink.fillRect(0, 0, 48, 48); // without a mark there, the reader of the tests finds no tiles
setInterval(() => {
  const blur = 4 * Math.abs(Math.log2(room.settings.focusDistance / BEST_M));
  const automatic = room.settings.exposureMode === "continuous" ? 1 / room.light : room.exposure ?? 1;
  room.exposure = automatic;
  context.filter = `blur(${blur}px) brightness(${room.light * automatic})`;
  context.drawImage(pattern, 0, 0);
}, 50);
const offers = { focusMode: ["manual", "continuous"], exposureMode: ["manual", "continuous"],
  whiteBalanceMode: ["manual", "continuous"], focusDistance: { min: 0.1, max: 6 }, exposureTime: { min: 1, max: 300 } };
for (const name of room.refuses) delete offers[name];
MediaStreamTrack.prototype.getCapabilities = () => offers;
MediaStreamTrack.prototype.getSettings = () => ({ ...room.settings });
MediaStreamTrack.prototype.applyConstraints = async ({ advanced: [set] }) => {
  room.applied.push(set);
  Object.assign(room.settings, set);
};
Object.defineProperty(navigator, "mediaDevices",
  { value: { getUserMedia: async () => canvas.captureStream(20) } });
"""


@pytest.fixture
def app(make_app, tables) -> Flask:
    """An app without a source."""
    tables.readings.append(table_reading(""))  # for every picture of the phone
    return make_app(NoSource())


@pytest.fixture
def host(app: Flask) -> EveningClient:
    """The host's page."""
    return EveningClient(app)


def begin(page: Page, address: str, refuses: str = "[]") -> None:
    """Make the page the camera, with a simulated one."""
    page.add_init_script(SIMULATED_CAMERA.replace("REFUSES", refuses).replace("BEST_M", str(BEST_M)))
    page.goto(f"{address}camera")
    page.get_by_role("button", name="Use this phone as the camera").click()
    expect(page.locator("#phone")).to_have_attribute("data-state", "sending")


def states(host: EveningClient) -> dict[str, str]:
    """The states of the controls as the self-test shows them."""
    return {one["control"]: one["state"] for one in host.get("/api/self-test")["controls"]}


def becomes(page: Page, host: EveningClient, **wanted: str) -> None:
    """Wait until the self-test shows these states."""

    def holds() -> bool:
        page.wait_for_timeout(100)
        now = states(host)
        return all(now.get(control.replace("_", "-")) == state for control, state in wanted.items())

    try:
        wait_for(holds, 40)
    except AssertionError:
        raise AssertionError(f"{wanted} is not reached: {states(host)}, {page.evaluate('room')}") from None


def test_phone_is_focused_and_locked_and_released_when_the_light_changes(app, host, serve, open_page):
    page = open_page("about:blank", PHONE)
    begin(page, serve(app))
    becomes(page, host, focus="locked", exposure="locked", white_balance="locked")
    settings = page.evaluate("room.settings")
    assert settings["focusDistance"] == pytest.approx(BEST_M, rel=0.2)
    assert [settings[mode] for mode in ("focusMode", "exposureMode", "whiteBalanceMode")] == ["manual"] * 3
    # Each call of `applyConstraints` replaces the one before, so it repeats all constraints.
    assert {"focusMode", "focusDistance", "exposureMode", "whiteBalanceMode"} <= set(
        page.evaluate("room.applied.at(-1)")
    )

    page.evaluate("room.light = 0.4")  # a lamp goes out
    becomes(page, host, exposure="settling")
    becomes(page, host, focus="locked", exposure="locked", white_balance="locked")

    page.evaluate("room.settings.focusDistance = 4")  # somebody has moved the phone
    page.wait_for_timeout(200)
    parts(app).watcher.refocus()  # blur is reported too soon after the start for another search
    page.wait_for_timeout(1500)
    assert page.evaluate("room.settings.focusDistance") == 4


def test_controls_that_the_phone_refuses_are_shown_in_the_self_test(app, host, serve, open_page):
    page = open_page("about:blank", PHONE)
    begin(page, serve(app), '["focusMode", "whiteBalanceMode"]')
    becomes(page, host, focus="refused", exposure="locked", white_balance="refused")
    texts = [one["text"] for one in host.get("/api/self-test")["controls"]]
    assert texts == [
        "Sharpness (focus): this camera does not allow it.",
        "Brightness (exposure): set and locked.",
        "Colours (white balance): this camera does not allow it.",
    ]


@pytest.fixture(scope="module")
def fake_camera(browsers: Browsers, chromium_path: str) -> Iterator[Browser]:
    """Chromium with its own fake camera, which films and takes photos in full HD."""
    started = browsers.another(chromium_path, ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"))
    expect.set_options(timeout=2 * LONGEST_MS)
    yield started
    expect.set_options(timeout=LONGEST_MS)
    started.close()


COUNT_PHOTOS = """
window.photos = [];
const take = ImageCapture.prototype.takePhoto;
ImageCapture.prototype.takePhoto = function (size) {
  photos.push(size);
  return take.call(this, size);
};
"""
NO_PHOTOS = "window.photos = []; delete window.ImageCapture;"


@pytest.mark.parametrize(
    ("script", "photos", "width_px"),
    [
        (COUNT_PHOTOS, [{"imageWidth": 1920, "imageHeight": 1080}], 1920),
        # Browsers without still photos, such as Safari, send the largest frame of the video.
        (NO_PHOTOS, [], 3840),
    ],
)
def test_rack_is_read_from_the_largest_still_picture_of_the_phone(
    app, host, serve, fake_camera, script, photos, width_px
):
    address = serve(app)
    page = fake_camera.new_page()
    page.add_init_script(script)
    page.goto(f"{address}camera")
    page.get_by_role("button", name="Use this phone as the camera").click()
    expect(page.locator("#phone")).to_have_attribute("data-state", "sending")
    wait_for(lambda: page.wait_for_timeout(100) is None and host.state["picture"], 30)
    photo = parts(app).phone_camera.request_photo()
    assert photo is not None
    assert photo.shape[1] == width_px
    assert page.evaluate("photos") == photos
    # Afterwards it films in the earlier size.
    page.wait_for_function("document.querySelector('video').videoWidth === 1920")
    expect(page.locator("#phone")).to_have_attribute("data-state", "sending")
    page.close()

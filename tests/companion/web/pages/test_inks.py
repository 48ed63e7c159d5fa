"""The inks of drawn tiles under the tablet's setting, as colour-blind people see them."""

from itertools import combinations

import numpy as np
import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from tests.support.browsing import TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tilekeeper.companion.capture.no_source import NoSource

# Machado, Oliveira and Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision Deficiency",
# severity 1.0, on linear RGB.
SEEN_WITH = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
# Ottosson 2020, "A perceptual color space for image processing": linear RGB to cones, and their cube roots to OKLab.
CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
# CIE 1931 of linear sRGB under D65, for CIELAB, in which people more often give such distances.
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
LEAST_DISTANCE = 0.19
LEAST_CIELAB_DISTANCE = 25
LEAST_CONTRAST = 4.5
SETS = (("black", "blue", "orange", "red"), ("black", "blue", "yellow", "red"))
COLOURS = """() => Object.fromEntries(["black", "blue", "orange", "yellow", "red", "ground"].map((ink) => {
  const tile = document.createElement("span");
  tile.className = `tile ink-${ink}`;
  if (ink === "ground") tile.style.color = "var(--ivory)";
  document.body.append(tile);
  const colour = getComputedStyle(tile).color.match(/\\d+/g).map(Number);
  tile.remove();
  return [ink, colour];
}))"""


@pytest.fixture
def app(make_app) -> Flask:
    """An app without a camera; Ada's first turn is being played."""
    app = make_app(NoSource(), watch=False)
    EveningClient(app).deal("Ada", "Bo")
    return app


def linear(colours: list[list[int]]) -> np.ndarray:
    """Return linear RGB of sRGB in 0 to 255: (N, 3), 0 to 1."""
    share = np.array(colours) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def oklab(visible: np.ndarray) -> np.ndarray:
    return np.cbrt(visible @ CONES.T) @ LAB.T


def cielab(visible: np.ndarray) -> np.ndarray:
    """Return CIELAB divided so that its least distance is that of OKLab."""
    x, y, z = np.cbrt(np.maximum(visible @ (XYZ / XYZ.sum(axis=1, keepdims=True)).T, 0)).T
    lab = np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)
    return lab * (LEAST_DISTANCE / LEAST_CIELAB_DISTANCE)


def least_distances(colours: dict[str, list[int]]) -> dict[str, float]:
    """Return the distance of the two nearest inks of a set in OKLab or CIELAB, by type of colour vision."""
    found: dict[str, float] = {}
    for eyes, matrix in SEEN_WITH.items():
        for inks in SETS:
            visible = np.clip(linear([colours[ink] for ink in inks]) @ matrix.T, 0, 1)
            for lab in (oklab(visible), cielab(visible)):
                nearest = min(float(np.linalg.norm(one - other)) for one, other in combinations(lab, 2))
                found[eyes] = min(nearest, found.get(eyes, nearest))
    return found


def contrasts(colours: dict[str, list[int]]) -> dict[str, float]:
    """Return the contrast of each ink on the tile's background (WCAG 2.2)."""
    light = {ink: float(linear([colour])[0] @ LUMINANCE) for ink, colour in colours.items()}
    ground = light.pop("ground")
    return {ink: (ground + 0.05) / (one + 0.05) for ink, one in light.items()}


def choose(page: Page) -> None:
    page.locator("#open-menu").click()
    page.locator(".menu-line b").get_by_text("Settings", exact=True).click()
    page.get_by_role("switch", name="colour-blind").click()
    page.get_by_role("button", name="Close").click()


def test_inks_set_apart_differ_for_colour_blind_eyes(app, serve, open_page):
    address = serve(app)
    page, other = (open_page(address, TABLET) for _ in range(2))
    for one in (page, other):
        EveningPage(one, address).is_on("Ada")
    printed = least_distances(page.evaluate(COLOURS))
    assert min(printed.values()) < LEAST_DISTANCE / 2, "the printed inks would be enough"
    choose(page)
    page.reload()
    EveningPage(page, address).is_on("Ada")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        apart = page.evaluate(COLOURS)
        assert {eyes: one for eyes, one in least_distances(apart).items() if one < LEAST_DISTANCE} == {}, scheme
        assert {ink: one for ink, one in contrasts(apart).items() if one < LEAST_CONTRAST} == {}, scheme
    # The setting of one tablet does not change another.
    assert least_distances(other.evaluate(COLOURS)) == printed
    choose(page)
    assert least_distances(page.evaluate(COLOURS)) == printed


def test_every_key_of_the_pad_has_the_letter_of_its_ink_in_the_language_of_the_page(app, serve, open_page):
    address = serve(app)
    page = open_page(address, TABLET)
    for language, letters in (("en", "KBOR"), ("de", "SBOR"), ("fi", "MSOP")):
        page.goto(f"{address}?language={language}")
        page.locator("#done").click()
        rows = page.locator("dialog .pad-row")
        expect(rows).to_have_count(4)
        for row, letter in zip(rows.all(), letters, strict=True):
            signs = row.locator(".key i:visible").all_inner_texts()
            assert set(signs) == {letter}
            assert len(signs) == row.locator(".key").count()

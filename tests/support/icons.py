"""The app's icons, drawn from `companion/web/static/icon.svg` by Chromium: `python -m tests.support.icons`."""

import base64
import shutil
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
from playwright.sync_api import Browser, sync_playwright

STATIC = Path(__file__).parents[2] / "companion" / "web" / "static"
SIZES = {"icon-192.png": 192, "icon-512.png": 512}
WHOLE = {"icon-whole-512.png": 512}
"""A maskable icon: the drawing is within the middle four fifths, and the background fills the rest.
Apple, which fills transparent parts with black, uses this one."""
GROUND = "#22574a"


def draw_icon(browser: Browser, name: str) -> bytes:
    """Return an icon as PNG."""
    size = (SIZES | WHOLE)[name]
    drawing = base64.b64encode((STATIC / "icon.svg").read_bytes()).decode()
    inset = size // 10 if name in WHOLE else 0
    ground = GROUND if name in WHOLE else "transparent"
    page = browser.new_page(viewport={"width": size, "height": size})
    page.set_content(
        f"<style>html,body{{margin:0;background:{ground}}}img{{display:block;padding:{inset}px;"
        f'width:{size - 2 * inset}px}}</style><img src="data:image/svg+xml;base64,{drawing}">'
    )
    page.locator("img").evaluate("image => image.decode()")
    picture = page.screenshot(omit_background=True)
    page.close()
    return picture


def with_palette(picture: bytes, steps: int = 3) -> bytes:
    """Return a drawing of few colours as PNG with a palette, a fifth as large; edges lose invisible shades."""
    bgra = cv2.cvtColor(cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2BGRA)
    image = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_UNCHANGED)
    if image.shape[2] == 4:
        bgra = image
    coarse = (bgra.astype(int) * steps // 256).reshape(-1, 4)
    _, first, places, counts = np.unique(coarse, axis=0, return_index=True, return_inverse=True, return_counts=True)
    sums = np.zeros((len(first), 4))
    np.add.at(sums, places.ravel(), bgra.reshape(-1, 4))
    colours = np.round(sums / counts[:, None]).astype(np.uint8)[:, [2, 1, 0, 3]]
    assert len(colours) <= 16
    pairs = places.reshape(bgra.shape[0], -1, 2).astype(np.uint8)
    lines = b"".join(b"\0" + line.tobytes() for line in pairs[..., 0] << 4 | pairs[..., 1])
    head = struct.pack(">IIBBBBB", bgra.shape[1], bgra.shape[0], 4, 3, 0, 0, 0)
    parts = [(b"IHDR", head), (b"PLTE", colours[:, :3].tobytes())]
    if image.shape[2] == 4:
        parts.append((b"tRNS", colours[:, 3].tobytes()))
    parts += [(b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )


def main() -> None:
    """Draw all icons."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in SIZES | WHOLE:
            (STATIC / name).write_bytes(with_palette(draw_icon(browser, name)))
        browser.close()


if __name__ == "__main__":
    main()

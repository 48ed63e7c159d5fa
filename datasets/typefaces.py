"""The typefaces that digits, joker letters and wordmarks of rendered tiles are set in, as one atlas of masks.

The atlas (`glyphs.npz`) is made once from the font packages named below by

    python -m tilekeeper.datasets.typefaces

which needs Pillow and those packages (Debian names); drawing needs neither, only the atlas.
"""

from __future__ import annotations

import functools
import importlib.resources
import pathlib

import cv2
import numpy as np

GLYPH_PX = 112
"""Height of the digits in the atlas, in pixels."""

CHARACTERS = "0123456789JOKER"
WORDMARK_PX = 36
WORDMARKS = ("tiles", "Original", "classic", "Rummy", "game")

# Typeface: path below the system's font folder, of packages under the OFL, Apache, Bitstream Vera, MIT/BSD
# licences or in the public domain. A font's own outlines are not shipped, only what it prints.
SOURCES: dict[str, str] = {
    "roboto-bold": "roboto/unhinted/RobotoTTF/Roboto-Bold",
    "roboto-black": "roboto/unhinted/RobotoTTF/Roboto-Black",
    "roboto-medium": "roboto/unhinted/RobotoTTF/Roboto-Medium",
    "roboto-condensed-bold": "roboto/unhinted/RobotoCondensed-Bold",
    "open-sans-bold": "open-sans/OpenSans-Bold",
    "open-sans-extrabold": "open-sans/OpenSans-ExtraBold",
    "lato-black": "lato/Lato-Black",
    "lato-bold": "lato/Lato-Bold",
    "cantarell-bold": "cantarell/Cantarell-Bold",
    "comfortaa-bold": "comfortaa/Comfortaa-Bold",
    "inter-bold": "inter/Inter-Bold",
    "inter-black": "inter/Inter-Black",
    "quicksand-bold": "quicksand/Quicksand-Bold",
    "dejavu-sans-bold": "dejavu/DejaVuSans-Bold",
    "dejavu-serif-bold": "dejavu/DejaVuSerif-Bold",
    "liberation-sans-bold": "liberation/LiberationSans-Bold",
    "liberation-narrow-bold": "liberation/LiberationSansNarrow-Bold",
    "liberation-serif-bold": "liberation/LiberationSerif-Bold",
    "carlito-bold": "crosextra/Carlito-Bold",
    "caladea-bold": "crosextra/Caladea-Bold",
    "karla-bold": "karla/Karla-Bold",
    "jura-bold": "jura/Jura-Bold",
    "league-spartan-bold": "league-spartan/LeagueSpartan-Bold",
    "play-bold": "play/Play-Bold",
    "arimo-bold": "croscore/Arimo-Bold",
    "tinos-bold": "croscore/Tinos-Bold",
    "clear-sans-bold": "clear-sans/ClearSans-Bold",
    "comic-neue-bold": "comic-neue/ComicNeue-Bold",
    "averia-sans-bold": "averia-gwf/AveriaSansGWF-Bold",
    "averia-serif-bold": "averia-gwf/AveriaSerifGWF-Bold",
    "cabin-bold": "cabin/Cabin-Bold",
    "dosis-bold": "dosis/Dosis-Bold",
    "dosis-extrabold": "dosis/Dosis-ExtraBold",
    "go-bold": "go/Go-Bold",
    "jetbrains-mono-bold": "jetbrains-mono/JetBrainsMono-Bold",
    "karmilla-bold": "karmilla/Karmilla-Bold",
    "pt-sans-bold": "paratype/PTS75F",
    "pt-serif-bold": "paratype/PTF75F",
    "sora-bold": "sora/Sora-Bold",
    "tuffy-bold": "tuffy/Tuffy_Bold",
    "yusei-magic": "yusei-magic/YuseiMagic-Regular",
    "hack-bold": "hack/Hack-Bold",
    "leckerli-one": "leckerli-one/LeckerliOne-Regular",
    "rocknroll": "rocknroll/RocknRollOne-Regular",
    "open-din": "opendin/OSP-DIN",
    "andika-bold": "andikanewbasic/AndikaNewBasic-B",
    "kaushan-script": "kaushanscript/KaushanScript-Regular",
    "gemunu-extrabold": "gemunu-libre/GemunuLibre-ExtraBold",
    "old-standard-bold": "oldstandard/OldStandard-Bold",
    "manrope-extrabold": "manrope/Manrope-ExtraBold",
    "mononoki-bold": "mononoki/mononoki-Bold",
    "noto-sans-display-bold": "noto/NotoSansDisplay-Bold",
    "league-mono-bold": "league-mono/LeagueMono-Bold",
    "lobster-two-bold": "lobstertwo/LobsterTwo-Bold",
    "ocr-b": "ocr-b/OCRB",
    "bebas-neue-bold": "bebas-neue/BebasNeue-Bold",
    "b612-bold": "b612/B612-Bold",
    "national-park-heavy": "national-park/NationalPark-Heavy",
    "routed-gothic": "routed-gothic/routed-gothic",
    "routed-gothic-narrow": "routed-gothic/routed-gothic-narrow",
    "allerta-medium": "allerta/allerta_medium",
    "fira-code-bold": "firacode/FiraCode-Bold",
    "roboto-slab-bold": "roboto/slab/RobotoSlab-Bold",
    "courier-prime-bold": "courier-prime/Courier Prime Bold",
    "courier-prime-sans-bold": "courier-prime/Courier Prime Sans Bold",
    "lemonada-bold": "lemonada/Lemonada-Bold",
    "manjari-bold": "malayalam/Manjari-Bold",
    "cherry-bomb": "cherrybomb/CherryBomb-Regular",
    "reggae-one": "reggae/ReggaeOne-Regular",
    "biz-ud-gothic-bold": "bizud-gothic/BIZUDGothic-Bold",
    "fantasque-sans-bold": "fantasque-sans/Normal/OTF/FantasqueSansMono-Bold",
    "hermit-bold": "hermit/Hermit-bold",
    "lobster": "lobster/lobster",
    "nanum-barun-bold": "nanum/NanumBarunGothicBold",
    "nanum-myeongjo-bold": "nanum/NanumMyeongjoBold",
    "nanum-square-bold": "nanum/NanumSquareB",
    "do-hyeon": "woowa-bm/BMDOHYEON_ttf",
    "jua": "woowa-bm/BMJUA_ttf",
    "hanna-pro": "woowa-bm/BMHANNAPro",
    "open-dyslexic-bold": "opendyslexic/OpenDyslexic-Bold",
    "rasa-bold": "fonts-yrsa-rasa/Rasa-Bold",
    "stix-bold": "stix/STIXGeneral-Bold",
    "harmattan-bold": "harmattan/Harmattan-Bold",
    "anonymous-pro-bold": "anonymous-pro/Anonymous Pro B",
    "millimetre-bold": "millimetre/millimetreA Bold 01",
    "stick": "stick/Stick-Regular",
    "mplus-1-black": "mplus/Mplus1-Black",
    "oxygen-bold": "oxygen/Oxygen-Sans-Bold",
    "vollkorn-black": "vollkorn/Vollkorn-Black",
    "yanone-kaffeesatz-bold": "yanone-kaffeesatz/YanoneKaffeesatz-Bold",
    "arapey-black": "arapey/Arapey-Black",
    "compagnon-bold": "compagnon/Compagnon-Bold",
    "open-sans-condensed-bold": "open-sans/OpenSans-CondBold",
    "cousine-bold": "croscore/Cousine-Bold",
    "dejavu-sans-mono-bold": "dejavu/DejaVuSansMono-Bold",
    "noto-serif-display-bold": "noto/NotoSerifDisplay-Bold",
    "league-mono-narrow-bold": "league-mono/LeagueMono-NarrowExtraBold",
    "sora-extrabold": "sora/Sora-ExtraBold",
    "mplus-code-bold": "mplus/MplusCode60-Bold",
    "jetbrains-mono-extrabold": "jetbrains-mono/JetBrainsMono-ExtraBold",
    "junction": "junction/Junction",
    "quattrocento": "quattrocento/Quattrocento-Regular",
    "inconsolata": "inconsolata/Inconsolata",
    "national-park": "national-park/NationalPark-Regular",
    "biolinum-bold": "linux-libertine/LinBiolinum_RB",
    "euljiro": "woowa-bm/BMEULJIROTTF",
}


@functools.cache
def atlas() -> dict[str, np.ndarray]:
    """All masks by key: `FACE/CHARACTER` and `FACE/*WORD` (wordmarks, `(WORDMARK_PX, w) uint8`)."""
    path = importlib.resources.files("tilekeeper.datasets").joinpath("glyphs.npz")
    with path.open("rb") as stream, np.load(stream) as store:
        strips = {name: store[name] for name in store.files}
    masks: dict[str, np.ndarray] = {}
    for name, strip in strips.items():
        if name.endswith("#ends"):
            continue
        ends = strips[f"{name}#ends"]
        keys = WORDMARKS if "*" in name else CHARACTERS
        face = name.rstrip("*")
        start = 0
        for key, end in zip(keys, ends, strict=True):
            masks[f"{face}/{'*' if '*' in name else ''}{key}"] = strip[:, start:end]
            start = int(end)
    return masks


def typefaces() -> tuple[str, ...]:
    """Names of all typefaces in the atlas, sorted."""
    return tuple(sorted({key.split("/")[0] for key in atlas()}))


SEVENS = ("plain", "hooked", "crossed", "deep")
"""How a 7 may be drawn: as the typeface has it, with a stroke down at its left (a longer one: deep), or with a bar
across its stem."""


@functools.cache
def _seven(face: str, kind: str) -> np.ndarray:
    mask = atlas()[f"{face}/7"].copy()
    height, width = mask.shape
    stroke = max(4, int((mask[: height // 3, width // 4] > 128).sum()))
    if kind in ("hooked", "deep"):
        cv2.rectangle(
            mask, (0, 0), (stroke - 1, max(stroke, height // 4 if kind == "hooked" else height * 2 // 5)), 255, -1
        )
    elif kind == "crossed":
        middle = round(0.54 * height)
        stem = int(np.flatnonzero(mask[middle] > 128).mean()) if (mask[middle] > 128).any() else width // 2
        ends = (max(0, stem - width // 3), min(width - 1, stem + width // 3))
        cv2.rectangle(mask, (ends[0], middle - stroke // 3), (ends[1], middle + stroke // 3), 255, -1)
    return mask


def set_text(face: str, text: str, height_px: int, tracking: float = 0.06, seven: str = "plain") -> np.ndarray:
    """Set `text` (of `CHARACTERS`) in `face`: `(height_px, w) uint8` mask; `tracking` is the gap in heights.

    `seven` is one of `SEVENS`.
    """
    masks = [_seven(face, seven) if character == "7" else atlas()[f"{face}/{character}"] for character in text]
    gap = np.zeros((GLYPH_PX, max(1, round(tracking * GLYPH_PX))), np.uint8)
    parts: list[np.ndarray] = []
    for mask in masks:
        parts += [mask, gap]
    line = np.hstack(parts[:-1])
    width = max(1, round(line.shape[1] * height_px / GLYPH_PX))
    shrinking = height_px < GLYPH_PX
    return cv2.resize(line, (width, height_px), interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_CUBIC)


def _rasterise(font_path: pathlib.Path) -> dict[str, np.ndarray] | None:
    """Draw every character at the height of the digits; None where the figures are not lining ones."""
    from PIL import Image, ImageDraw, ImageFont  # only the making of the atlas needs Pillow

    def draw(text: str, size: int) -> np.ndarray:
        font = ImageFont.truetype(str(font_path), size)
        picture = Image.new("L", (size * (len(text) + 2), size * 2), 0)
        ImageDraw.Draw(picture).text((size // 2, size // 4), text, fill=255, font=font)
        return np.asarray(picture)

    big = 300
    drawn = {character: draw(character, big) for character in CHARACTERS}
    spans = {}
    for character, picture in drawn.items():
        rows = np.flatnonzero(picture.max(axis=1) > 40)
        columns = np.flatnonzero(picture.max(axis=0) > 40)
        if not len(rows):
            return None
        spans[character] = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    digits = [spans[d] for d in "0123456789"]
    top, bottom = min(s[0] for s in digits), max(s[1] for s in digits)
    if min(s[1] - s[0] for s in digits) < 0.9 * (bottom - top):
        return None  # old-style figures: no set prints those
    scale = GLYPH_PX / (bottom - top)
    masks = {}
    for character, picture in drawn.items():
        _, _, left, right = spans[character]
        crop = picture[top:bottom, left:right]
        masks[character] = cv2.resize(
            crop, (max(2, round(crop.shape[1] * scale)), GLYPH_PX), interpolation=cv2.INTER_AREA
        )
    for word in WORDMARKS:
        picture = draw(word, 120)
        ys, xs = np.nonzero(picture > 40)
        crop = picture[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
        width = round(crop.shape[1] * WORDMARK_PX / crop.shape[0])
        masks["*" + word] = cv2.resize(crop, (width, WORDMARK_PX), interpolation=cv2.INTER_AREA)
    return masks


def main() -> None:
    """Make the atlas from the fonts that are installed, and say which are missing."""
    store: dict[str, np.ndarray] = {}
    installed = sorted(pathlib.Path("/usr/share/fonts").rglob("*.[to]tf"))
    for face, tail in SOURCES.items():
        name = pathlib.PurePath(tail).name.lower()
        path = next((p for p in installed if p.stem.lower() == name), None)
        masks = _rasterise(path) if path else None
        if masks is None:
            print(f"{face}: {'old-style figures or no glyphs' if path else 'not installed'}, left out")
            continue
        for suffix, keys in (("", list(CHARACTERS)), ("*", ["*" + word for word in WORDMARKS])):
            strips = [masks[key] for key in keys]
            store[face + suffix] = np.hstack(strips)
            store[f"{face}{suffix}#ends"] = np.cumsum([strip.shape[1] for strip in strips]).astype(np.int32)
    target = pathlib.Path(__file__).with_name("glyphs.npz")
    np.savez_compressed(target, **store)
    print(f"{len({key.split('*')[0].split('#')[0] for key in store})} typefaces, {target.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()

"""The files that pages are made of, each under an address with the digest of what is in it."""

import gzip
import hashlib
import json
import mimetypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from tilekeeper.companion.web.assets.bundles import join_scripts, join_styles
from tilekeeper.companion.web.assets.sentences import sentences_of

STATIC = Path(__file__).parents[1] / "static"
ADDRESS = "/assets/"
DIGEST_LENGTH = 12
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
PACKED = {".woff2", ".png", ".jpg"}
"""Files that are compressed by themselves."""


@dataclass(frozen=True, slots=True)
class Asset:
    """What is sent for an address."""

    data: bytes
    packed: bytes | None
    """The same, compressed with gzip; None where that saves nothing."""
    type: str


_assets: dict[str, Asset] = {}


def asset(name: str) -> Asset | None:
    """What is in the file of a name, the last part of an address that a page was given; None for any other."""
    return _assets.get(name)


@cache
def script_address(entry: str, language: str) -> str:
    """The address of one script made of a module of `static/js` and all that it imports, with its sentences."""
    name = PurePosixPath(entry).with_suffix("").as_posix().replace("/", "-").removesuffix("-main")
    script = join_scripts(STATIC / "js", entry)
    sentences = json.dumps(sentences_of(script, language), ensure_ascii=False, separators=(",", ":"))
    return _kept(f"{name}.js", f"const catalogue = {sentences};\n{script}".encode())


@cache
def styles_address(names: tuple[str, ...]) -> str:
    """The address of one sheet made of styles of `static/css`, in this order."""
    return _kept(f"{names[-1]}.css", join_styles(STATIC / "css", names, file_address).encode())


@cache
def file_address(path: str) -> str:
    """The address of a file in `static`, such as `icon.svg`."""
    return _kept(PurePosixPath(path).name, (STATIC / path).read_bytes())


def _kept(name: str, data: bytes) -> str:
    digest = hashlib.sha256(data).hexdigest()[:DIGEST_LENGTH]
    ending = PurePosixPath(name).suffix
    packed = None if ending in PACKED else gzip.compress(data, mtime=0)
    kind = TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    kept = f"{name.removesuffix(ending)}.{digest}{ending}"
    _assets[kept] = Asset(data, packed if packed is not None and len(packed) < len(data) else None, kind)
    return ADDRESS + kept

"""Stores the files of pages; each file's address has a digest of its content, so browsers may cache it for ever."""

import gzip
import hashlib
import json
import mimetypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from tilekeeper.companion.web.assets.bundles import Part, join_scripts, join_styles
from tilekeeper.companion.web.assets.sentences import sentences_of

STATIC = Path(__file__).parents[1] / "static"
ADDRESS = "/assets/"
DIGEST_LENGTH = 12
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
PACKED = {".woff2", ".png", ".jpg"}
"""Formats that are compressed already."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file to send: its content and media type."""

    data: bytes
    packed: bytes | None
    """The data, compressed with gzip; None if that is not smaller."""
    type: str


_assets: dict[str, Asset] = {}


def asset(name: str) -> Asset | None:
    """Return the file whose address ends in `name`; None if no page refers to such a file."""
    return _assets.get(name)


@cache
def script_address(entry: str, language: str) -> str:
    """Return the address of the script of the module `entry` in `static/js`, with all its imports and translations."""

    def store_part(part: Part) -> str:
        return _add_script(part.path, part.script(_sentences(part.code, language)))

    script = join_scripts(STATIC / "js", entry, store_part)
    return _add_script(entry, f"const catalogue = {_sentences(script, language)};\n{script}")


def _sentences(script: str, language: str) -> str:
    """Return the translations of a script's sentences as JSON."""
    return json.dumps(sentences_of(script, language), ensure_ascii=False, separators=(",", ":"))


def _add_script(path: str, script: str) -> str:
    name = PurePosixPath(path).with_suffix("").as_posix().replace("/", "-").removesuffix("-main")
    return _add_asset(f"{name}.js", script.encode())


@cache
def styles_address(names: tuple[str, ...]) -> str:
    """Return the address of a style sheet that joins the named ones of `static/css`, in this order."""
    return _add_asset(f"{names[-1]}.css", join_styles(STATIC / "css", names, file_address).encode())


@cache
def file_address(path: str) -> str:
    """Return the address of a file in `static`, such as `icon.svg`."""
    return _add_asset(PurePosixPath(path).name, (STATIC / path).read_bytes())


def _add_asset(name: str, data: bytes) -> str:
    digest = hashlib.sha256(data).hexdigest()[:DIGEST_LENGTH]
    ending = PurePosixPath(name).suffix
    packed = None if ending in PACKED else gzip.compress(data, mtime=0)
    kind = TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    unique_name = f"{name.removesuffix(ending)}.{digest}{ending}"
    _assets[unique_name] = Asset(data, packed if packed is not None and len(packed) < len(data) else None, kind)
    return ADDRESS + unique_name

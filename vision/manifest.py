"""Model manifest: load the shipped networks, each checked against its SHA-256.

`manifest.json` is beside the networks in `tilekeeper.models`. Its entries `detector`, `classifier` and, optionally,
`verifier` hold the `file`, its `sha256`, the inputs and outputs and the training data. The optional entry `reader`
holds the values fitted to these networks; `figures` in `classifier` names the file of its `FigureSpace`.
"""

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.recognition.glyph_embedding import FigureSpace
from tilekeeper.vision.runtime.network import RUNTIME_VERSION, DescribedNetwork, Network, open_network

NETWORKS = ("detector", "classifier")
FORMER_NAMES = {"finder": "detector", "namer": "classifier", "proofreader": "verifier"}  # before version 1.0
VERIFIER = "verifier"  # optional second classifier for tiles of which the first one is uncertain


class ModelsMissing(Exception):  # noqa: N818, the name says it
    """The networks are missing or do not match the manifest; the message says in one line what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Sessions:
    """The opened networks, their manifest, and the embedding space of the classifier's glyphs if there is one."""

    detector: Network
    classifier: DescribedNetwork
    manifest: Mapping[str, Any]
    verifier: Network | None = None
    figures: FigureSpace | None = None


def load_sessions(threads: int, folder: Traversable | None = None) -> Sessions:
    """Open the shipped networks, or those in `folder`; raise `ModelsMissing` if one is missing or damaged."""
    folder = folder or resources.files("tilekeeper.models")
    manifest = read_manifest(folder)
    names = networks_of(manifest)
    sessions = {name: _open_session(folder, manifest[name], name, threads) for name in names}
    figures = _load_figure_space(folder, manifest["classifier"].get("figures"))
    return Sessions(sessions["detector"], sessions["classifier"], manifest, sessions.get(VERIFIER), figures)


def _load_figure_space(folder: Traversable, entry: Mapping[str, Any] | None) -> FigureSpace | None:
    """Return the fitted space of the classifier's glyph embeddings, None if the manifest has none."""
    if entry is None:
        return None
    data = read_checked(folder, entry, "figures")
    try:
        return FigureSpace.load(io.BytesIO(data))
    except (ValueError, OSError) as error:
        raise ModelsMissing(
            lazy_gettext("{file} can't be read ({error}); install tilekeeper again", file=entry["file"], error=error)
        ) from None


def networks_of(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of a manifest's networks: all `NETWORKS`, and the verifier if there is one."""
    return (*NETWORKS, VERIFIER) if VERIFIER in manifest else NETWORKS


def digests_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the SHA-256 of each network and of the figure space; fitted values are stored with these digests."""
    digests = {name: manifest[name]["sha256"] for name in networks_of(manifest)}
    figures = manifest["classifier"].get("figures")
    return digests | ({"figures": figures["sha256"]} if figures else {})


def digests_of_all(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return `digests_of`, and the SHA-256 of the fitted values under `reader`; measurements are stored with these."""
    fitted = json.dumps(manifest.get("reader", {}), sort_keys=True).encode()
    return digests_of(manifest) | {"reader": hashlib.sha256(fitted).hexdigest()}


def read_manifest(folder: Traversable | None = None) -> Mapping[str, Any]:
    """Return the manifest of the shipped networks, or of `folder`; raise `ModelsMissing` if missing or damaged."""
    folder = folder or resources.files("tilekeeper.models")
    try:
        manifest = json.loads(folder.joinpath("manifest.json").read_text(encoding="utf-8"))
    except OSError:
        raise ModelsMissing(
            lazy_gettext("the networks are not installed (no manifest.json); install tilekeeper again")
        ) from None
    except ValueError:
        raise ModelsMissing(lazy_gettext("the networks' manifest.json is damaged; install tilekeeper again")) from None
    entries: dict[str, Any] = manifest if isinstance(manifest, dict) else {}
    checked: Mapping[str, Any] = {FORMER_NAMES.get(name, name): entry for name, entry in entries.items()}
    for name in networks_of(checked):
        _check_entry(checked.get(name), name)
    return checked


def _check_entry(entry: object, name: str) -> None:
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("file", "sha256")):
        raise ModelsMissing(
            lazy_gettext("manifest.json has no file and SHA-256 for the {name}; install tilekeeper again", name=name)
        )


def read_checked(folder: Traversable, entry: Mapping[str, Any], name: str) -> bytes:
    """Return the bytes of an entry's file; raise `ModelsMissing` if missing or changed (`name` is for the message)."""
    _check_entry(entry, name)
    try:
        data = folder.joinpath(entry["file"]).read_bytes()
    except OSError:
        raise ModelsMissing(
            lazy_gettext("the file {file} is missing; install tilekeeper again", file=entry["file"])
        ) from None
    if hashlib.sha256(data).hexdigest() != entry["sha256"].lower():
        raise ModelsMissing(
            lazy_gettext(
                "{file} is not the file that manifest.json describes; install tilekeeper again", file=entry["file"]
            )
        )
    return data


def _open_session(folder: Traversable, entry: Mapping[str, Any], name: str, threads: int) -> DescribedNetwork:
    read_checked(folder, entry, name)
    try:
        # A session that is opened from bytes keeps a copy of them.
        with resources.as_file(folder.joinpath(entry["file"])) as path:
            return open_network(path, threads)
    except Exception as error:  # noqa: BLE001, onnxruntime raises its own kinds, which differ by version
        first_line = (str(error).splitlines() or ["no reason given"])[0]
        raise ModelsMissing(
            lazy_gettext(
                "the {name} can't be run by onnxruntime {version}: {reason}",
                name=name,
                version=RUNTIME_VERSION,
                reason=first_line,
            )
        ) from None

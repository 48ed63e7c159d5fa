"""Write measured scores into the manifest of the shipped networks."""

from __future__ import annotations

import json
import pathlib
from typing import Any

from tests.benchmarks.vision.run import Measured
from tilekeeper.models.export.atomic_write import write_manifest
from tilekeeper.vision.manifest import digests_of_all, networks_of

MANIFEST = pathlib.Path(__file__).parents[3] / "models" / "manifest.json"
PHOTOS = "Real photos, each session held out from training"
RENDERED = "Rendered tables in held-out printings"


def record_scores(measured: Measured) -> None:
    """Write the figures on photos and on rendered tables, without the list of errors, for each network.

    `scores` are those of all networks together; `scores_of` has the digests of the measured networks. Figures on photos
    count only if the shipped networks read them. Other scores stay if they belong to the same networks. Only pass the
    results of a run on all images.

    Raises `ValueError` if the networks have changed since the measurement, and `OSError` if the manifest cannot be read
    or written.
    """
    fresh = _scores(measured)
    if not fresh:
        return
    manifest = json.loads(MANIFEST.read_text("utf-8"))
    digests = digests_of_all(manifest)
    if digests != measured.networks["shipped"]:
        raise ValueError("the networks that ship are others now than those that were measured")
    for network in networks_of(manifest):
        entry = manifest[network]
        # older manifests have no digests; an export clears all scores
        kept = entry.get("scores", {}) if entry.get("scores_of", digests) == digests else {}
        manifest[network] = entry | {"scores": kept | fresh, "scores_of": digests}
    write_manifest(manifest, MANIFEST)


def _scores(measured: Measured) -> dict[str, dict[str, Any]]:
    figures = {RENDERED: measured.figures.get("rendered")}
    if measured.networks.get("unseen") == measured.networks["shipped"]:
        figures[PHOTOS] = measured.figures.get("photos")
    return {
        title: {name: value for name, value in scores.items() if name != "faults"}
        for title, scores in figures.items()
        if scores
    }

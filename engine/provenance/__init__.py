"""Provenance: where each tile of a changed meld can have come from, and which rules of manipulation that breaks."""

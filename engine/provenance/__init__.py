"""Provenance: the possible origins of each tile in a changed meld, and the rules of manipulation that they break."""

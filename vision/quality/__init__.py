"""Diagnostics of an image and its reading: troubles, occlusions, face-down tiles, the play area."""

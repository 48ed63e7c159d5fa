"""Diagnostics of an image and its reading: troubles, occlusion, face-down tiles, the play area."""

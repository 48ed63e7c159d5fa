"""Fits on top of the trained networks: confidence, tileness, the embedding space of glyphs. Not installed."""

"""Fits on top of the trained networks: confidence, tileness, the space of figures. Not installed."""

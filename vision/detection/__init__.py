"""Tile detection: find the four corners of each tile, clockwise from the tile's own top left."""

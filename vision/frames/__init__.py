"""Reads a table frame by frame: waits until it lies still, follows each tile, and reads again only what changed."""

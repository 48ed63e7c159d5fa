"""Tile detection: one directed quad for each tile."""

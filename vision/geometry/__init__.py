"""Quads on a picture, and the plane of the table that they lie in."""

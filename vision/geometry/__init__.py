"""Quads in the image and the plane of the table."""

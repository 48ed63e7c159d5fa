"""Geometry: quads in the image, their distances and colours, and the plane of the table."""

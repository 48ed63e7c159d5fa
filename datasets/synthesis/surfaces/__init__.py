"""Surfaces: procedural textures of table tops for rendered images."""

"""Rendering of one image: layout, camera, light and composition."""

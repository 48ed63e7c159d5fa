"""Rendered videos of whole games with their truth."""

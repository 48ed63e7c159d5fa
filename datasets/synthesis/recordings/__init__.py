"""Rendered films of whole games, with their truth."""

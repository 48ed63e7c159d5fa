"""Rendered videos of whole games with their ground truth."""

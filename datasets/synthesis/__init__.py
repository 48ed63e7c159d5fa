"""Rendered images of tables with exact ground truth."""

"""Rendered images of tables with exact truth."""

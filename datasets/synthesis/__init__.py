"""Rendered pictures of tables with exact truth."""

"""Judges turns: tiles, melds, tables and the rules of the editions. Standard library alone."""

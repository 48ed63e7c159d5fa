"""Reads the tiles in images of a table: detection, classification, tracking, grouping into rows. Knows no rules."""

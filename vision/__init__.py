"""Reads the tiles in images of a table: detector, classifier, tracking, grouping into rows. Knows tiles, not rules."""

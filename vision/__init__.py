"""Reads tiles in pictures: sources, finder, namer, grouping into melds. Knows tiles, not rules."""

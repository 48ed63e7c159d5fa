"""Finds arrangements of tiles in valid melds: by a sweep over the numbers, by an exact cover, near to a table."""

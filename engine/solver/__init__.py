"""Arrangements of tiles in valid melds: any, the one nearest to a table, and the one that lays most of a rack."""

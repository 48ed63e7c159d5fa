"""Tiles, tables of melds, and the one-line notation of a table; no rules."""

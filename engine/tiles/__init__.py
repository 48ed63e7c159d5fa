"""Tiles, tables of melds, and the one-line notation of a table; which melds are valid is left to the rules."""

"""Tiles, the table on which they lie, and the one-line notation of a table; no rules."""

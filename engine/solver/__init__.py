"""Solvers: arrange tiles in valid melds, with the fewest moves from a table, or to lay the most of a rack."""

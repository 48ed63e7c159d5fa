"""Tournaments of many tables: pairings of each round, and standings."""

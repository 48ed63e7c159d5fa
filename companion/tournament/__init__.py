"""Tournaments of many tables: formats, pairing, scoring and standings, as pure functions."""

"""Naming found tiles: number, ink, which end is up; and comparing figures and inks over the whole table."""

"""Measures the eye against what it must reach, by one command: `tilekeeper bench vision`."""

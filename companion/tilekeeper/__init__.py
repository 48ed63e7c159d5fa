"""Tilekeeper: a referee for a real Rummikub table."""

__version__ = "1.0.0"

"""Tilekeeper: a referee for a real Rummikub table."""

__version__ = "0.1.0"

"""Measures the app: false fouls, how soon a verdict is there, how many tablets it serves, starting, and memory."""

"""Judging a turn where readings are in doubt: which verdicts are likely, and what to ask."""

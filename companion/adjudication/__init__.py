"""Judges a turn although some tiles are doubtful: which verdicts are likely, and which questions decide."""

"""Judging a turn with doubtful tiles: which verdicts are likely, and which questions decide between them."""

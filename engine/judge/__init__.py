"""The judge: compares the tables before and after a turn and returns a verdict with every violation."""

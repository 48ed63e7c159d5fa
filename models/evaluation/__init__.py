"""Evaluation: read images whose ground truth is known, and count the errors. Not installed."""

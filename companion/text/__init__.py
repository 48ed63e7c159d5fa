"""Sentences for people: verdicts, scores, moves and rules."""

"""User-facing sentences in the current language: verdicts, scores, events, moves and rules."""

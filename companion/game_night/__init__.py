"""A game night of several rounds: values and pure functions; no thread, page or disk."""

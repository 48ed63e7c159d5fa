"""A game of several rounds by event sourcing: a list of events, the state after them, and the score."""

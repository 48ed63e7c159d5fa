"""A game of several rounds as a list of events, the state that they lead to, and the score."""

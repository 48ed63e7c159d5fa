"""The shipped networks: their manifest, their sessions, and what they take."""

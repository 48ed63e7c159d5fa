"""Storage on the user's disk: game nights in SQLite, pictures of turns, copies, certificates and examples."""

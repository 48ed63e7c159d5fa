"""Storage on the user's disk: game nights in SQLite, pictures of turns, backups, certificates and examples."""

"""What is kept on the user's disk: evenings in SQLite, and the pictures of their turns beside it."""

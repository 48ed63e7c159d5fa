"""What runs: the thread that watches, the table as all tablets see it, and what is played on it."""

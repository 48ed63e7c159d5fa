"""Following a table from frame to frame: when it lies still, which tile is which, and what is held of each."""

"""Finding tiles: one quad for each, in its own orientation."""

"""How a set of tiles is printed: figures, inks, jokers, emblems."""

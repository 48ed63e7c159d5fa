"""Printings: how a set of tiles is printed, with figures, inks, jokers and emblems."""

"""How sure a name is, whether something is a tile at all, and what a set can hold."""

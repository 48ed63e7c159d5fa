"""How a table can have come about: a search over where each tile of the changed melds went."""

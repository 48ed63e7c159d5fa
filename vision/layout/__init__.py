"""Layout of tiles: joints between neighbours, rows, racks."""

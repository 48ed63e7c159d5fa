"""A table's link to the hub: reports what happens, carries out commands, and plays on without a connection."""

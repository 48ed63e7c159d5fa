"""A table's link to its hall: reports what happens, carries out commands, and plays on without a connection."""

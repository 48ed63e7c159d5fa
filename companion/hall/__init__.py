"""The table's side of a hall: reports what happens, does commands, and plays on alone without a connection."""

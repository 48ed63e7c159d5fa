"""The table's side of a hall: it tells what happens, obeys who may command, and plays on alone where it must."""

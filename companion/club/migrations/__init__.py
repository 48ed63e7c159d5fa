"""The steps by which the database of an older hub becomes one of this version."""

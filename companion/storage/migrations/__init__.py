"""The steps by which the database of an older version becomes one of this version."""

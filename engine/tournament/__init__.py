"""Many tables at once: who sits with whom in each round, and how everybody stands after it."""

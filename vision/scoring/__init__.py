"""Decision: label and confidence of each candidate, whether it is a tile of the set, and the number of copies."""

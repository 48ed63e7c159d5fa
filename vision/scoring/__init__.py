"""Decision: the table of tiles, the label and confidence of each, set membership, and the stock of a set."""

"""The judge: from the table before a turn and the table after it to a verdict that names everything that is wrong."""

"""Rules as data: the fields of a rule set, the printed editions, and house rules that change a value."""

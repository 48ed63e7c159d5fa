"""Rules as data: what a rule set says field by field, the printed editions, and house rules that change a value."""

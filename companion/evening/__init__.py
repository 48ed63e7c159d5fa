"""An evening at the table, from the seats to the score sheet: values and pure functions; no thread, page or disk."""

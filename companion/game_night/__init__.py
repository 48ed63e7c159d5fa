"""An evening of several rounds: values and pure functions; no thread, page or disk."""

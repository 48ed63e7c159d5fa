"""The state of the app as plain data for JSON."""

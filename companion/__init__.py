"""The app at the table: command line, page and everything that binds the rooms together."""

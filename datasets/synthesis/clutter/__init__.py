"""Clutter: objects other than tiles that lie on a table."""

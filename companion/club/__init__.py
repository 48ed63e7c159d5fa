"""The hub of a club night: collects the games of all tables, pairs rounds, and serves the hall's pages.

All state is in the database, so several hubs may run on one.
"""

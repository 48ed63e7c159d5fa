"""The hub of a club night (a tournament): collects the games of all tables, pairs rounds, serves the hall's pages.

All state is in the database, so several hubs may share one database.
"""

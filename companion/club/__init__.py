"""The hub of a club night: takes what tables play, pairs rounds, and shows them to organiser, arbiter and everybody.

Nothing lives in one process alone: several hubs may run on one database.
"""

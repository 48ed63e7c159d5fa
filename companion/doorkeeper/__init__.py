"""Keeps strangers and pages of other sites out of both apps, the table's and the hub's.

Each app decides for itself who its people are and what they may do.
"""

"""Messaging between tables and their hall: topics, message models, and connections to a broker."""

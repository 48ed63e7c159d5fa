"""The wire between tables and the hall: topics, messages, and the ways to a broker."""

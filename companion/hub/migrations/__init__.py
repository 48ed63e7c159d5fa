"""Alembic migrations of the hub's database from older versions to this one."""

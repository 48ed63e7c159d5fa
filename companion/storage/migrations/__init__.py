"""Alembic migrations of the table's database from older versions to this one."""

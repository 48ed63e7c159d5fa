"""A physically based renderer of racks and tables, on Mitsuba 3."""

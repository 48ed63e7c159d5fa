"""The differences between operating systems in memory limits, priorities, process ids and pipes."""

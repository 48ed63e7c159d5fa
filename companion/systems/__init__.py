"""One interface for what differs between operating systems: memory limits, priorities, processes and pipes."""

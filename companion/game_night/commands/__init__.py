"""What can be done in an evening: each command takes a state and returns the next one."""

"""What can be done in a game night: each command takes a state and returns the next one."""

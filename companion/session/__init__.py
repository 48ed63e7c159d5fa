"""The running app: the state of the table, the commands that change it, and the threads that send commands."""

"""What every endpoint of the API needs: its description, its refusals, the running app, the event stream."""

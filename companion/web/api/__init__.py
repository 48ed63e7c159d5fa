"""Code that all endpoints share: descriptions, refusals, the running app, permissions, the event stream."""

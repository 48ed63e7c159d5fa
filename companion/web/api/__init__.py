"""Code that all endpoints share: their descriptions, refusals and permissions, the app's parts, the event stream."""

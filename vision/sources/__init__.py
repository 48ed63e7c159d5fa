"""Image sources: cameras, streams, recordings, and photo files."""

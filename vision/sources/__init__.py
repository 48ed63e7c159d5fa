"""Where pictures come from: cameras, streams, recordings, and files of photos."""

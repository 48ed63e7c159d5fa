"""Tracking: follow the tiles of a table from frame to frame: motion detection, matched tracks, lost tiles."""

"""Tracking: follow a table from frame to frame, from motion detection to matched tracks and lost tiles."""

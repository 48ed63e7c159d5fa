"""Cameras and network streams, each read by a process of its own, so that a read that blocks never blocks the app."""

"""The sources of frames: a camera in a process of its own, a phone, the recorded table; and the play area."""

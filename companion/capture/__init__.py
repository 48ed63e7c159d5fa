"""Where frames come from: the process of a camera, the choice of a source, the recorded table, the play area."""

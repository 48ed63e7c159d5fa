"""Images with truth: annotated photos and a renderer of tables."""

"""Pictures with truth: the annotated photos and the renderer of tables."""

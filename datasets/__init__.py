"""Images with ground truth: annotated photos, and renderers of tables and racks."""

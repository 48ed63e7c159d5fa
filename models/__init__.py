"""The networks (ONNX, with their manifest) and how they are trained. Never needed at run time but for its files."""

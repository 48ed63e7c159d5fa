"""Running networks with ONNX Runtime, and the form in which they take pictures."""

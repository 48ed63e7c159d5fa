"""ONNX Runtime sessions and the input format of the networks."""

"""Export of trained networks to the shipped ONNX files and their manifest. Not installed."""

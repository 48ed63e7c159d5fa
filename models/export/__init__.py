"""From trained networks to the ONNX files and the manifest that ship. Not installed."""

"""The shipped networks (ONNX, with their manifest), and the code that trains and measures them, unused at run time."""

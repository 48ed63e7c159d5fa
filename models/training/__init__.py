"""Training of the networks: samples, networks, loops. Needs PyTorch; not installed."""

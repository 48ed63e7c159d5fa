"""Fine-tuning: fit the classifier's last layer to one set of tiles, store it, and classify with it."""

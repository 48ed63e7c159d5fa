"""Fits the namer's last layer to one set of tiles, keeps it as data, and names tiles with it."""

"""Fitting the last layer of the classifier to one set of tiles, keeping it as data, and naming tiles with it."""

"""Reads tiles in pictures: sources, detector, classifier, grouping into melds. Knows tiles, not rules."""

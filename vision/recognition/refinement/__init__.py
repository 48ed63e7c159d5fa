"""Refinement: classify tiles again at other quads, and search for missed tiles."""

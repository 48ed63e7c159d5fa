"""Refinement: classify uncertain tiles again at other quads, and search for missed tiles."""

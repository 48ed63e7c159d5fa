"""Table tops that rendered tiles lie on."""

"""What is wrong with a picture, what hides tiles, what lies face down, and where the play area is."""

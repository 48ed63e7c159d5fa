"""Classification of detected tiles: number, ink and direction, and comparison of glyphs and inks over the table."""

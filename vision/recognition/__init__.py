"""Classification of detected tiles: number, ink and direction, with glyphs and inks compared over the table."""

"""Second looks at found tiles: other quads are proposed, named, and taken where they are named more surely."""

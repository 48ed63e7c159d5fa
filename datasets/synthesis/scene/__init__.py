"""One rendered picture: layout, camera, light, and the composition of them."""

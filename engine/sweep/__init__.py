"""The sweep: find the best arrangement of tiles by dynamic programming over the numbers, upwards or downwards."""

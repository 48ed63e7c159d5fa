"""The best arrangement by dynamic programming over the numbers, from 1 up or from the highest down."""

"""The table as it was read, with what people said of its tiles and what is known from before."""

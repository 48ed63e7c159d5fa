"""What lies on the table as far as is known: readings, and what people said of them."""

"""The pages and the API that they use."""

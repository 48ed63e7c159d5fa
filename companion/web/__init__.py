"""The table's web app: its pages, and the API that they use."""

"""The endpoints of the API: one blueprint for each topic."""

"""The endpoints of the API, one blueprint a topic."""

"""Event hooks (webhooks): the app sends events of the game night as JSON by POST to addresses that the host names."""

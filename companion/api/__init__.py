"""What pages ask of the app, one blueprint a topic, each answer and body described for the OpenAPI document."""

"""The parts that all endpoints share: descriptions, refusals, the running app, the event stream."""

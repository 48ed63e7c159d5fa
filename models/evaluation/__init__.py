"""Reading pictures whose truth is known, and counting what comes of it. Not installed."""

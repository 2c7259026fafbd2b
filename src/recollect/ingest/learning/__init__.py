"""Learning: from recorded turns to memories, in durable jobs."""

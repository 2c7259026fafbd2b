"""Models that read and write text: one protocol, and the servers that keep it."""

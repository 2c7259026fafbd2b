"""The health of a memory: audit, doctor, metrics."""

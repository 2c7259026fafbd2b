"""How a memory is doing: audit, doctor, metrics."""

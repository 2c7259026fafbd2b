"""Context: what the agent sees, inside its budget."""

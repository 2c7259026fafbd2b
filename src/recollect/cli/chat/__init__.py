"""A conversation in the terminal that remembers."""

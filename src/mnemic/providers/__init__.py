"""Models and embeddings, here or behind an address."""

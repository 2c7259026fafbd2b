"""Models and embeddings."""

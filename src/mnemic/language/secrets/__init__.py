"""Secrets in a text: what counts as one, and where it stands."""

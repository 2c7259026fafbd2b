"""Merging and exchanging between devices."""

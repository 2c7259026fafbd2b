"""Turning text into what an index can find: segmentation now, vectors beside it."""

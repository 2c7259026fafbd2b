"""Forgetting for good: what a request names, what it takes along, and the proof."""

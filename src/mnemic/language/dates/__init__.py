"""Dates and stretches of time, as people write them."""

"""Upkeep: the daily and weekly work."""

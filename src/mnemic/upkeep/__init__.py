"""Upkeep: the daily and weekly work that keeps memory small and true, and the rules of the bus."""

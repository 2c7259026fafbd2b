"""The steps of upkeep: each can be repeated, and goes on where it was interrupted."""

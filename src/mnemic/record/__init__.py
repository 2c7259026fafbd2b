"""Turns in: checked, guarded, durable, with the jobs they set in motion."""

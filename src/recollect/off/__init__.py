"""The off switch: the same doors on plain files that people read, and the way back."""

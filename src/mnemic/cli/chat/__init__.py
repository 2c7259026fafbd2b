"""The terminal chat with memory."""

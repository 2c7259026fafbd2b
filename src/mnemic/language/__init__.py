"""Reading Chinese and English: text in, findings out, with no I/O."""

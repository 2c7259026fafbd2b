"""One reader per format of another program."""

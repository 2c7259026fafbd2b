"""Documents: markdown views of memory that people read and edit."""

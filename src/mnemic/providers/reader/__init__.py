"""The reader: a small trained encoder that reads turns for recall and learning."""

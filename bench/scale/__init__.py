"""What many people in one process cost, and how work is shared among them."""

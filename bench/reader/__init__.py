"""Training of the reader: labeled conversations, bases, training and export."""

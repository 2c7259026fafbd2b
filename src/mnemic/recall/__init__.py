"""From a query to evidence with reasons."""

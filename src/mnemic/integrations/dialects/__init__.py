"""What the chat interfaces of model makers look like: their messages as turns, and back."""

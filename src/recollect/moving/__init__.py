"""Moving in: chats of other programs as turns, and turns into a mind."""

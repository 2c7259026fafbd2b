"""Import of chats: files of other programs as turns, and turns into a mind."""

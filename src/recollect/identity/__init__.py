"""Who the agent and the user are: cards made of what people wrote, and the first talk about it."""

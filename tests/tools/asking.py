"""A question put to the user about a pending memory, and their recorded answer."""

from __future__ import annotations

from mnemic import Mind


def ask_user(mind: Mind, id_: object, answer: str, session: str = "talk") -> None:
    """The agent asks in the words of the memory, as the host records it, and the user answers."""
    memory = mind.get(str(id_))
    mind.record(session=session, role="assistant", text=f"Shall I keep this? {memory.text}")
    mind.record(session=session, role="user", text=answer)

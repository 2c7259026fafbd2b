"""LangChain's messages, which LangGraph speaks in too."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from mnemic.integrations.companion import Companion, tool_call, tool_turn
from mnemic.integrations.dialects.base import text_of, with_words_before
from mnemic.types import NewTurn


def turns_of(messages: Sequence[object], session: str) -> list[NewTurn]:
    """Every message except the host's instructions."""
    return [turn for message in messages if (turn := turn_of(message, session)) is not None]


def inject(messages: Sequence[BaseMessage], companion: Companion) -> list[BaseMessage]:
    """The messages with what is known, for the model alone."""
    prompts = [place for place, message in enumerate(messages) if isinstance(message, HumanMessage)]
    if not prompts:
        return list(messages)
    question = messages[prompts[-1]]
    texts = [text_of(message.content) for message in messages if isinstance(message, SystemMessage)]
    addition = companion.show(turns_of(messages, companion.session), texts)
    injected = list(messages)
    if addition.user:
        content = with_words_before(question.content, addition.user, "text")
        injected[prompts[-1]] = question.model_copy(update={"content": content})
    if addition.system:
        system = injected.pop(0) if isinstance(injected[0], SystemMessage) else None
        before = None if system is None else text_of(system.content)
        injected.insert(0, SystemMessage(addition.after(before)))
    return injected


def turn_of(message: object, session: str) -> NewTurn | None:
    """A message as a turn; None for the host's instructions."""
    match message:
        case HumanMessage():
            return NewTurn(session, "user", text_of(message.content), sender=message.name or "")
        case AIMessage():
            calls = [
                tool_call(call["name"], call["args"], call["id"] or "")
                for call in message.tool_calls
            ]
            text = text_of(message.content)
            return NewTurn(session, "assistant", text, tool_calls=tuple(calls))
        case ToolMessage():
            text = text_of(message.content)
            return tool_turn(
                session, message.tool_call_id, text, is_error=message.status == "error"
            )
    return None

"""OpenAI's chat completions, and compatible interfaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mnemic.integrations.companion import PromptAddition, tool_call, tool_turn
from mnemic.integrations.dialects.base import (
    Request,
    last_user,
    plain_items,
    text_of,
    with_words_before,
)
from mnemic.types import NewTurn, ToolCall

_SYSTEM = ("system", "developer")


class ChatCompletions:
    """``client.chat.completions``."""

    def turns(self, request: Request, session: str) -> list[NewTurn]:
        """Every message except the host's instructions."""
        turns = (_turn(item, session) for item in plain_items(request.get("messages")))
        return [turn for turn in turns if turn is not None]

    def instructions(self, request: Request) -> list[str]:
        items = plain_items(request.get("messages"))
        return [text_of(item.get("content")) for item in items if item.get("role") in _SYSTEM]

    def query(self, request: Request) -> str:
        items = plain_items(request.get("messages"))
        place = last_user(items)
        return "" if place is None else text_of(items[place].get("content"))

    def inject(self, request: Request, addition: PromptAddition) -> Request:
        messages = list(request["messages"])
        items = plain_items(messages)
        place = last_user(items)
        if addition.user and place is not None:
            content = with_words_before(items[place].get("content"), addition.user, "text")
            messages[place] = {**items[place], "content": content}
        if addition.system:
            first = items[0] if items and items[0].get("role") in _SYSTEM else None
            # Some servers take a system message only at the beginning, and only one.
            if first is None:
                messages.insert(0, {"role": "system", "content": addition.system})
            else:
                content = addition.after(text_of(first.get("content")))
                messages[0] = {**first, "content": content}
        return {**request, "messages": messages}

    def answer(self, response: Any, session: str) -> NewTurn:
        message = response.choices[0].message if response.choices else None
        if message is None:
            return NewTurn(session, "assistant", "")
        calls = [_call(call.model_dump()) for call in message.tool_calls or ()]
        return NewTurn(session, "assistant", message.content or "", tool_calls=tuple(calls))

    def assembler(self) -> ChatStream:
        return ChatStream()


@dataclass(slots=True)
class ChatStream:
    """Assembles a streamed answer; of several choices the first."""

    text: list[str] = field(default_factory=list)
    calls: dict[int, dict[str, str]] = field(default_factory=dict)

    def take(self, event: Any) -> None:
        for choice in event.choices or ():
            if choice.index == 0 and choice.delta is not None:
                self.text.append(choice.delta.content or "")
                for piece in choice.delta.tool_calls or ():
                    self._take_call(piece)

    def _take_call(self, piece: Any) -> None:
        call = self.calls.setdefault(piece.index, {"id": "", "name": "", "arguments": ""})
        call["id"] = piece.id or call["id"]
        if piece.function is not None:
            call["name"] += piece.function.name or ""
            call["arguments"] += piece.function.arguments or ""

    def turn(self, session: str) -> NewTurn:
        calls = [tool_call(c["name"], c["arguments"], c["id"]) for c in self.calls.values()]
        return NewTurn(session, "assistant", "".join(self.text), tool_calls=tuple(calls))


def _turn(item: Mapping[str, Any], session: str) -> NewTurn | None:
    text = text_of(item.get("content"))
    match item.get("role"):
        case "user":
            return NewTurn(session, "user", text, sender=str(item.get("name") or ""))
        case "assistant":
            calls = tuple(_call(call) for call in plain_items(item.get("tool_calls")))
            return NewTurn(session, "assistant", text, tool_calls=calls)
        case "tool":
            return tool_turn(session, str(item.get("tool_call_id") or ""), text)
    return None


def _call(call: Mapping[str, Any]) -> ToolCall:
    function = call.get("function") or call.get("custom") or {}
    arguments = function.get("arguments", function.get("input", ""))
    return tool_call(str(function.get("name", "")), arguments, str(call.get("id") or ""))

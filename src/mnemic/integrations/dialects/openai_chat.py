"""OpenAI's chat completions, and compatible interfaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mnemic.integrations.companion import PromptAddition, tool_call, tool_turn
from mnemic.integrations.dialects.base import (
    SYSTEM,
    Dialect,
    Request,
    plain_items,
    text_of,
    with_evidence,
)
from mnemic.types import NewTurn, ToolCall


class ChatCompletions(Dialect):
    """``client.chat.completions``."""

    def inject(self, request: Request, addition: PromptAddition) -> Request:
        messages = with_evidence(request["messages"], addition)
        if addition.system:
            # Some servers take a system message only at the beginning, and only one.
            items = self.items(request)
            first = items[0] if items and items[0].get("role") in SYSTEM else None
            content = addition.after(None if first is None else text_of(first.get("content")))
            system = {**(first or {"role": "system"}), "content": content}
            messages[: 0 if first is None else 1] = [system]
        return {**request, "messages": messages}

    def read_item(self, item: Mapping[str, Any], session: str) -> Iterator[NewTurn]:
        text = text_of(item.get("content"))
        match item.get("role"):
            case "user":
                yield NewTurn(session, "user", text, sender=str(item.get("name") or ""))
            case "assistant":
                calls = tuple(_call(call) for call in plain_items(item.get("tool_calls")))
                yield NewTurn(session, "assistant", text, tool_calls=calls)
            case "tool":
                yield tool_turn(session, str(item.get("tool_call_id") or ""), text)

    def answer(self, response: Any, session: str) -> NewTurn:
        message = response.choices[0].message if response.choices else None
        if message is None:
            return NewTurn(session, "assistant", "")
        calls = [_call(call.model_dump()) for call in message.tool_calls or ()]
        return NewTurn(session, "assistant", message.content or "", tool_calls=tuple(calls))

    def assembler(self) -> ChatStream:
        return ChatStream()


class ChatStream:
    """Assembles a streamed answer; of several choices the first."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.calls: dict[int, dict[str, str]] = {}

    def take(self, event: Any) -> None:
        for choice in event.choices or ():
            if choice.index == 0 and choice.delta is not None:
                self.text.append(choice.delta.content or "")
                for delta in choice.delta.tool_calls or ():
                    self._take_call(delta)

    def _take_call(self, delta: Any) -> None:
        call = self.calls.setdefault(delta.index, {"id": "", "name": "", "arguments": ""})
        call["id"] = delta.id or call["id"]
        if delta.function is not None:
            call["name"] += delta.function.name or ""
            call["arguments"] += delta.function.arguments or ""

    def turn(self, session: str) -> NewTurn:
        calls = [tool_call(c["name"], c["arguments"], c["id"]) for c in self.calls.values()]
        return NewTurn(session, "assistant", "".join(self.text), tool_calls=tuple(calls))


def _call(call: Mapping[str, Any]) -> ToolCall:
    function = call.get("function") or call.get("custom") or {}
    arguments = function.get("arguments", function.get("input", ""))
    return tool_call(str(function.get("name", "")), arguments, str(call.get("id") or ""))

"""OpenAI's responses: items instead of messages. The Agents SDK speaks in them too."""

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
from mnemic.types import NewTurn, Role, ToolCall

_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}


class Responses:
    """``client.responses``."""

    def turns(self, request: Request, session: str) -> list[NewTurn]:
        turns = [turn_of(item, session) for item in _items(request)]
        return [turn for turn in turns if turn is not None and turn.role != "system"]

    def instructions(self, request: Request) -> list[str]:
        items = [item for item in _items(request) if _ROLES.get(str(item.get("role"))) == "system"]
        own = request.get("instructions")
        texts = [text_of(item.get("content")) for item in items]
        return [own, *texts] if isinstance(own, str) else texts

    def query(self, request: Request) -> str:
        items = _items(request)
        place = last_user(items)
        return "" if place is None else text_of(items[place].get("content"))

    def inject(self, request: Request, addition: PromptAddition) -> Request:
        injected = dict(request)
        if addition.system:
            own = request.get("instructions")
            injected["instructions"] = addition.after(own if isinstance(own, str) else None)
        if addition.user:
            injected["input"] = inject_items(_items(request), addition)
        return injected

    def answer(self, response: Any, session: str) -> NewTurn:
        return answer_of(plain_items(response.output), session)

    def assembler(self) -> ResponseStream:
        return ResponseStream()


@dataclass(slots=True)
class ResponseStream:
    """Assembles a streamed answer from its completed items."""

    items: list[dict[str, Any]] = field(default_factory=list)

    def take(self, event: Any) -> None:
        if event.type == "response.output_item.done":
            self.items += plain_items([event.item])

    def turn(self, session: str) -> NewTurn:
        return answer_of(self.items, session)


def inject_items(items: list[dict[str, Any]], addition: PromptAddition) -> list[dict[str, Any]]:
    """The items with the evidence before the message that is being answered."""
    injected = list(items)
    place = last_user(items)
    if place is not None and addition.user:
        content = with_words_before(items[place].get("content"), addition.user, "input_text")
        injected[place] = {**items[place], "content": content}
    return injected


def answer_of(items: list[dict[str, Any]], session: str) -> NewTurn:
    """One turn with all text and calls of a response."""
    text = [text_of(item.get("content")) for item in items if item.get("type") == "message"]
    calls = [call for item in items if (call := _call(item)) is not None]
    return NewTurn(session, "assistant", "\n".join(text), tool_calls=tuple(calls))


def turn_of(item: Mapping[str, Any], session: str) -> NewTurn | None:
    """One message, call or call output as a turn; None for other items."""
    role = _ROLES.get(str(item.get("role")))
    if role is not None:
        return NewTurn(session, role, text_of(item.get("content")))
    call = _call(item)
    if call is not None:
        return NewTurn(session, "assistant", "", tool_calls=(call,))
    if str(item.get("type")).endswith("call_output"):
        output = item.get("output")
        return tool_turn(session, str(item.get("call_id") or ""), text_of(output))
    return None


def _call(item: Mapping[str, Any]) -> ToolCall | None:
    if item.get("type") not in ("function_call", "custom_tool_call"):
        return None
    arguments = item.get("arguments", item.get("input", ""))
    return tool_call(str(item.get("name", "")), arguments, str(item.get("call_id") or ""))


def _items(request: Request) -> list[dict[str, Any]]:
    items = request.get("input")
    return [{"role": "user", "content": items}] if isinstance(items, str) else plain_items(items)

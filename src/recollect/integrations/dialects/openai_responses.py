"""OpenAI's responses: items instead of messages. The Agents SDK speaks in them too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recollect.integrations.companion import PromptAddition, tool_call, tool_turn
from recollect.integrations.dialects.base import (
    Request,
    last_user,
    plain_items,
    text_of,
    with_words_before,
)
from recollect.types import NewTurn, Role, ToolCall

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

    def query(self, request: Request) -> str:
        items = _items(request)
        place = last_user(items)
        return "" if place is None else text_of(items[place].get("content"))

    def inject(self, request: Request, shown: PromptAddition) -> Request:
        made = dict(request)
        if shown.system:
            own = request.get("instructions")
            made["instructions"] = shown.after(own if isinstance(own, str) else None)
        if shown.user:
            made["input"] = with_shown(_items(request), shown)
        return made

    def answer(self, response: Any, session: str) -> NewTurn:
        return answer_of(plain_items(response.output), session)

    def gatherer(self) -> ResponseStream:
        return ResponseStream()


@dataclass(slots=True)
class ResponseStream:
    """A streamed answer: each item is told whole when it is done."""

    items: list[dict[str, Any]] = field(default_factory=list)

    def take(self, event: Any) -> None:
        if event.type == "response.output_item.done":
            self.items += plain_items([event.item])

    def turn(self, session: str) -> NewTurn:
        return answer_of(self.items, session)


def with_shown(items: list[dict[str, Any]], shown: PromptAddition) -> list[dict[str, Any]]:
    """The items with what was recalled before the words that are being answered."""
    made = list(items)
    place = last_user(items)
    if place is not None and shown.user:
        content = with_words_before(items[place].get("content"), shown.user, "input_text")
        made[place] = {**items[place], "content": content}
    return made


def answer_of(items: list[dict[str, Any]], session: str) -> NewTurn:
    """One turn of all that a model said and called."""
    text = [text_of(item.get("content")) for item in items if item.get("type") == "message"]
    calls = [call for item in items if (call := _call(item)) is not None]
    return NewTurn(session, "assistant", "\n".join(text), tool_calls=tuple(calls))


def turn_of(item: Mapping[str, Any], session: str) -> NewTurn | None:
    """One item as a turn; what is neither said, called nor answered is none."""
    role = _ROLES.get(str(item.get("role")))
    if role is not None:
        return NewTurn(session, role, text_of(item.get("content")))
    call = _call(item)
    if call is not None:
        return NewTurn(session, "assistant", "", tool_calls=(call,))
    if str(item.get("type")).endswith("call_output"):
        told = item.get("output")
        return tool_turn(session, str(item.get("call_id") or ""), text_of(told))
    return None


def _call(item: Mapping[str, Any]) -> ToolCall | None:
    if item.get("type") not in ("function_call", "custom_tool_call"):
        return None
    told = item.get("arguments", item.get("input", ""))
    return tool_call(str(item.get("name", "")), told, str(item.get("call_id") or ""))


def _items(request: Request) -> list[dict[str, Any]]:
    given = request.get("input")
    return [{"role": "user", "content": given}] if isinstance(given, str) else plain_items(given)

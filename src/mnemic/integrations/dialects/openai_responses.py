"""OpenAI's responses: items instead of messages. The Agents SDK speaks in them too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mnemic.integrations.companion import PromptAddition, tool_call, tool_turn
from mnemic.integrations.dialects.base import Dialect, Request, plain_items, text_of, with_evidence
from mnemic.types import NewTurn, Role, ToolCall

ITEM_TEXT = "input_text"
_ROLES: dict[str, Role] = {
    "user": "user", "assistant": "assistant", "system": "system", "developer": "system",
}  # fmt: skip


class Responses(Dialect):
    """``client.responses``."""

    def items(self, request: Request) -> list[dict[str, Any]]:
        items = request.get("input")
        return plain_items(
            [{"role": "user", "content": items}] if isinstance(items, str) else items
        )

    def instructions(self, request: Request) -> list[str]:
        system = request.get("instructions")
        return [*([system] if isinstance(system, str) else []), *super().instructions(request)]

    def inject(self, request: Request, addition: PromptAddition) -> Request:
        injected = dict(request)
        if addition.system:
            instructions = request.get("instructions")
            injected["instructions"] = addition.after(
                instructions if isinstance(instructions, str) else None
            )
        if addition.user:
            injected["input"] = with_evidence(self.items(request), addition, ITEM_TEXT)
        return injected

    def read_item(self, item: Mapping[str, Any], session: str) -> Iterator[NewTurn]:
        turn = turn_of(item, session)
        if turn is not None and turn.role != "system":
            yield turn

    def answer(self, response: Any, session: str) -> NewTurn:
        return _answer(plain_items(response.output), session)

    def assembler(self) -> ResponseStream:
        return ResponseStream()


class ResponseStream:
    """Assembles a streamed answer from its completed items."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []

    def take(self, event: Any) -> None:
        if event.type == "response.output_item.done":
            self.items += plain_items([event.item])

    def turn(self, session: str) -> NewTurn:
        return _answer(self.items, session)


def _answer(items: list[dict[str, Any]], session: str) -> NewTurn:
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
        return tool_turn(session, str(item.get("call_id") or ""), text_of(item.get("output")))
    return None


def _call(item: Mapping[str, Any]) -> ToolCall | None:
    if item.get("type") not in ("function_call", "custom_tool_call"):
        return None
    arguments = item.get("arguments", item.get("input", ""))
    return tool_call(str(item.get("name", "")), arguments, str(item.get("call_id") or ""))

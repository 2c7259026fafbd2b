"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mnemic.integrations.companion import PromptAddition, tool_call
from mnemic.integrations.dialects.base import (
    Request,
    plain_items,
    text_of,
    with_words_before,
)
from mnemic.types import NewTurn, ToolCall, ToolResult


class Messages:
    """``client.messages``."""

    def turns(self, request: Request, session: str) -> list[NewTurn]:
        items = plain_items(request.get("messages"))
        return [turn for item in items for turn in _turns(item, session)]

    def instructions(self, request: Request) -> list[str]:
        return [text_of(request.get("system"))]

    def query(self, request: Request) -> str:
        items = plain_items(request.get("messages"))
        place = _last_prompt(items)
        return "" if place is None else _words(items[place].get("content"))

    def inject(self, request: Request, addition: PromptAddition) -> Request:
        injected = dict(request)
        items = plain_items(request["messages"])
        place = _last_prompt(items)
        if addition.user and place is not None:
            content = with_words_before(items[place].get("content"), addition.user, "text")
            items[place] = {**items[place], "content": content}
            injected["messages"] = items
        if addition.system:
            own = request.get("system")
            if isinstance(own, str) or not isinstance(own, Iterable):
                injected["system"] = addition.after(own if isinstance(own, str) else None)
            else:
                injected["system"] = [*own, {"type": "text", "text": addition.system}]
        return injected

    def answer(self, response: Any, session: str) -> NewTurn:
        return _answer(plain_items(response.content), session)

    def assembler(self) -> Blocks:
        return Blocks()


@dataclass(slots=True)
class Blocks:
    """A streamed answer, block by block."""

    blocks: dict[int, dict[str, Any]] = field(default_factory=dict)

    def take(self, event: Any) -> None:
        if event.type == "content_block_start":
            (block,) = plain_items([event.content_block])
            self.blocks[event.index] = {**block, "json": ""}
        elif event.type == "content_block_delta" and event.index in self.blocks:
            block = self.blocks[event.index]
            if event.delta.type == "text_delta":
                block["text"] = block.get("text", "") + event.delta.text
            elif event.delta.type == "input_json_delta":
                block["json"] += event.delta.partial_json

    def turn(self, session: str) -> NewTurn:
        whole = [
            {**block, "input": block["json"] or block.get("input", {})}
            for block in self.blocks.values()
        ]
        return _answer(whole, session)


def _turns(item: Mapping[str, Any], session: str) -> list[NewTurn]:
    """The turns of a message; a user message may hold tool results, then text."""
    content = item.get("content")
    blocks = [] if isinstance(content, str) else plain_items(content)
    if item.get("role") == "assistant":
        return [NewTurn(session, "assistant", _words(content), tool_calls=_calls(blocks))]
    results = tuple(
        ToolResult(
            text_of(block.get("content")),
            str(block.get("tool_use_id") or ""),
            block.get("is_error") is True,
        )
        for block in blocks
        if block.get("type") == "tool_result"
    )
    turns = [NewTurn(session, "tool", "", tool_results=results)] if results else []
    words = _words(content)
    return [*turns, NewTurn(session, "user", words)] if words else turns


def _answer(blocks: list[dict[str, Any]], session: str) -> NewTurn:
    return NewTurn(session, "assistant", _words(blocks), tool_calls=_calls(blocks))


def _calls(blocks: Iterable[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    return tuple(
        tool_call(str(block.get("name")), block.get("input"), str(block.get("id") or ""))
        for block in blocks
        if block.get("type") == "tool_use"
    )


def _words(content: object) -> str:
    """The text without tool calls, results and thinking."""
    if isinstance(content, str):
        return content
    apart = ("tool_use", "tool_result", "thinking", "redacted_thinking")
    spoken = [block for block in plain_items(content) if block.get("type") not in apart]
    return text_of(spoken)


def _last_prompt(items: list[dict[str, Any]]) -> int | None:
    """The index of the last message with text of the user; tool results alone do not count."""
    places = [
        place
        for place, item in enumerate(items)
        if item.get("role") == "user" and _words(item.get("content"))
    ]
    return places[-1] if places else None
